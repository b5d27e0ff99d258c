"""Few bytes are fetched, and each of them once."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from logdump.tui.reading.start_page import start_place
from tests.logdump.program import logdump
from tests.logdump.stores.servers import TrailServer
from tests.trailformat.samples import row
from trailformat import TrailFile
from trailformat.codec.remote import file as remote_file

PIECE = b"".join(row(bytes([number]) * 9_000).raw for number in range(100))
LONG = PIECE * 36
MOST_FOR_ONE = 1 << 20
Put = Callable[[str, bytes], None]


@pytest.fixture
def trail(web: TrailServer) -> str:
    web.files["/dirdat/lt000000000"] = LONG
    return f"{web.url}/dirdat/lt000000000"


@pytest.mark.parametrize("question", ["count", "check", "count detail; count; check; find hex 00FF00FF"])
def test_a_scan_fetches_each_byte_once(question: str, trail: str, web: TrailServer) -> None:
    logdump("-c", f"open {trail}; {question}")
    assert len(LONG) <= web.sent <= 1.02 * len(LONG)


@pytest.mark.parametrize("question", ["n", "pos 17997995; n", "pos last; pos reverse; n", "n; pos 20000; sfh; n"])
def test_one_record_takes_little(question: str, trail: str, web: TrailServer) -> None:
    done = logdump("-c", f"open {trail}; {question}")
    assert "Len  9" in done.out, done.out + done.err
    assert web.sent <= (1 + question.count("pos")) * MOST_FOR_ONE


def test_records_one_after_the_other_are_fetched_ahead(trail: str, web: TrailServer) -> None:
    with TrailFile(trail) as file:
        assert sum(record.length for record in file.records()) == len(LONG)
    assert web.sent <= 1.02 * len(LONG)
    assert len([one for one in web.requests if one[0] == "GET"]) < 40


def test_a_scan_asks_for_much_at_once(trail: str, web: TrailServer) -> None:
    logdump("-c", f"open {trail}; count")
    assert len([one for one in web.requests if one[0] == "GET"]) <= 20


def test_many_readers_of_a_full_cache_get_the_bytes_of_their_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_file, "_LEAST_CACHE", 4 * remote_file.PIECE)
    monkeypatch.setenv(remote_file.CACHE_VARIABLE, "1")
    cache, size = remote_file._Cache(), 3 * remote_file.PIECE - 7

    def use(file: int) -> bool:
        """Put a file and read what is still of it, again and again, while others drive it out."""
        data, target = bytes([file]) * size, bytearray(size)
        for number in range(600):
            cache.put(file, 0, memoryview(data))
            start = number * 997 % size
            copied = cache.get(file, memoryview(target)[start:], start)
            if target[start : start + copied] != data[start : start + copied]:
                return False
        return True

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(use, range(1, 5)))


def test_a_prompt_with_a_local_file_loads_nothing_of_it(tmp_path: Path) -> None:
    (tmp_path / "lt000000000").write_bytes(PIECE)
    loaded = "sorted({'fsspec', 'aiohttp', 'trailformat.codec.remote.store'} & set(sys.modules))"
    commands = f"open {tmp_path}/lt000000000; n"
    code = f"import sys; from logdump.cli import main; main(['-c', {commands!r}]); print({loaded})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("[]\n")


def test_the_screen_begins_with_the_trails_of_a_folder_in_a_bucket(s3: str, put: Put) -> None:
    put(f"{s3}/dirdat/lt000000000", PIECE)
    put(f"{s3}/dirdat/lt000000001", PIECE)
    assert start_place([f"{s3}/dirdat/lt000000000"]) is None
    place = start_place([f"{s3}/dirdat"])
    assert place is not None
    assert place.name == f"{s3}/dirdat"
