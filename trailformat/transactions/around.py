"""From where to where a transaction reaches, found from any place in it: back, on, and over files.

    RBA 1811  first   begin
        2008  middle
        2722  last    last
        2980          after: the first RBA that holds nothing of it

What ends a transaction, and what stands inside without belonging to it: :mod:`trailformat.transactions.extents`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from trailformat.changes.transactions import TransactionRole, role_of
from trailformat.errors import BadRecord, NotATrail, PartialRecord, TrailError, refuse_denied
from trailformat.records.record import Record
from trailformat.scan import FILE_HEADER, scan
from trailformat.scan.nearby import NEARBY
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import Spot, next_file, previous_file
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.extent import Extent
from trailformat.transactions.extents import TransactionWalk
from trailformat.transactions.walk import ColumnWalk
from trailformat.transactions.whole_trail import FileBatch, TrailPosition


class Before(NamedTuple):
    """The beginning or end of a transaction before a place in one file; both None when the file holds neither.

    ``begin`` is the first record of the transaction that is open there; ``ended`` the RBA behind the last one's end.
    """

    begin: int | None = None
    ended: int | None = None


def extent_at(trail: TrailFile, rba: int) -> Extent | None:
    """The transaction that holds ``rba``, where a record begins, damage lies or the file ends; None between two.

    Other files of the trail are opened as far as it reaches into them.

    Raises:
        BadRecord: ``rba`` lies inside a record, or outside the file.
    """
    start = start_at(trail, rba)
    if start is None:
        return None
    walk = TransactionWalk(trail, start.spot, asked=Spot(trail.path, rba), missing=start.missing)
    extent = next((one for one in walk if isinstance(one, Extent)), None)
    is_another = extent is None or (extent.begin is not None and not start.is_begin)
    return None if is_another else extent


def check_reader_may_begin(trail: TrailFile, rba: int) -> None:
    """Check that no half-written record lies before a place at which a reader is to begin.

    Raises:
        BadRecord: one does: once it is whole, the place lies inside it.
    """
    end = trail.end_of_records()
    if end < rba <= trail.size and isinstance(trail.error_at(end), PartialRecord):
        raise BadRecord("position is inside an incomplete record", path=trail.path, rba=rba, expected=str(end))


class Start(NamedTuple):
    """The place to read a transaction from; whether its first record is there, and the earlier file that is missing."""

    spot: Spot
    is_begin: bool
    missing: Path | None = None


def start_at(trail: TrailFile, asked: int) -> Start | None:
    """The start of the transaction that holds the RBA ``asked``; None between two. Raises like extent_at."""
    before = look_back(trail, rba := _base_of_fragment(trail, asked))
    if _begins_at(trail, rba):
        return Start(Spot(trail.path, rba), is_begin=True)
    start = _start_before(trail, before)
    return start if start.is_begin or _goes_on_at(trail, rba) else None


def _start_before(trail: TrailFile, before: Before) -> Start:
    """The start of the transaction that is open after ``before``; without its beginning where its first rows may be.

    Files are gone back over as long as they hold neither a beginning nor an end.
    """
    first = Spot(trail.path, trail.first_rba)
    while True:
        if before.begin is not None:
            return Start(Spot(first.path, before.begin), is_begin=True)
        if before.ended is not None:
            return Start(Spot(first.path, before.ended), is_begin=False)
        earlier, missing = previous_file(first.path)
        if earlier is None:
            return Start(first, is_begin=False, missing=missing)
        try:
            with TrailFile(earlier) as file:
                before, begin = look_back(file, file.size), file.first_rba
        except NotATrail as error:
            refuse_denied(error)
            return Start(first, is_begin=False, missing=earlier)
        first = Spot(earlier, begin)


def _base_of_fragment(trail: TrailFile, rba: int) -> int:
    """The RBA of the record of which a fragment stands at ``rba``; ``rba`` itself for everything else."""
    try:
        record = trail.record_at(rba)
        while record is not None and (record.is_metadata or role_of(record) is TransactionRole.FRAGMENT):
            if record.is_metadata and record.rba == rba:
                break
            record = trail.record_before(record.rba)
    except TrailError:
        return rba
    return record.rba if record is not None else rba


def begins_transaction(record: Record) -> bool:
    """Whether this is the first record of a transaction."""
    return TransactionRole.BEGINS in role_of(record)


def _begins_at(trail: TrailFile, rba: int) -> bool:
    try:
        record = trail.record_at(rba)
    except TrailError:
        return False
    return record is not None and begins_transaction(record)


def _goes_on_at(trail: TrailFile, rba: int) -> bool:
    """Whether the next row, in this file or a later one, belongs to a transaction that began before it."""
    if (answer := _next_row_goes_on(trail, rba)) is not None:
        return answer
    following, _ = next_file(trail.path)
    while following is not None:
        try:
            with TrailFile(following) as file:
                answer = _next_row_goes_on(file, file.first_rba)
        except NotATrail:
            return False
        if answer is not None:
            return answer
        following, _ = next_file(following)
    return False


def _next_row_goes_on(trail: TrailFile, rba: int) -> bool | None:
    """The same of one file; None where no row and no restart comes in it."""
    for at in trail.sound_rbas(rba, trail.size):
        record = trail.record_at(at)
        role = role_of(record) if record is not None else TransactionRole.OUTSIDE
        if role is TransactionRole.RESTART:
            return False
        if role is not TransactionRole.OUTSIDE:
            return TransactionRole.BEGINS not in role
    return None


def look_back(trail: TrailFile, rba: int) -> Before:
    """The beginning or end before ``rba`` in its file: record by record where it is near, else by columns.

    Raises:
        BadRecord: ``rba`` lies inside a record, or outside the file.
    """
    if not 0 <= rba <= trail.size:
        raise BadRecord("position is outside the file", path=trail.path, rba=rba, expected=f"0 to {trail.size}")
    end = rba
    for _ in range(NEARBY):
        try:
            record = trail.record_before(end)
        except TrailError:
            break
        if record is None:
            return Before()
        role = role_of(record)
        if TransactionRole.ENDS in role or role is TransactionRole.RESTART:
            return Before(ended=end)
        if TransactionRole.BEGINS in role:
            return Before(begin=record.rba)
        end = record.rba
    return _look_back_by_columns(trail, rba)


def _look_back_by_columns(trail: TrailFile, rba: int) -> Before:
    walk, ended = ColumnWalk(), None
    for batch in scan(trail, 0, rba):
        found = walk.take(FileBatch(0, trail, batch, begins=False, breaks=False))
        ends = (found.after(found.rows - 1) if found.rows else None, *_restart_ends(found))
        ended = max((one.rba for one in ends if one is not None), default=ended)
        end = batch.end
        if end > rba and batch.kind[-1] <= FILE_HEADER:
            raise BadRecord(
                "position is inside a record", path=trail.path, rba=rba, expected=f"{int(batch.rba[-1])} or {end}"
            )
    begin, after = walk.open_places
    if begin is not None and after is None:
        return Before(begin=begin.rba)
    return Before(ended=after.rba if after is not None else ended)


def _restart_ends(batch: TransactionBatch) -> Iterator[TrailPosition]:
    return (TrailPosition(0, mark.after) for mark in batch.marks if mark.is_restart)
