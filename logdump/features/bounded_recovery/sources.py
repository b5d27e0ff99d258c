"""Sources in a trail for the begin times of its transactions and the times of their operations."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.features.bounded_recovery.begins import GivenBegin
from logdump.features.bounded_recovery.checkpoints import TimedOperation
from logdump.features.bounded_recovery.model import BeginSource, TransactionInterval
from logdump.session.errors import CommandError
from trailformat.records.io_types import NOT_TRANSACTIONAL
from trailformat.scan import RECORD, Batch, scan
from trailformat.transactions.extent import Extent, Moment
from trailformat.transactions.redo_clock import RedoClock, RedoPlace
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_SECOND = 1_000_000
_BESIDE, _MOST_ROWS = 4, 4096
"""Rows that are read beside the records of a transaction, and the most at a time."""


def place_of(moment: Moment) -> RedoPlace | None:
    """The redo position of a record; None where it has none."""
    place = RedoPlace(moment.audit_rba, moment.audit_pos)
    return place if any(place) else None


def began(extent: Extent, given: GivenBegin | None, clock: RedoClock | None) -> TransactionInterval:
    """A whole transaction with the bounds of its begin.

    Raises:
        CommandError: the file of begins has it begin after its commit.
    """
    first, last = extent.first_moment, extent.last_moment
    place = place_of(first)
    low, high, source = _bounds(extent, place, clock)
    if given is not None:
        if given.begin >= last.time + _SECOND:
            raise CommandError(f"BEGINS, line {given.line}: {given.xid} begins after its commit in the trail.")
        low = high = min(given.begin, last.time)
        source = BeginSource.GIVEN
    csn, xid = extent.transaction
    last_place = max(place, place_of(last) or place) if place is not None else None
    size = extent.records, extent.size
    return TransactionInterval(
        csn, xid, low, high, source, last.time, place, last_place, extent.begin, *size, extent.last
    )


def _bounds(extent: Extent, place: RedoPlace | None, clock: RedoClock | None) -> tuple[int | None, int, BeginSource]:
    first, commit = extent.first_moment.time, extent.last_moment.time
    clocked = clock.latest(place) if clock is not None and place is not None else None
    low = clock.earliest(place) if clock is not None and place is not None else None
    if not extent.has_one_time:
        high = min(first, commit)
        return (min(low, high) if low is not None else None), high, BeginSource.OPERATIONS
    if clocked is None:
        return None, commit, BeginSource.NONE
    high = min(clocked, commit)
    return (min(low, high) if low is not None else None), high, BeginSource.REDO_CLOCK


def operations_of(whole: WholeTrail, extent: Extent, clock: RedoClock | None) -> Iterator[TimedOperation] | None:
    """Return the operations of a whole transaction, None if neither their times nor the redo clock dates them."""
    if extent.begin is None or extent.after is None or (extent.has_one_time and clock is None):
        return None
    return _operations(whole, extent, clock if extent.has_one_time else None)


def _operations(whole: WholeTrail, extent: Extent, clock: RedoClock | None) -> Iterator[TimedOperation]:
    begin, after = (TrailPosition(whole.ordinals[spot.path], spot.rba) for spot in (extent.begin, extent.after) if spot)
    few = min(extent.records + _BESIDE, _MOST_ROWS)
    for ordinal in range(begin.ordinal, after.ordinal + 1):
        trail = whole.open(ordinal)
        if trail is None:
            return
        with trail:
            start = begin.rba if ordinal == begin.ordinal else 0
            for batch in scan(trail, start, batch_size=few):
                for row in range(len(batch)):
                    if (ordinal, int(batch.rba[row])) >= after:
                        return
                    if int(batch.kind[row]) == RECORD and int(batch.io_type[row]) not in NOT_TRANSACTIONAL:
                        yield from _operation(batch, row, clock)


def _operation(batch: Batch, row: int, clock: RedoClock | None) -> Iterator[TimedOperation]:
    time: int | None = int(batch.io_time[row])
    if clock is not None:
        time = clock.latest(RedoPlace(int(batch.audit_rba[row]), int(batch.audit_pos[row])))
    if time is not None:
        yield TimedOperation(time, int(batch.length[row]))
