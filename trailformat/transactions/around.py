"""The extent of a transaction, found from any position in it: backwards, forwards, and over files.

    RBA 1811  first   begin
        2008  middle
        2722  last    last
        2980          after: the first RBA after it

The walk forwards is that of :mod:`trailformat.transactions.extents`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from trailformat.changes.transaction_context import Stop, WayBack
from trailformat.changes.transactions import TransactionRole, is_transactional, role_of
from trailformat.errors import BadRecord, NotATrail, PartialRecord, TrailError, refuse_denied
from trailformat.records.record import Record
from trailformat.scan import FILE_HEADER, scan
from trailformat.scan.position import NEARBY
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import FilePosition, previous_file
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.extent import Damage, Extent
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.walk import ColumnWalk
from trailformat.transactions.whole_trail import FileBatch, TrailPosition


class Before(NamedTuple):
    """The begin or end of a transaction before an RBA in one file; both None if the file has neither.

    ``begin`` is the RBA of the first record of the transaction that is open there; ``ended`` the end of the last one.
    """

    begin: int | None = None
    ended: int | None = None


def extent_at(trail: TrailFile, rba: int) -> Extent | None:
    """Return the transaction at ``rba``, the RBA of a record, of damage or of the end of the file; None between two.

    Other files of the trail are opened as far as the transaction extends into them.

    Raises:
        BadRecord: ``rba`` is inside a record or outside the file.
    """
    start = start_at(trail, rba)
    walk = TransactionWalk(trail, start.position, asked=FilePosition(trail.path, rba), missing=start.missing)
    extent = next((item for item in walk if not isinstance(item, Damage)), None)
    return extent if isinstance(extent, Extent) and start.holds(extent) else None


def begins_with_a_transaction(trail: TrailFile) -> bool:
    """Return True if no transaction of an earlier file continues in this one; False if damage hides that."""
    try:
        first = next(filter(is_transactional, trail.records()), None)
    except TrailError:
        return False
    return first is None or TransactionRole.BEGINS in role_of(first)


def check_reader_may_begin(trail: TrailFile, rba: int) -> None:
    """Check that no incomplete record is before an RBA at which a reader is to begin.

    Raises:
        BadRecord: one is: once it is complete, the RBA will be inside it.
    """
    end = trail.end_of_records()
    if end < rba <= trail.size and isinstance(trail.error_at(end), PartialRecord):
        raise BadRecord("position is inside an incomplete record", path=trail.path, rba=rba, expected=str(end))


class Start(NamedTuple):
    """The position to read from to find the transaction that is open at another position, if one is.

    Attributes:
        position: the first record of that transaction, or a position before all of its existing records.
        is_begin: True if it is the first record.
        missing: the earlier file that is missing; None without one.
    """

    position: FilePosition
    is_begin: bool
    missing: Path | None = None

    def holds(self, extent: Extent) -> bool:
        """Return True if the first transaction found from there is the open one."""
        return self.is_begin or extent.begin is None


def start_at(trail: TrailFile, rba: int) -> Start:
    """Return the start of the transaction that is open at ``rba``, an RBA. Raises like extent_at."""
    role = _role_at(trail, rba)
    if TransactionRole.BEGINS in role:
        return Start(FilePosition(trail.path, rba), is_begin=True)
    return _start_before(trail, _look_back(trail, rba, is_fragment=role is TransactionRole.FRAGMENT))


def _role_at(trail: TrailFile, rba: int) -> TransactionRole:
    """Return the role of the record at an RBA; OUTSIDE if none can be read."""
    with suppress(TrailError):
        if (record := trail.record_at(rba)) is not None:
            return role_of(record)
    return TransactionRole.OUTSIDE


def _start_before(trail: TrailFile, before: Before) -> Start:
    """Return the start of the transaction that is open after ``before``; if its begin is lost, a start before its rows.

    Goes back over the files that have neither a begin nor an end.
    """
    first = FilePosition(trail.path, trail.first_rba)
    while True:
        if before.begin is not None:
            return Start(FilePosition(first.path, before.begin), is_begin=True)
        if before.ended is not None:
            return Start(FilePosition(first.path, before.ended), is_begin=False)
        earlier, missing = previous_file(first.path)
        if earlier is None:
            return Start(first, is_begin=False, missing=missing)
        try:
            with TrailFile(earlier) as file:
                before, begin = _look_back(file, file.size), file.first_rba
        except NotATrail as error:
            refuse_denied(error)
            return Start(first, is_begin=False, missing=earlier)
        first = FilePosition(earlier, begin)


def begins_transaction(record: Record) -> bool:
    """Return True if a record is the first of a transaction."""
    return TransactionRole.BEGINS in role_of(record)


def ends_transaction(record: Record) -> bool:
    """Return True if a record is the last of a transaction."""
    return TransactionRole.ENDS in role_of(record)


def _look_back(trail: TrailFile, rba: int, *, is_fragment: bool = False) -> Before:
    """Return the begin or end before ``rba`` in its file: record by record for NEARBY records, then by columns.

    Raises:
        BadRecord: ``rba`` is inside a record or outside the file.
    """
    if not 0 <= rba <= trail.size:
        raise BadRecord("position is outside the file", path=trail.path, rba=rba, expected=f"0 to {trail.size}")
    way = WayBack(trail.bytes, rba, trail.order, is_fragment=is_fragment)
    for _ in range(NEARBY):
        stop = way.step()
        if stop is Stop.DAMAGE:
            break
        if stop is not None:
            return Before(way.rba if stop is Stop.BEGIN else None, way.rba if stop is Stop.CLOSED else None)
    return _look_back_by_columns(trail, rba, is_fragment=is_fragment)


def _look_back_by_columns(trail: TrailFile, rba: int, *, is_fragment: bool) -> Before:
    walk, ended = ColumnWalk(), None
    for batch in scan(trail, 0, rba):
        transactions = walk.take(FileBatch(0, trail, batch, begins=False, breaks=False))
        ends = (transactions.after(transactions.rows - 1) if transactions.rows else None, *_restart_ends(transactions))
        ended = max((place.rba for place in ends if place is not None), default=ended)
        end = batch.end
        if end > rba and batch.kind[-1] <= FILE_HEADER:
            raise BadRecord(
                "position is inside a record", path=trail.path, rba=rba, expected=f"{int(batch.rba[-1])} or {end}"
            )
    begin, after = walk.open_places
    if begin is not None and (after is None or is_fragment):
        return Before(begin=begin.rba)
    return Before(ended=after.rba if after is not None else ended)


def _restart_ends(batch: TransactionBatch) -> Iterator[TrailPosition]:
    return (TrailPosition(0, mark.after) for mark in batch.marks if mark.is_restart)
