"""The redo log of an Oracle source as a clock: bounds for the moment at which a position was written.

    position of the record      commit of its transaction
    108466 / 21743120           16:41:03
    108466 / 21743700           16:40:10      so 21743120, which comes before, was written by 16:40:10

A transaction is committed after each of its records was written, so no position is later than the earliest commit of
all transactions with a record at it or behind it: the upper bound holds whatever happened. The lower bound assumes that
a transaction of one record is committed at once, ``slack`` later at most; one that the upper bound shows to have
waited is left out. Times are as exact as the commits: whole seconds in trails of Oracle.

Positions of several redo threads, or of several sources, do not follow one another. Then commits that come at once
after their last record seem to have waited: with too many of them the clock is not used. Of one record there are few
that really wait, of several records more.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from typing import NamedTuple

MOST_STEPS = 100_000
_SECOND = 1_000_000
_MOST_LATE, _MOST_LATE_OF_ANY = 0.01, 0.1
"""The part of the transactions, those of one record and all, that may have waited between last record and commit."""


class RedoPlace(NamedTuple):
    """A position in the redo log: the sequence number of the log (AuditRBA), and the byte in it (AuditPos)."""

    log: int
    position: int


class _Step(NamedTuple):
    place: RedoPlace
    time: int


class RedoClock:
    """A clock that whole transactions set, given in the order of the trail.

    Args:
        slack: the microseconds within which a transaction of one record is committed.

    Attributes:
        transactions: those that have set it; ``late`` of them were committed later than that after their last record.
        ones, late_ones: those of one record.
    """

    def __init__(self, slack: int = _SECOND) -> None:
        self._slack = slack
        self._latest: list[_Step] = []
        self._earliest: list[_Step] = []
        self.transactions = self.late = self.ones = self.late_ones = 0

    def learn(self, first: RedoPlace, last: RedoPlace, commit: int, *, is_one: bool) -> None:
        """A transaction from its first record to its last, committed then (Julian microseconds)."""
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
        """No place up to this one is later."""
        steps, at = self._latest, bisect_left(self._latest, step)
        begin = at
        while begin and steps[begin - 1].time >= step.time:
            begin -= 1
        steps[begin:at] = [step]
        if len(steps) > MOST_STEPS:
            del steps[-2::-2]

    def _set_earliest(self, step: _Step) -> None:
        """No place behind this one is earlier."""
        steps, at = self._earliest, bisect_left(self._earliest, step)
        if at and steps[at - 1].time >= step.time:
            return
        end = at
        while end < len(steps) and steps[end].time <= step.time:
            end += 1
        del steps[at:end]
        insort(steps, step)
        if len(steps) > MOST_STEPS:
            del steps[1::2]

    @property
    def is_mixed(self) -> bool:
        """Whether too many commits seem late: several redo threads, or several sources."""
        most = _MOST_LATE_OF_ANY if self.ones else _MOST_LATE
        return self.late > most * self.transactions or self.late_ones > _MOST_LATE * self.ones

    @property
    def is_set(self) -> bool:
        """Whether it can be used: transactions with positions have set it, and they follow one another."""
        return bool(self._latest) and not self.is_mixed

    def latest(self, place: RedoPlace) -> int | None:
        """The moment by which a place was written; None behind all that is known."""
        at = bisect_left(self._latest, place, key=lambda step: step.place)
        return self._latest[at].time if at < len(self._latest) else None

    def earliest(self, place: RedoPlace) -> int | None:
        """The moment before which a place was not written; None in front of all that is known."""
        at = bisect_left(self._earliest, place, key=lambda step: step.place)
        return self._earliest[at - 1].time if at else None
