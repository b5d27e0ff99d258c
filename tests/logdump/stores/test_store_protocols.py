"""SFTP and WebHDFS: a trail is read, listed, followed and written as on this machine, with few bytes fetched.

What is written to a store is there whole, or not at all.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.logdump.program import logdump
from tests.logdump.stores.servers import TrailServer, serving_sftp
from tests.logdump.test_packed import NAMES, QUESTIONS, answers
from tests.searching import in_turn, part_of
from tests.trailformat.samples import row
from trailformat import TrailFile
from trailformat.codec.remote.path import RemotePath, place
from trailformat.codec.remote.store import Store, store_of
from trailformat.codec.remote.url import StoreUrl
from trailformat.scan import scan

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
    return sorted(file.name for file in path.iterdir()) if path.exists() else []


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
        assert sorted(path.name for path in local.iterdir()) == names(str(remote))
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
            raise PermissionError(13, "the store refuses access (403)")
        room.append(False)
        put(self, local, url)

    monkeypatch.setattr(Store, "put", failing)
    done = logdump("-c", WRITERS[command][0].format(trail=TRAIL, to=f"{s3}/out"))
    assert "the store refuses access (403)" in done.out + done.err
    assert names(f"{s3}/out") == []
    assert not [path for path in tmp_path.iterdir() if path.name.startswith("logdump-")]


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


LONG = b"".join(row(bytes([number]) * 10_000).raw for number in range(251)) * 5
Keep = Callable[[str, bytes], None]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    folder = tmp_path / "served"
    (folder / "dirdat").mkdir(parents=True)
    return folder


@pytest.fixture
def sftp(here: Path) -> Iterator[str]:
    with serving_sftp(here) as url:
        yield url


STORES = ("sftp", "webhdfs")


@pytest.fixture(params=STORES)
def kept(request: pytest.FixtureRequest, web: TrailServer) -> tuple[str, Keep]:
    """The URL of a store, and what keeps the bytes of a file in it."""
    if request.param == "webhdfs":
        return web.url.replace("http", "webhdfs"), lambda name, data: web.files.update({f"/{name}": data})
    folder = request.getfixturevalue("here")
    return request.getfixturevalue("sftp"), lambda name, data: (folder / name).write_bytes(data)


def test_each_question_has_the_answer_of_the_local_trail(
    kept: tuple[str, Keep], tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    url, keep = kept
    where = request.node.callspec.params["kept"]
    asked = [question for place, question in in_turn(STORES, part_of(QUESTIONS, 0, 2)) if place == where]
    for name in NAMES:
        (tmp_path / name).write_bytes((TRAILS / name).read_bytes())
        keep(f"dirdat/{name}", (TRAILS / name).read_bytes())
    folder = place(f"{url}/dirdat")
    expected = [answers(tmp_path, "", question) for question in asked]
    assert [answers(folder, "", question) for question in asked] == expected
    assert "3 files, has 30 records" in logdump("count", f"{folder}/at*").out


def test_many_threads_fetch_at_once(kept: tuple[str, Keep]) -> None:
    url, keep = kept
    keep("dirdat/lt000000000", LONG)
    with TrailFile(f"{url}/dirdat/lt000000000") as trail:
        assert sum(int(batch.length[at]) for batch in scan(trail) for at in range(len(batch))) == len(LONG)
        assert trail.bytes[len(LONG) // 2 : len(LONG)] == LONG[len(LONG) // 2 :]


def test_webhdfs_fetches_little_for_a_record(web: TrailServer) -> None:
    web.files["/dirdat/lt000000000"] = LONG
    done = logdump("-c", f"open {web.url.replace('http', 'webhdfs')}/dirdat/lt000000000; n")
    assert "RBA 0" in done.out
    assert web.sent <= 1 << 20


def test_what_is_not_there_is_named(kept: tuple[str, Keep]) -> None:
    done = logdump("-c", f"open {kept[0]}/dirdat/lt000000009")
    assert "dirdat/lt000000009: No such file or directory" in done.out + done.err
    assert "geheim" not in done.out + done.err


def test_sftp_gives_a_saved_file_its_name_when_it_is_complete(sftp: str, here: Path, tmp_path: Path) -> None:
    logdump("-c", f"open {TRAILS / NAMES[0]}; save {tmp_path / 'rt000000000'}")
    done = logdump("-c", f"open {TRAILS / NAMES[0]}; save {sftp}/dirdat/rt000000000")
    assert [path.name for path in (here / "dirdat").iterdir()] == ["rt000000000"], done.out + done.err
    with TrailFile(here / "dirdat" / "rt000000000") as saved, TrailFile(tmp_path / "rt000000000") as local:
        assert [record.raw for record in saved.records()][1:] == [record.raw for record in local.records()][1:]


def test_a_wrong_password_is_refused_and_not_shown(sftp: str) -> None:
    done = logdump("-c", f"open {sftp.replace('geheim', 'falsch')}/dirdat/lt000000000")
    assert "the store" in done.out + done.err
    assert "falsch" not in done.out + done.err
