"""Finding a time in a trail by halving: records are written in the order of their commits, so IO Time grows.

Metadata records are passed over: they carry the time of their writing, which is later than that of the rows around them
(real 12.2 trail).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from trailformat.record import Record
    from trailformat.trail_file import TrailFile

_NEAR = 1 << 16
"""Bytes below which reading on beats halving."""


def first_at_or_after(trail: TrailFile, moment: int) -> int:
    """The RBA of the first row at or after ``moment`` (Julian microseconds); the end of the file when there is none."""
    low, high = trail.first_rba, trail.end_of_records()
    while high - low > _NEAR:
        middle = (low + high) // 2
        row = _row_from(trail, middle, high)
        if row is None or row.header.io_time >= moment:
            high = middle
        else:
            low = row.rba + row.length
    row = _row_from(trail, low, trail.size)
    while row is not None and row.header.io_time < moment:
        row = _row_from(trail, row.rba + row.length, trail.size)
    return row.rba if row is not None else trail.end_of_records()


def _row_from(trail: TrailFile, start: int, stop: int) -> Record | None:
    """The first row that starts between ``start`` and ``stop``, damage stepped over."""
    for rba in trail.sound_rbas(start, stop):
        record = trail.record_at(rba)
        if record is not None and not record.is_file_header and not record.is_metadata:
            return record
    return None
