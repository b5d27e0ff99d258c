"""What stands around a place is what a walk over the file says, by the index and without it."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from fixtures import TRAILS
from tests.trailformat.index.reference import walked
from tests.trailformat.samples import row, trail_of
from trailformat import TrailFile
from trailformat.index import BAD_SPAN, IndexRow, Neighbours, build, index_of
from trailformat.index.trail_index import neighbours_of

SOUND = TRAILS / "et000000000"
DAMAGED = TRAILS / "gt000000000"


def expected(rows: list[IndexRow], rba: int) -> Neighbours | None:
    """By the rows of the walk."""
    sound = [one for one in rows if one.kind != BAD_SPAN]
    if rba == rows[-1].rba + rows[-1].length or any(one.rba == rba for one in sound):
        return None
    before = next((one for one in reversed(sound) if one.rba < rba), None)
    after = next((one.rba for one in sound if one.rba > rba), None)
    is_inside = before is not None and rba < before.rba + before.length
    return Neighbours(before.rba if before else None, after, is_inside=is_inside)


def places(last: int, rows: list[IndexRow]) -> list[int]:
    """Every seventh byte, and those beside the boundaries."""
    beside = {one.rba + step for one in rows for step in (-2, -1, 0, 1, 2, 47)}
    return sorted({*range(0, last + 1, 7), *(rba for rba in beside if 0 <= rba <= last)})


@pytest.mark.parametrize("by_index", [True, False], ids=["index", "bytes"])
@pytest.mark.parametrize("path", [SOUND, DAMAGED], ids=lambda path: path.name)
def test_every_byte_has_the_neighbours_of_the_walk(path: Path, *, by_index: bool) -> None:
    rows = walked(path)
    with TrailFile(path) as trail:
        for _ in build(trail, index_of(trail)) if by_index else ():
            pass
        wrong = [rba for rba in places(trail.size, rows) if neighbours_of(trail, rba) != expected(rows, rba)]
    assert wrong == []


def test_behind_the_end_the_last_record_stands_before() -> None:
    with TrailFile(SOUND) as trail:
        last = walked(SOUND)[-1].rba
        assert neighbours_of(trail, trail.size + 1) == neighbours_of(trail, 1 << 62) == Neighbours(last, None)


def test_backwards_a_place_will_do_where_a_record_ends_or_starts() -> None:
    rows = walked(DAMAGED)
    ends = {b.rba for a, b in pairwise(rows) if a.kind != BAD_SPAN}
    starts = {one.rba for one in rows if one.kind != BAD_SPAN}
    with TrailFile(DAMAGED) as trail:
        will_do = {rba for rba in places(trail.size - 1, rows) if neighbours_of(trail, rba, backwards=True) is None}
    assert will_do == ends | starts


def test_a_record_that_is_half_written_is_there(tmp_path: Path) -> None:
    path = trail_of(tmp_path, row(), row())
    whole = path.read_bytes()
    path.write_bytes(whole[:-20])
    with TrailFile(path) as trail:
        start = walked(path)[-1].rba + walked(path)[-1].length
        assert neighbours_of(trail, start) is None
        assert neighbours_of(trail, start + 1) == Neighbours(walked(path)[-1].rba, None)


def test_a_long_way_is_not_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trailformat.index.trail_index._FAR", 40)
    with TrailFile(DAMAGED) as trail:
        assert neighbours_of(trail, 3600) == Neighbours(None, 3631)
        assert index_of(trail).places.records == 0
