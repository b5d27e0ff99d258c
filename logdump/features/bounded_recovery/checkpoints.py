"""BrCheckpoints of Bounded Recovery, and what is open at each, reckoned from begins and ends.

    C_k = first + k * interval
    open at C_k            begin <= C_k < end
    persisted at C_k       open, and begin < C_k - interval: for more than an interval
    restart of C_k         the least begin of the others that are open; C_k itself without one
    dirty at C_k           persisted before, with an operation in (C_k-1, C_k]: written anew

A transaction is added once, in any order, in a time that does not depend on how many checkpoints it is open at: what is
kept are the changes of sums from one checkpoint to the next, and the least begin at each.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from logdump.features.bounded_recovery.model import BrIntervalShown, CheckpointShown, RedoStart, TransactionInterval
from trailformat.transactions.redo_clock import RedoPlace

MOST_CHECKPOINTS = 50_000


class TimedOperation(NamedTuple):
    """The moment by which an operation was done, and its bytes."""

    time: int
    size: int


class _Sums(NamedTuple):
    """Counts and bytes of the transactions at one checkpoint."""

    open: int
    persisted: int
    dirty: int
    size: int


class BrCheckpoints:
    """The checkpoints from ``first`` to ``last``, every ``interval`` microseconds.

    Attributes:
        count: how many there are.
        ever: transactions that were persisted at any.
    """

    def __init__(self, first: int, interval: int, last: int) -> None:
        self.first, self.interval, self.last = first, interval, last
        self.count = max(0, (last - first) // interval + 1)
        self.ever = 0
        self._steps: tuple[Counter[int], Counter[int], Counter[int]] = Counter(), Counter(), Counter()
        """By how much the numbers of those open and persisted and their bytes change at a checkpoint."""
        self._dirty: Counter[int] = Counter()
        self._written = 0
        self._oldest: dict[int, TransactionInterval] = {}
        self._ends: dict[int, RedoPlace] = {}

    def _at_or_after(self, time: int) -> int:
        """The number of the first checkpoint that is not before a moment."""
        return -((self.first - time) // self.interval)

    def time(self, number: int) -> int:
        """Return the time of a checkpoint."""
        return self.first + number * self.interval

    def is_persisted(self, one: TransactionInterval) -> bool:
        """Return True if any checkpoint writes the transaction to disk."""
        return self.persisted_from(one) is not None

    def persisted_from(self, one: TransactionInterval) -> int | None:
        """The moment of the first checkpoint that writes a transaction to disk; None where none does."""
        number = self._persists(one)
        return self.time(number) if number < self._stop(one.end) else None

    def _persists(self, one: TransactionInterval) -> int:
        """The number of the first checkpoint that writes it to disk, if it is still open."""
        return max(0, self._at_or_after(one.high + self.interval + 1))

    def reach(self, one: TransactionInterval) -> int:
        """Return how far back a restart reads at most because of it.

        The reach ends when a checkpoint has the transaction on disk, or when the transaction ends.
        """
        begins, stop = max(0, self._at_or_after(one.high)), self._stop(one.end)
        if stop <= begins:
            return (self.last if one.end is None else one.end) - one.high
        return min(self.time(min(self._persists(one), stop)), self.last) - one.high

    def _stop(self, end: int | None) -> int:
        return self.count if end is None else min(self.count, self._at_or_after(end))

    def add(self, one: TransactionInterval, operations: Iterable[TimedOperation] | None = None) -> None:
        """Add a transaction; ``operations`` are those of a persisted one, None if unknown."""
        self._note_end(one)
        sizes: Counter[int] = Counter()
        for operation in operations or ():
            sizes[max(0, self._at_or_after(operation.time))] += operation.size
        begins = max(0, self._at_or_after(one.high))
        persists, stop = self._persists(one), self._stop(one.end)
        self.ever += persists < stop
        opened, persisted, stored = self._steps
        if begins < stop:
            opened[begins] += 1
            opened[stop] -= 1
        for number in range(begins, min(persists, stop)):
            if number not in self._oldest or is_before(one, self._oldest[number]):
                self._oldest[number] = one
        if persists >= stop:
            return
        persisted[persists] += 1
        persisted[stop] -= 1
        so_far = one.size if operations is None else sum(sizes[number] for number in sizes if number <= persists)
        stored[persists] += so_far
        self._written += so_far
        for number in sorted(number for number in sizes if persists < number < stop and sizes[number]):
            so_far += sizes[number]
            stored[number] += sizes[number]
            self._dirty[number] += 1
            self._written += so_far
        stored[stop] -= so_far

    def _note_end(self, one: TransactionInterval) -> None:
        if one.end is None or one.last_place is None:
            return
        number = max(0, self._at_or_after(one.end))
        self._ends[number] = max(one.last_place, self._ends.get(number, one.last_place))

    def restart(self, number: int) -> RedoStart:
        """Return the position from which Extract reads after a checkpoint."""
        if number in self._oldest:
            return start_of(self._oldest[number])
        numbers, reached = self._reached
        at = bisect_right(numbers, number)
        return RedoStart(self.time(number), reached[at - 1] if at else None)

    @cached_property
    def _sums(self) -> dict[int, _Sums]:
        """Sums of the checkpoints with an open transaction; valid once all transactions are added."""
        if not self._steps[0]:
            return {}
        numbers = range(self.count)
        columns = [accumulate(map(steps.__getitem__, numbers)) for steps in self._steps]
        return {
            number: _Sums(total, persisted, self._dirty[number], size)
            for number, total, persisted, size in zip(numbers, *columns, strict=True)
            if total
        }

    @cached_property
    def _reached(self) -> tuple[list[int], list[RedoPlace]]:
        """BrCheckpoints, and the last redo place known to be before each; for when all transactions are in."""
        numbers = sorted(self._ends)
        return numbers, list(accumulate((self._ends[number] for number in numbers), max))

    def number_at(self, time: int) -> int:
        """The last checkpoint at or before a moment; below 0 where there is none."""
        return min((time - self.first) // self.interval, self.count - 1)

    def persisted_at(self, number: int) -> int:
        """Return the number of transactions on disk after a checkpoint."""
        total = self._sums.get(number)
        return total.persisted if total is not None else 0

    def is_persisted_at(self, one: TransactionInterval, number: int) -> bool:
        """Return True if the transaction is on disk after a checkpoint."""
        return number >= 0 and self._persists(one) <= number

    @property
    def busy(self) -> int:
        """Number of checkpoints with an open transaction."""
        return len(self._sums)

    def shown(self) -> list[CheckpointShown]:
        """Return the checkpoints with an open transaction."""
        return [
            CheckpointShown(
                number, self.time(number), one.open, one.persisted, one.dirty, one.size, self.restart(number)
            )
            for number, one in self._sums.items()
        ]

    def compared(self) -> BrIntervalShown:
        """Return cost and gain of the interval: the reach at any moment is that of the checkpoint before it."""
        greatest = area = 0
        for number in range(self.count):
            start = self._oldest.get(number)
            begin = start.high if start is not None else self.time(number)
            near, far = self.time(number) - begin, min(self.time(number + 1), self.last) - begin
            greatest = max(greatest, far)
            area += far * far - near * near
        span = self.last - self.first
        mean = area // (2 * span) if span > 0 else 0
        return BrIntervalShown(self.interval, self.count, self.ever, self._written, greatest, mean)


def start_of(one: TransactionInterval) -> RedoStart:
    """The begin of a transaction as the place from which redo is read."""
    return RedoStart(one.high, one.place, one.csn, one.xid)


def is_before(one: TransactionInterval, other: TransactionInterval) -> bool:
    """Return True if the transaction begins before the other; redo positions decide between equal times."""
    if one.high != other.high or one.place is None or other.place is None:
        return one.high < other.high
    return one.place < other.place
