"""Records of the usual form, many read together: what a reader of many rows takes in place of one at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailformat.codec.mapped_file import FileBytes
from trailformat.errors import TrailError
from trailformat.records.framing import usual_record
from trailformat.records.record import Record

if TYPE_CHECKING:
    from trailformat.trail.file import TrailFile

_TOGETHER = 1 << 16
"""Bytes that are read at a time: more than the longest record of the usual form."""


def usual_records(trail: TrailFile, rba: int, most: int) -> list[Record]:
    """The records of the usual form from ``rba`` on, one after another, as many as are near, at most so many.

    What is none of them ends the list, as do the end of the file and bytes that cannot be read: ``record_at`` says what
    is there. It never begins at 0, where a file header is.

    Raises:
        NotATrail: the file cannot be read any more.
    """
    size, source = trail.refresh(), trail.bytes
    if not 0 < rba < size or not isinstance(source, FileBytes):
        return []
    try:
        window = source.copy(rba, min(size, rba + _TOGETHER))
    except TrailError:
        return []
    order, path, at = trail.order, trail.path, 0
    records: list[Record] = []
    while len(records) < most and (usual := usual_record(window, at, order)) is not None:
        raw, places = usual
        records.append(Record(raw, rba=rba + at, order=order, path=path, places=places))
        at += len(raw)
    return records
