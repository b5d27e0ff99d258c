"""Binary search for a record in a trail file: records are written in commit order, so CSN and IO Time grow.

Searches by time skip metadata records: they have the time of their writing, which is later than that of the rows
around them (real 12.2 trail).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from trailformat.trail import command_files

if TYPE_CHECKING:
    from trailformat.records.record import Record
    from trailformat.trail.file import TrailFile

RecordTest = Callable[["Record"], bool | None]
"""True if a record is at or after the target; None if the record does not determine that."""

_NEAR = 1 << 16
"""Bytes up to which reading all records is faster than halving."""


def first_at_or_after(trail: TrailFile, moment: int, note: Callable[[int], object] = lambda _rba: None) -> int:
    """Return the RBA of the first row at or after ``moment`` (Julian microseconds), or the end of the file.

    ``note`` is called with RBAs before which there is no match.
    """
    row = first_that_passes(trail, is_at_or_after(moment), note)
    return row.rba if row is not None else trail.end_of_records()


def is_at_or_after(moment: int) -> RecordTest:
    """Return a test for a row at or after a time; None for a definition or a file header."""

    def passes(record: Record) -> bool | None:
        return None if record.is_file_header or record.is_metadata else record.header.io_time >= moment

    return passes


def first_that_passes(
    trail: TrailFile, passes: RecordTest, note: Callable[[int], object] = lambda _rba: None
) -> Record | None:
    """Return the first record at or after the target; assumes that times (CSNs) never decrease.

    ``note`` is called with RBAs before which there is no match.
    """
    low, high = trail.first_rba, trail.end_of_records()
    while high - low > _NEAR:
        _tell(trail, low, note)
        middle = (low + high) // 2
        record = _telling(trail, middle, high, passes)
        if record is None or passes(record):
            high = middle
        else:
            low = record.rba + record.length
    _tell(trail, low, note)
    record = _telling(trail, low, trail.size, passes)
    while record is not None and not passes(record):
        low = record.rba + record.length
        _tell(trail, low, note)
        record = _telling(trail, low, trail.size, passes)
    return record


def _tell(trail: TrailFile, rba: int, note: Callable[[int], object]) -> None:
    command_files.report(trail.path, rba)
    note(rba)


def _telling(trail: TrailFile, start: int, stop: int, passes: RecordTest) -> Record | None:
    """Return the first record between ``start`` and ``stop`` with a result of ``passes``, skipping damage."""
    for rba in trail.sound_rbas(start, stop):
        record = trail.record_at(rba)
        if record is not None and passes(record) is not None:
            return record
    return None
