"""The redo log of an Oracle source as a clock: bounds for the time at which a position was written.

    position of the record      commit of its transaction
    108466 / 21743120           16:41:03
    108466 / 21743700           16:40:10      so 21743120, which comes before, was written by 16:40:10

A transaction is committed after each of its records was written, so no position is later than the earliest commit of
all transactions with a record at or after it: the upper bound is certain. The lower bound assumes that a transaction of
one record is committed at once, at most ``slack`` later; a transaction that the upper bound shows to have waited is not
used. Times are as exact as the commits: whole seconds in trails of Oracle.

Positions of several redo threads, or of several sources, are not in one order. Commits directly after their last record
then seem to have waited: if there are too many, the clock is not used. Few transactions of one record really wait, more
of those with several records do.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import NamedTuple

MOST_STEPS = 100_000
_SECOND = 1_000_000
_MOST_LATE, _MOST_LATE_OF_ANY = 0.01, 0.1
"""Maximum share of transactions, of those with one record and of all, that may have waited between last record and
commit."""


class RedoPlace(NamedTuple):
    """A position in the redo log: the sequence number of the log (AuditRBA) and the byte in it (AuditPos)."""

    log: int
    position: int


class _Step(NamedTuple):
    place: RedoPlace
    time: int


class RedoClock:
    """A clock that is set by whole transactions, given in trail order.

    Args:
        slack: microseconds within which a transaction of one record is assumed to be committed.

    Attributes:
        transactions: number of transactions that have set it; ``late`` of them were committed more than ``slack`` after
            their last record.
        ones, late_ones: the same numbers for transactions of one record.
    """

    def __init__(self, slack: int = _SECOND) -> None:
        self._slack = slack
        self._latest: list[_Step] = []
        self._earliest: list[_Step] = []
        self.transactions = self.late = self.ones = self.late_ones = 0

    def learn(self, first: RedoPlace, last: RedoPlace, commit: int, *, is_one: bool) -> None:
        """Add a transaction with its first and last position and its commit (Julian microseconds).

        ``is_one``: it has one record. A transaction without positions (0, 0) is ignored.
        """
        if not first.log and not first.position:
            return
        last = max(first, last)
        latest = self.latest(last)
        is_late = latest is not None and latest < commit - self._slack
        self.transactions += 1
        self.late += is_late
        self.ones += is_one
        self.late_ones += is_one and is_late
        if latest is None or commit < latest:
            self._set_latest(_Step(last, commit))
        if is_one and not is_late:
            self._set_earliest(_Step(first, commit - self._slack))

    def _set_latest(self, step: _Step) -> None:
        """Note that no position up to this one was written later."""
        steps, index = self._latest, bisect_left(self._latest, step)
        begin = index
        while begin and steps[begin - 1].time >= step.time:
            begin -= 1
        steps[begin:index] = [step]
        if len(steps) > MOST_STEPS:
            del steps[-2::-2]

    def _set_earliest(self, step: _Step) -> None:
        """Note that no position after this one was written earlier."""
        steps, index = self._earliest, bisect_left(self._earliest, step)
        if index and steps[index - 1].time >= step.time:
            return
        end = index
        while end < len(steps) and steps[end].time <= step.time:
            end += 1
        del steps[index:end]
        insort(steps, step)
        if len(steps) > MOST_STEPS:
            del steps[1::2]

    @property
    def is_mixed(self) -> bool:
        """True if too many commits seem late: several redo threads, or several sources."""
        most = _MOST_LATE_OF_ANY if self.ones else _MOST_LATE
        return self.late > most * self.transactions or self.late_ones > _MOST_LATE * self.ones

    @property
    def is_set(self) -> bool:
        """True if it can be used: transactions with positions have set it, and their positions are in order."""
        return bool(self._latest) and not self.is_mixed

    def latest(self, place: RedoPlace) -> int | None:
        """Return the time by which a position was written; None after the last known position."""
        index = bisect_left(self._latest, place, key=lambda step: step.place)
        return self._latest[index].time if index < len(self._latest) else None

    def earliest(self, place: RedoPlace) -> int | None:
        """Return the time before which a position was not written; None before the first known position."""
        index = bisect_left(self._earliest, place, key=lambda step: step.place)
        return self._earliest[index - 1].time if index else None
