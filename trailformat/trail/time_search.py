"""Finding a place in a trail by halving: records are written in the order of their commits, so CSN and IO Time grow.

Metadata records are passed over by time: they carry the time of their writing, which is later than that of the rows
around them (real 12.2 trail).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from trailformat.records import reached as reading

if TYPE_CHECKING:
    from trailformat.records.record import Record
    from trailformat.trail.file import TrailFile

Reached = Callable[["Record"], bool | None]
"""Whether what is sought is reached with a record; None when the record does not tell."""

_NEAR = 1 << 16
"""Bytes below which reading on beats halving."""


def first_at_or_after(trail: TrailFile, moment: int, note: Callable[[int], object] = lambda _rba: None) -> int:
    """The RBA of the first row at or after ``moment`` (Julian microseconds); the end of the file when there is none.

    ``note`` takes RBAs before which it does not stand.
    """
    row = first_reached(trail, time_reached(moment), note)
    return row.rba if row is not None else trail.end_of_records()


def time_reached(moment: int) -> Reached:
    """Whether a row is at or after a time; a definition or a file header does not tell."""

    def reached(record: Record) -> bool | None:
        return None if record.is_file_header or record.is_metadata else record.header.io_time >= moment

    return reached


def first_reached(
    trail: TrailFile, reached: Reached, note: Callable[[int], object] = lambda _rba: None
) -> Record | None:
    """The first record with which what is sought is reached, where all records after it that tell say so too.

    ``note`` takes RBAs before which it does not stand.
    """
    low, high = trail.first_rba, trail.end_of_records()
    while high - low > _NEAR:
        _tell(trail, low, note)
        middle = (low + high) // 2
        record = _telling(trail, middle, high, reached)
        if record is None or reached(record):
            high = middle
        else:
            low = record.rba + record.length
    _tell(trail, low, note)
    record = _telling(trail, low, trail.size, reached)
    while record is not None and not reached(record):
        low = record.rba + record.length
        _tell(trail, low, note)
        record = _telling(trail, low, trail.size, reached)
    return record


def _tell(trail: TrailFile, rba: int, note: Callable[[int], object]) -> None:
    reading.report(trail.path, rba)
    note(rba)


def _telling(trail: TrailFile, start: int, stop: int, reached: Reached) -> Record | None:
    """The first record that tells and starts between ``start`` and ``stop``, damage stepped over."""
    for rba in trail.sound_rbas(start, stop):
        record = trail.record_at(rba)
        if record is not None and reached(record) is not None:
            return record
    return None
