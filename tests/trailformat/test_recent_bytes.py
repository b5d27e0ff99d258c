"""The bytes that a scan has read last are those of the file, however they came, and as long as the file has them."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures import TRAILS
from trailformat import CannotRead, TrailFile
from trailformat.codec.mapped_file import RecentBytes, copied_regions

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
