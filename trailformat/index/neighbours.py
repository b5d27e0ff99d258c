"""The records around a place where none starts."""

from __future__ import annotations

from typing import NamedTuple

from trailformat.errors import PartialRecord, TrailError
from trailformat.index.trail_index import known_index
from trailformat.scan.batch import BAD_SPAN
from trailformat.trail.file import TrailFile

_FAR = 32 << 20
"""Bytes to either side that are searched at most beyond the index."""


class Neighbours(NamedTuple):
    """The records before and after a place: their RBAs, None if none was found.

    ``is_inside`` is True if the place is inside the record that starts before it.
    """

    before: int | None
    after: int | None
    is_inside: bool = False


def neighbours_of(trail: TrailFile, rba: int, *, backwards: bool = False) -> Neighbours | None:
    """The records around ``rba``; None if reading can continue from there.

    That is where a record starts, even a half-written one, or the file ends; reading ``backwards`` also where a record
    ends. What the index does not cover is searched for records, 32 MB to either side.

    Raises:
        NotATrail: the file can no longer be read.
    """
    size = trail.size
    if rba > size:
        return Neighbours(_before(trail, size), None)
    if _starts(trail, rba) or (backwards and _ends(trail, rba)):
        return None
    index = known_index(trail)
    row = index.places.row_at(trail, rba) if index is not None and index.fits(trail) else None
    if row is None:
        return _found(trail, rba)
    end = row.rba + row.length
    if row.kind == BAD_SPAN:
        return Neighbours(_before(trail, row.rba), end if end < size else None)
    return Neighbours(row.rba, _after(trail, end), is_inside=True)


def _starts(trail: TrailFile, rba: int) -> bool:
    error = trail.error_at(rba)
    return error is None or isinstance(error, PartialRecord)


def _ends(trail: TrailFile, rba: int) -> bool:
    try:
        trail.record_before(rba)
    except TrailError:
        return False
    return True


def _found(trail: TrailFile, rba: int) -> Neighbours:
    """Return the records before and after a place by searching the bytes around it."""
    before = _before(trail, rba)
    if before is not None and (end := before + trail.record_length(before)) > rba:
        return Neighbours(before, _after(trail, end), is_inside=True)
    return Neighbours(before, trail.next_good_header(rba, _FAR))


def _before(trail: TrailFile, rba: int) -> int | None:
    return trail.previous_good_header(rba, _FAR)


def _after(trail: TrailFile, rba: int) -> int | None:
    return trail.next_good_header(rba, _FAR)
