"""Which records stand around a place where none starts."""

from __future__ import annotations

from typing import NamedTuple

from trailformat.errors import PartialRecord, TrailError
from trailformat.index.building import reach
from trailformat.scan.batch import BAD_SPAN
from trailformat.trail.file import TrailFile

_FAR = 32 << 20
"""So many bytes to either side are searched at most where the index does not tell."""


class Neighbours(NamedTuple):
    """The records before and after a place: their RBAs, None where none was found.

    ``is_inside`` when the place lies in the record that starts before it.
    """

    before: int | None
    after: int | None
    is_inside: bool = False


def neighbours_of(trail: TrailFile, rba: int, *, backwards: bool = False) -> Neighbours | None:
    """What stands around ``rba``; None where reading can go on from there.

    That is where a record starts, be it only half written yet, or the file ends; reading ``backwards`` also where a
    record ends. The index tells as far as it reaches at once; beyond it 32 MB to either side are searched.

    Raises:
        NotATrail: the file cannot be read any more.
    """
    size = trail.size
    if rba > size:
        return Neighbours(_before(trail, size), None)
    if _starts(trail, rba) or (backwards and _ends(trail, rba)):
        return None
    places = reach(trail, rba + 1, at_once=True)
    row = places.row_at(trail, rba) if places is not None else None
    if row is None:
        return _found(trail, rba)
    end = row.rba + row.length
    if row.kind == BAD_SPAN:
        return Neighbours(_before(trail, row.rba), end if end < size else None)
    return Neighbours(row.rba, _after(trail, end), is_inside=True)


def _starts(trail: TrailFile, rba: int) -> bool:
    try:
        trail.record_length(rba)
    except PartialRecord:
        return True
    except TrailError:
        return False
    return True


def _ends(trail: TrailFile, rba: int) -> bool:
    try:
        trail.record_before(rba)
    except TrailError:
        return False
    return True


def _found(trail: TrailFile, rba: int) -> Neighbours:
    """The same by the bytes around the place."""
    before = _before(trail, rba)
    if before is not None and (end := before + trail.record_length(before)) > rba:
        return Neighbours(before, _after(trail, end), is_inside=True)
    return Neighbours(before, trail.next_good_header(rba, _FAR))


def _before(trail: TrailFile, rba: int) -> int | None:
    return trail.previous_good_header(rba, _FAR)


def _after(trail: TrailFile, rba: int) -> int | None:
    return trail.next_good_header(rba, _FAR)
