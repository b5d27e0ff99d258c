"""Few bytes are fetched, and each of them once."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import cast

import pytest

from logdump.tui.reading.start_page import start_place
from tests.logdump.program import logdump
from tests.logdump.stores.servers import TrailServer
from tests.searching import Random, examples
from tests.trailformat.samples import row
from trailformat import CannotRead, TrailFile
from trailformat.codec.environment import CACHED
from trailformat.codec.remote import file as remote_file
from trailformat.codec.remote.file import RemoteFile
from trailformat.codec.remote.path import RemotePath, place

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
    assert len([request for request in web.requests if request[0] == "GET"]) < 40


def test_a_scan_asks_for_much_at_once(trail: str, web: TrailServer) -> None:
    logdump("-c", f"open {trail}; count")
    assert len([request for request in web.requests if request[0] == "GET"]) <= 20


def number_files(web: TrailServer) -> list[RemotePath]:
    """Files each of whose bytes is its number, of sizes that are no multiple of a piece."""
    paths = []
    for number in range(6):
        web.files[f"/lt{number}"] = bytes([number]) * (40 * remote_file.PIECE + 7 * number)
        paths.append(place(f"{web.url}/lt{number}"))
    return cast("list[RemotePath]", paths)


@pytest.fixture
def little_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Room for 32 pieces of all files together."""
    monkeypatch.setattr(remote_file, "_LEAST_CACHE", 32 * remote_file.PIECE)
    monkeypatch.setenv(CACHED, "1")
    monkeypatch.setattr(remote_file, "_process", [])


def of_another_file(file: RemoteFile, number: int, start: int, size: int) -> bool:
    """Whether a range of a file has other bytes than its own."""
    whole = 40 * remote_file.PIECE + 7 * number
    return file.read(start, size) != bytes([number]) * max(min(size, whole - start), 0)


@pytest.mark.usefixtures("little_disk")
def test_many_readers_of_a_full_disk_get_the_bytes_of_their_file(web: TrailServer) -> None:
    def use(number: int) -> int:
        drawn = Random(number)
        file = RemoteFile(paths[number])
        places = (drawn.randrange(40 * remote_file.PIECE) for _ in range(30))
        wrong = sum(of_another_file(file, number, start, drawn.randrange(1, 1 << 20)) for start in places)
        file.close()
        return wrong

    paths = number_files(web)
    with ThreadPoolExecutor(4) as pool:
        assert sum(pool.map(use, range(6))) == 0
    assert remote_file._shared().disk.used == 0


@pytest.mark.parametrize("seed", range(3))
def test_what_is_fetched_ahead_of_a_closed_file_is_in_no_other(
    seed: int, web: TrailServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many files are opened one after the other, and closed while bytes are on their way, which come later."""
    monkeypatch.setattr(remote_file, "_process", [])
    paths, drawn, gate = number_files(web), Random(seed), threading.Event()
    web.before_bytes = lambda _, start: start < 3 * remote_file.PIECE or gate.wait(5)
    for _ in range(25):
        number = drawn.randrange(len(paths))
        file = RemoteFile(paths[number])
        for piece in range(drawn.choice((1, 3, 3))):
            assert not of_another_file(file, number, piece * remote_file.PIECE, remote_file.PIECE)
        twin = file.twin() if drawn.random() < 0.3 else None
        jobs = [*file._remote._fetching.values()]
        file.close()
        file.close()
        if twin is not None:
            assert not of_another_file(twin, number, 0, 2 * remote_file.PIECE)
            twin.close()
        del file, twin
        gate.set()
        wait(jobs)
        gate.clear()
    assert remote_file._shared().disk.used == 0
    assert not remote_file._shared().disk._regions


@pytest.mark.parametrize("case", range(examples(24)))
def test_a_version_with_another_byte_among_the_last_that_were_read_is_another_file(case: int, web: TrailServer) -> None:
    """Ranges are fetched in any order, some of them again; the file has grown since, with or without another byte."""
    random, piece = Random(f"last bytes {case}"), remote_file.PIECE
    size = 9 * piece + random.choice((1, 100) if case % 2 else (1, 100, piece - 1))
    content = random.randbytes(size)
    web.files["/lt0"] = content
    file = RemoteFile(cast("RemotePath", place(f"{web.url}/lt0")))
    end = (random.randint(5, 7) * piece, size if case % 2 else random.choice((9 * piece, size)))
    earlier = [sorted(random.sample(range(9), 2)) for _ in range(3)]
    ranges = [end, *((first * piece, min(stop * piece, end[1])) for first, stop in earlier)]
    random.shuffle(ranges)
    for begin, stop in [*ranges, (8 * piece, 9 * piece), (0, piece)]:
        if begin < stop <= end[1]:
            assert file._remote._fetch(begin, stop) == content[begin:stop]
    web.files["/lt0"] = content + b"more"
    assert file._remote._fetch(piece, 2 * piece) == content[piece : 2 * piece]
    changed = bytearray(content + b"more of it")
    changed[end[1] - (1 if case % 2 else random.choice((1, 50, 1000)))] ^= 1
    web.files["/lt0"] = bytes(changed)
    with pytest.raises(CannotRead, match="the file has changed while it was read"):
        file._remote._fetch(2 * piece, 3 * piece)
    file.close()


def test_a_closed_file_has_no_twin(web: TrailServer) -> None:
    file = RemoteFile(number_files(web)[0])
    file.close()
    with pytest.raises(OSError, match="Bad file descriptor"):
        file.twin()


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


class _OpenFile:
    """Stands for a file that is open."""

    users = 1


def test_beyond_the_limit_what_was_used_least_recently_is_dropped() -> None:
    """Of three regions the first is read again: the second goes for the fourth, the third for the fifth."""
    disk, opened = remote_file._Disk(), cast("remote_file._Remote", _OpenFile())
    disk._most, disk._of_region = 3 * remote_file.PIECE, remote_file.PIECE
    for number, kept in ((0, [0]), (1, [0, 1]), (2, [0, 1, 2]), (3, [0, 2, 3]), (4, [0, 3, 4])):
        if number == 3:
            target = bytearray(4)
            assert disk.get(opened, memoryview(target), 0) == 4
            assert target == bytes(4)
        if number == 4:
            disk.get(opened, memoryview(bytearray(4)), 0)
        disk.put(opened, number, memoryview(bytes([number]) * remote_file.PIECE))
        assert [piece for piece in range(5) if disk.has(opened, piece, remote_file.PIECE)] == kept
        assert disk.used == len(kept) * remote_file.PIECE
    disk.drop(opened)
    assert disk.used == 0


@pytest.mark.parametrize("case", range(examples(24)))
def test_kept_bytes_are_given_as_far_as_they_lie_without_a_gap(case: int) -> None:
    """Drawn pieces of two regions: the first three are kept, the fourth is not, and the last of the file is short."""
    random, piece = Random(f"kept {case}"), remote_file.PIECE
    disk, opened = remote_file._Disk(), cast("remote_file._Remote", _OpenFile())
    disk._of_region = 6 * piece
    content = b"".join(bytes([number + 1]) * piece for number in range(11)) + b"z" * random.randrange(1, piece)
    kept = [0, 1, 2, *(number for number in range(4, 12) if random.randrange(3))]
    gaps = [number * piece for number in range(12) if number not in kept]
    for number in random.sample(kept, len(kept)):
        disk.put(opened, number, memoryview(content)[number * piece : (number + 1) * piece])
    places = [(0, 2 * piece), (1, 3 * piece), (piece - 1, 2), (0, 4 * piece)]
    places += [(random.randrange(len(content)), random.randrange(1, 8 * piece)) for _ in range(12)]
    for start, size in places:
        target = bytearray(size)
        stop = min(start + size, len(content), (start // (6 * piece) + 1) * 6 * piece)
        stop = min([stop, *(max(gap, start) for gap in gaps if gap + piece > start)])
        assert disk.get(opened, memoryview(target), start) == stop - start, (kept, start, size)
        assert target == content[start:stop] + bytes(size - (stop - start))
    disk.drop(opened)
