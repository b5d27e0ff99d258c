"""The bytes that a scan has read last are those of the file, however they came, and as long as the file has them."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import TRAILS
from tests.searching import Random
from trailformat import CannotRead, TrailFile
from trailformat.codec import mapped_file
from trailformat.codec.mapped_file import FileBytes, FileContents, RecentBytes, copied_regions

DATA = (TRAILS / "et000000000").read_bytes()[:1000]
PLACES = st.lists(st.integers(0, len(DATA)), max_size=12).map(sorted)


def kept(bounds: list[int]) -> RecentBytes:
    recent = RecentBytes()
    for start, stop in pairwise(bounds):
        recent.add(start, memoryview(DATA)[start:stop])
    return recent


@given(PLACES, PLACES)
def test_ranges_come_as_one_range_does(read: list[int], wanted: list[int]) -> None:
    recent = kept(read)
    bounds = [region for region in pairwise(wanted) if region[0] < region[1]]
    single = [recent.copy(*region) for region in bounds]
    views = recent.views(bounds)
    assert (views is None) == (not bounds or None in single)
    assert [*map(bytes, views or [])] == [DATA[start:stop] for start, stop in bounds if views is not None]


def open_trail(folder: Path) -> TrailFile:
    path = folder / "tt000000000"
    path.write_bytes((TRAILS / "et000000000").read_bytes())
    trail = TrailFile(path)
    trail.keep_recent()
    trail.read_into(memoryview(bytearray(128)), 0)
    return trail


BOUNDS = [(3, 5), (7, 100), (101, 128)]


def test_the_size_of_the_file_is_checked_once_for_all_ranges(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    checks, status = list[int](), os.fstat

    def checked(file: int) -> os.stat_result:
        checks.append(file)
        return status(file)

    with open_trail(tmp_path) as trail:
        monkeypatch.setattr(os, "fstat", checked)
        assert copied_regions(trail.buffer, BOUNDS) == b"".join(DATA[start:stop] for start, stop in BOUNDS)
    assert len(checks) == 1


def test_ranges_that_are_not_kept_are_read(tmp_path: Path) -> None:
    with open_trail(tmp_path) as trail:
        assert copied_regions(trail.buffer, [(1, 2), (120, 140)]) == DATA[1:2] + DATA[120:140]


def test_kept_ranges_of_a_file_that_was_truncated_are_an_error(tmp_path: Path) -> None:
    with open_trail(tmp_path) as trail:
        os.truncate(trail.path, 120)
        with pytest.raises(CannotRead):
            copied_regions(trail.buffer, BOUNDS)


@pytest.mark.parametrize("seed", range(5))
def test_what_is_kept_is_one_range_whatever_is_added(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Ranges that adjoin it, overlap it, are in it or apart from it; parts of which the first are dropped."""
    random = Random(seed)
    data = random.randbytes(400)
    for most in (1, 30, 1000):
        monkeypatch.setattr(mapped_file, "MOST_RECENT", most)
        recent, ends, start, stop = RecentBytes(), [0], 0, 0
        for _ in range(40):
            begin = random.choice((start, stop, stop, stop, random.randrange(390)))
            end = min(400, begin + random.randrange(1, 25))
            recent.add(begin, memoryview(data)[begin:end])
            if not start <= begin <= stop:
                start = stop = begin
                ends = [begin]
            if end > stop:
                ends.append(stop := end)
            while stop - start > most and len(ends) > 2:
                del ends[0]
                start = ends[0]
            for first in range(max(start - 2, 0), stop + 1):
                for last in (first + 1, stop - 1, stop, stop + 1):
                    if last > first:
                        expected = data[first:last] if start <= first and last <= stop else None
                        assert recent.copy(first, last) == expected, (most, start, stop, first, last)


class _Counted(FileContents):
    """Contents of a file whose reads are counted."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.reads = 0
        self.recent = None

    def __len__(self) -> int:
        return len(self.data)

    def copy(self, start: int, stop: int) -> bytes:
        self.reads += 1
        return self.data[start:stop]

    def copy_to(self, target: int, start: int, stop: int) -> None:
        raise NotImplementedError

    def in_memory(self, start: int, stop: int) -> Any:
        raise NotImplementedError


def test_the_bytes_around_the_last_two_places_are_read_once() -> None:
    contents = _Counted(bytes(range(250)) * 1000)
    looked = FileBytes(contents, len(contents))
    for number in range(20):
        for place in (50_000, 150_000):
            assert looked[place + number] == contents.data[place + number]
    assert contents.reads == 2
    assert looked[220_000] == contents.data[220_000]
    assert looked[150_003:150_009] == contents.data[150_003:150_009]
    assert contents.reads == 3


@pytest.mark.parametrize(
    ("ranges", "barren"),
    [
        ([(10, 20), (20, 30)], (10, 30)),
        ([(20, 30), (10, 20)], (10, 30)),
        ([(10, 20), (15, 18)], (10, 20)),
        ([(10, 20), (5, 40)], (5, 40)),
        ([(10, 20), (21, 25)], (10, 20)),
        ([(10, 20), (21, 40), (0, 5)], (21, 40)),
        ([(10, 20), (40, 50), (20, 40)], (10, 40)),
    ],
)
def test_of_ranges_without_a_record_those_that_touch_are_one_and_the_longest_is_kept(
    ranges: list[tuple[int, int]], barren: tuple[int, int]
) -> None:
    looked = FileBytes(_Counted(bytes(100)), 100)
    for some in ranges:
        looked.note_barren(*some)
    assert looked.barren == barren
