"""The transactions of a trail that a Replicat does not apply, as ranges of RBAs in its files and as rows of a batch."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from trailformat.records.record_header import NOT_TRANSACTIONAL
from trailformat.scan import RECORD, Batch, Workers
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.applied import AppliedTransactions
from trailformat.transactions.batches import LAST, TransactionBatch
from trailformat.transactions.extent import Extent
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import FIRST_PLACE, TrailPosition, WholeTrail

END_OF_FILE = (1 << 63) - 1
MOST_TOLD = 10_000
"""Maximum number of copies whose first occurrence is remembered."""
NO_ROW = -1
"""In place of an ending: the row is not a record of a transaction."""


class Ranges(NamedTuple):
    """Ranges of RBAs in one file, ascending, whose transactions are not applied.

    Attributes:
        starts, stops: the first RBA of each range, and the first RBA after it.
        endings: the ending of the transactions of each range, an index into ENDINGS; it may be LAST for copies, for
            transactions after damage and for those without a begin.
    """

    starts: array[int]
    stops: array[int]
    endings: array[int]

    def hold(self, rba: int) -> bool:
        """Return True if an RBA is in one of the ranges."""
        index = bisect_right(self.starts, rba) - 1
        return index >= 0 and rba < self.stops[index]

    def within(self, start: int, stop: int) -> Ranges:
        """Return the ranges that overlap the RBAs from ``start`` to before ``stop``."""
        first, end = bisect_right(self.stops, start), bisect_left(self.starts, stop)
        return Ranges(*(column[first:end] for column in self))

    def add(self, start: int, stop: int, ending: int) -> None:
        """Append a range, which must be after the others."""
        for column, value in zip(self, (start, stop, ending), strict=True):
            column.append(value)


def no_ranges() -> Ranges:
    """Return empty ranges."""
    return Ranges(array("q"), array("q"), array("b"))


class _Run(NamedTuple):
    """Consecutive transactions, not applied, with the same ending; ``end`` is None while the last one is open."""

    start: TrailPosition
    end: TrailPosition | None
    ending: int


class NotAppliedRanges:
    """The ranges of a trail whose transactions are given in order; consecutive ones with the same ending are one range.

    So a file of copies is one range.

    Args:
        whole: the trail.
        past_damage: True if transactions after damage can be applied, as by a Replicat positioned after it.

    Attributes:
        judge: decides which transactions are applied.
    """

    def __init__(self, whole: WholeTrail, *, past_damage: bool = False) -> None:
        self._whole = whole
        self._ranges: dict[int, Ranges] = {}
        self._run: _Run | None = None
        self._firsts: dict[TrailPosition, TrailPosition] = {}
        self.judge = AppliedTransactions(whole, past_damage=past_damage)
        self._walked_to = TrailPosition(-1, 0)

    def take(self, batch: TransactionBatch) -> None:
        """Add the next transactions."""
        verdict = self.judge.judge(batch)
        for row, first in verdict.copies.items():
            if len(self._firsts) < MOST_TOLD:
                self._firsts[batch.first(row)] = first
        before = -1
        for row in verdict.not_applied:
            ending = int(batch.columns.endings[row])
            if row != before + 1:
                self._end_run(batch.first(before + 1))
            elif self._run is not None and self._run.ending != ending:
                self._end_run(batch.first(row))
            self._run = _Run(self._run.start if self._run else batch.first(row), batch.after(row), ending)
            before = row
        if before != batch.rows - 1:
            self._end_run(batch.first(before + 1))
        if batch.rows:
            self._walked_to = batch.first(batch.rows - 1)

    def pop_ranges(self, stop: TrailPosition) -> dict[int, Ranges]:
        """Return and forget the ranges up to a position where no transaction is open, by the ordinal of the file."""
        self._end_run(stop)
        ranges, self._ranges = self._ranges, {}
        return ranges

    def _end_run(self, following: TrailPosition) -> None:
        """Add the run of transactions that are not applied as ranges, from its first record to after its last.

        A run whose last transaction never ended, before a missing file, extends to the next transaction.
        """
        if self._run is None:
            return
        (start, end, ending), self._run = self._run, None
        after = following if end is None else end
        for ordinal in range(start.ordinal, min(after.ordinal, len(self._whole) - 1) + 1):
            begin = start.rba if ordinal == start.ordinal else 0
            stop = after.rba if ordinal == after.ordinal else END_OF_FILE
            self._ranges.setdefault(ordinal, no_ranges()).add(begin, stop, ending)


class NotApplied(NotAppliedRanges):
    """The ranges of a whole trail, found by one pass that reads as far as each query requires.

    Args:
        whole: the trail.
        workers: the threads for the pass.
        past_damage: see NotAppliedRanges.
        walked: True if the caller makes the pass and gives all batches to ``take`` before the first query.

    Attributes:
        is_broken: True if an error or an interrupt has ended the pass: queries have no valid answer any more.
    """

    def __init__(
        self, whole: WholeTrail, workers: Workers | None = None, *, past_damage: bool = False, walked: bool = False
    ) -> None:
        super().__init__(whole, past_damage=past_damage)
        self._batches = iter(()) if walked else transaction_batches(whole, FIRST_PLACE, workers)
        self.is_broken = False

    def of(self, path: Path) -> Ranges:
        """Return the ranges of a file."""
        while self._goes_on():
            pass
        self._end_run(TrailPosition(len(self._whole), 0))
        return self._ranges.get(self._whole.ordinals.get(path, -1), no_ranges())

    def applies(self, extent: Extent) -> bool:
        """Return True if a Replicat applies a transaction: it is whole and not in the ranges.

        A whole transaction in a run that was open at the end of the pass is applied too: it was completed since.
        """
        if extent.begin is None or not extent.is_whole:
            return False
        if not self.holds(extent.begin):
            return True
        place, run = TrailPosition(self._whole.ordinals[extent.begin.path], extent.begin.rba), self._run
        return run is not None and run.end is None and run.start <= place

    def applied_among(self, path: Path, begins: Any) -> int:
        """Return how many of the whole transactions that begin at ascending RBAs of a file ``applies`` is True for."""
        is_not_applied = self.are_not_applied(path, begins)
        if self._run is not None and self._run.end is None:
            is_not_applied &= begins < _rba_in(self._whole.ordinals[path], self._run.start)
        return int(np.count_nonzero(~is_not_applied))

    def are_not_applied(self, path: Path, begins: Any) -> Any:
        """Return for each of the transactions that begin at ascending RBAs of a file what ``holds`` returns."""
        ordinal = self._whole.ordinals.get(path)
        if ordinal is None or not len(begins):
            return np.zeros(len(begins), bool)
        self._reach(TrailPosition(ordinal, int(begins[-1])))
        is_not_applied = _number_in(self._ranges.get(ordinal, no_ranges()), begins) >= 0
        if self._run is not None:
            start, end, _ = self._run
            is_inside = begins >= _rba_in(ordinal, start)
            is_not_applied |= is_inside if end is None else is_inside & (begins < _rba_in(ordinal, end))
        return is_not_applied

    def holds(self, position: FilePosition) -> bool:
        """Return True if the transaction that begins at a position is not applied; reads the trail up to there."""
        return bool(self.are_not_applied(position.path, np.array([position.rba]))[0])

    def is_after_damage(self, position: FilePosition) -> bool:
        """Return True if a position is after the first damage, where a Replicat abends; reads the trail up to there."""
        ordinal = self._whole.ordinals.get(position.path)
        if ordinal is None:
            return False
        place = TrailPosition(ordinal, position.rba)
        self._reach(place)
        return self.judge.is_after_damage(place)

    def first_copy(self, position: FilePosition) -> FilePosition | None:
        """Return the first whole occurrence of the copy that begins at a position; None if not known."""
        first = self._firsts.get(TrailPosition(self._whole.ordinals.get(position.path, -1), position.rba))
        return FilePosition(self._whole.paths[first.ordinal], first.rba) if first is not None else None

    def _reach(self, place: TrailPosition) -> None:
        """Read the trail up to the transaction at a position."""
        while self._walked_to < place and self._goes_on():
            pass

    def _goes_on(self) -> bool:
        """Read the next batch; return False at the end."""
        try:
            batch = next(self._batches, None)
            if batch is not None:
                self.take(batch)
        except BaseException:
            self.is_broken = True
            raise
        return batch is not None


def is_last_at(ranges: Ranges, rba: int) -> bool:
    """Return True if the transaction at an RBA in the ranges has its last record."""
    return ranges.endings[bisect_right(ranges.starts, rba) - 1] == LAST


def rows_not_applied(ranges: Ranges, batch: Batch, rows: Any = slice(None)) -> Any:
    """Return a mask of the transaction rows in these ranges of the batch's file, for all rows or those given."""
    return _are_rows(batch, rows) & (_range_of(ranges, batch, rows) >= 0)


def endings_of_rows(ranges: Ranges, batch: Batch, rows: Any) -> Any:
    """Return the ending of each row's transaction, an index into ENDINGS; LAST outside the ranges, or NO_ROW."""
    endings = np.append(np.frombuffer(ranges.endings, np.int8), np.int8(LAST))[_range_of(ranges, batch, rows)]
    return np.where(_are_rows(batch, rows), endings, NO_ROW)


def _are_rows(batch: Batch, rows: Any) -> Any:
    is_outside = np.isin(np.asarray(batch.io_type)[rows], list(NOT_TRANSACTIONAL))
    return (np.asarray(batch.kind)[rows] == RECORD) & ~is_outside


def _range_of(ranges: Ranges, batch: Batch, rows: Any) -> Any:
    """Return the number of the range of each row; -1 if it is in none."""
    return _number_in(ranges, np.asarray(batch.rba)[rows])


def _number_in(ranges: Ranges, rbas: Any) -> Any:
    """Return the number of the range in which each RBA is; -1 if it is in none."""
    starts, stops = (np.frombuffer(bounds, np.int64) for bounds in (ranges.starts, ranges.stops))
    number = np.searchsorted(starts, rbas, "right") - 1
    return np.where(rbas < np.append(stops, -1)[number], number, -1)


def _rba_in(ordinal: int, place: TrailPosition) -> int:
    """Return the RBA of a position in the file with this ordinal; 0 if it is in an earlier file, else END_OF_FILE."""
    if place.ordinal == ordinal:
        return place.rba
    return 0 if place.ordinal < ordinal else END_OF_FILE
