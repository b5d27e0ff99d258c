"""What is written to a store is there whole, or not at all."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.program import logdump
from tests.logdump.stores.servers import TrailServer
from trailformat.codec.remote.path import RemotePath, place
from trailformat.codec.remote.store import Store, store_of
from trailformat.codec.remote.url import StoreUrl

TRAIL = TRAILS / "at000000000"
Put = Callable[[str, bytes], None]
WRITERS = {
    "SAVE": ("open {trail}; save {to}/rt000000000", ["rt000000000"]),
    "EXPORT": ("open {trail}; export jsonl to {to}/all.jsonl", ["all.jsonl"]),
    "EXPORT BY TABLE": ("open {trail}; export csv to {to}/csv by table", ["csv"]),
    "REPAIR": ("open {trail}; repair to {to}/ft000000000", ["ft000000000"]),
    "REPORT": ("open {trail}; report to {to}/page.html", ["page.html"]),
}


def names(folder: str) -> list[str]:
    path = place(folder)
    return sorted(one.name for one in path.iterdir()) if path.exists() else []


def content(path: RemotePath) -> bytes:
    size = path.stat().st_size
    return store_of(path.url).fetch(path.url, 0, size).data


@pytest.mark.parametrize("command", WRITERS)
def test_each_writer_puts_what_it_writes_on_this_machine(command: str, tmp_path: Path, memory: Put, s3: str) -> None:
    memory("memory://kept/nothing", b"")
    line, expected = WRITERS[command]
    logdump("-c", line.format(trail=TRAIL, to=tmp_path))
    for to in (f"{s3}/out", "memory://out"):
        done = logdump("-c", line.format(trail=TRAIL, to=to))
        assert names(to) == expected, done.out + done.err
        assert "logdump-" not in done.out + done.err
    local, remote = tmp_path / expected[0], place(f"{s3}/out/{expected[0]}")
    assert isinstance(remote, RemotePath)
    if local.is_dir():
        assert sorted(one.name for one in local.iterdir()) == names(str(remote))
    elif command == "EXPORT":
        assert content(remote) == local.read_bytes().replace(os.fsencode(tmp_path), f"{s3}/out".encode())


@pytest.mark.parametrize("command", WRITERS)
def test_where_a_store_fails_nothing_is_there(
    command: str, s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    put, room = Store.put, [command == "EXPORT BY TABLE"]

    def failing(self: Store, local: str, url: StoreUrl) -> None:
        if not room.pop():
            raise PermissionError(13, "the store refuses it (403)")
        room.append(False)
        put(self, local, url)

    monkeypatch.setattr(Store, "put", failing)
    done = logdump("-c", WRITERS[command][0].format(trail=TRAIL, to=f"{s3}/out"))
    assert "the store refuses it (403)" in done.out + done.err
    assert names(f"{s3}/out") == []
    assert not [one for one in tmp_path.iterdir() if one.name.startswith("logdump-")]


def test_an_open_trail_in_a_store_is_not_written_over(s3: str, put: Put) -> None:
    put(f"{s3}/at000000000", TRAIL.read_bytes())
    done = logdump(
        "-c", f"open {s3}/at000000000; save {s3}/at000000000 !; save {s3.replace('s3', 's3a', 1)}/at000000000 !"
    )
    assert (done.out + done.err).count("SAVE never writes over it") == 2


def test_what_exists_is_replaced_only_where_that_is_said(s3: str) -> None:
    done = logdump("-c", f"open {TRAIL}; save {s3}/rt000000000; pos 0; save {s3}/rt000000000; save {s3}/rt000000000 !")
    assert "exists already" in done.out + done.err
    assert done.out.count("Saved 14 records") == 2


def test_nothing_is_written_to_an_http_server(web: TrailServer) -> None:
    done = logdump("-c", f"open {TRAIL}; save {web.url}/rt000000000")
    assert "nothing can be written to an HTTP server" in done.out + done.err
