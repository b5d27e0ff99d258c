"""The spread of values: least, median, 95th percentile, greatest.

Exact for ``MOST_EXACT`` values; beyond them median and percentile come from a histogram whose steps are one per cent
wide. The median and the percentile are values that occur: of n values in order, those of rank n/2 and 0.95 n, rounded
up.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter

from logdump.session.heartbeats import SpreadSummary
from trailformat.trail.sequence import Spot

MOST_EXACT = 100_000
_STEP = math.log(1.01)


class Spread:
    """Takes values in; memory is bounded by ``MOST_EXACT`` of them."""

    def __init__(self) -> None:
        self._values: array[int] = array("q")
        self._steps: Counter[int] = Counter()
        self._count = self._negative = 0
        self._last = self._least = self._greatest = 0
        self._greatest_at: Spot | None = None

    def copy(self) -> Spread:
        """A spread of the same values, which takes in others."""
        copied = Spread()
        vars(copied).update(vars(self) | {"_values": self._values[:], "_steps": self._steps.copy()})
        return copied

    def add(self, value: int, at: Spot) -> None:
        """Take a value in, and where it stands."""
        if self._greatest_at is None or value > self._greatest:
            self._greatest, self._greatest_at = value, at
        self._least = value if not self._count else min(self._least, value)
        self._last = value
        self._count += 1
        self._negative += value < 0
        if self._steps:
            self._steps[_step(value)] += 1
            return
        self._values.append(value)
        if len(self._values) > MOST_EXACT:
            self._steps = Counter(map(_step, self._values))
            self._values = array("q")

    @property
    def is_exact(self) -> bool:
        """Whether the summary's median and percentile are exact."""
        return not self._steps

    def summary(self) -> SpreadSummary | None:
        """The summary so far; None without a value."""
        if self._greatest_at is None:
            return None
        ordered = sorted(self._values)
        median, p95 = (self._of_rank(ordered, rank) for rank in (0.5, 0.95))
        return SpreadSummary(
            self._count,
            self._last,
            self._least,
            median,
            p95,
            self._greatest,
            self._greatest_at,
            self._negative,
            self.is_exact,
        )

    def _of_rank(self, ordered: list[int], part: float) -> int:
        rank = math.ceil(self._count * part)
        if not self._steps:
            return ordered[rank - 1]
        for step in sorted(self._steps):
            rank -= self._steps[step]
            if rank <= 0:
                return max(self._least, min(self._greatest, _middle(step)))
        return self._greatest


def _step(value: int) -> int:
    """The step of the histogram that a value is in: 0 for less than 2 microseconds, its sign kept."""
    size = round(math.log(abs(value)) / _STEP) if abs(value) > 1 else 0
    return -size if value < 0 else size


def _middle(step: int) -> int:
    size = round(math.exp(abs(step) * _STEP)) if step else 0
    return -size if step < 0 else size
