"""The spread of values: least, median, 95th percentile, greatest.

Exact for ``MOST_EXACT`` values; beyond them median and percentile come from a histogram whose steps are one per cent
wide. The median and the percentile are values that occur: of n values in order, those of rank n/2 and 0.95 n, rounded
up.
"""

from __future__ import annotations

import math
from array import array
from collections import Counter
from typing import Self

from logdump.features.heartbeat.model import SpreadSummary
from trailformat.trail.sequence import Spot

MOST_EXACT = 100_000
_STEP = math.log(1.01)


class Ranks:
    """Values by their ranks; memory is bounded by ``MOST_EXACT`` of them.

    Attributes:
        count: how many values there are.
        least, greatest: of all values that were ever there; 0 before the first.
    """

    def __init__(self) -> None:
        self._values: array[int] = array("q")
        self._removed: Counter[int] = Counter()
        self._steps: Counter[int] = Counter()
        self.count = self.least = self.greatest = 0

    def copy(self) -> Self:
        """Return an independent copy, to which values can be added."""
        copied = type(self)()
        own = {"_values": self._values[:], "_removed": self._removed.copy(), "_steps": self._steps.copy()}
        vars(copied).update(vars(self) | own)
        return copied

    def add(self, value: int) -> None:
        """Add a value."""
        self.least = min(self.least, value) if self._has_values else value
        self.greatest = max(self.greatest, value) if self._has_values else value
        self.count += 1
        if self._steps:
            self._steps[_step(value)] += 1
            return
        self._values.append(value)
        if len(self._values) > MOST_EXACT:
            self._steps = Counter(map(_step, self._exact()))
            self._values, self._removed = array("q"), Counter()

    def remove(self, value: int) -> None:
        """Take a value that was added away again."""
        self.count -= 1
        if self._steps:
            self._steps[_step(value)] -= 1
        else:
            self._removed[value] += 1

    @property
    def _has_values(self) -> bool:
        return bool(self._values or self._steps)

    def _exact(self) -> list[int]:
        """Return all values in ascending order; requires ``is_exact``."""
        if not self._removed:
            return sorted(self._values)
        return sorted((Counter(self._values) - self._removed).elements())

    @property
    def is_exact(self) -> bool:
        """True if ranks come from the values themselves, False if from the histogram."""
        return not self._steps

    def of(self, *parts: float) -> list[int]:
        """The values of these ranks, as parts of all; there is a value."""
        ordered = self._exact()
        return [self._of_rank(ordered, math.ceil(self.count * part)) for part in parts]

    def _of_rank(self, ordered: list[int], rank: int) -> int:
        if not self._steps:
            return ordered[rank - 1]
        for step in sorted(self._steps):
            rank -= self._steps[step]
            if rank <= 0:
                return max(self.least, min(self.greatest, _middle(step)))
        return self.greatest


class Spread:
    """Takes values in, in the order of the trail."""

    def __init__(self) -> None:
        self._ranks = Ranks()
        self._negative = self._last = 0
        self._greatest_at: Spot | None = None

    def add(self, value: int, at: Spot, *, is_late: bool = False) -> None:
        """Add a value and its position; a late value does not become the last one."""
        if self._greatest_at is None or value > self._ranks.greatest:
            self._greatest_at = at
        if not is_late or not self._ranks.count:
            self._last = value
        self._ranks.add(value)
        self._negative += value < 0

    def summary(self) -> SpreadSummary | None:
        """The summary so far; None without a value."""
        if self._greatest_at is None:
            return None
        ranks = self._ranks
        median, p95 = ranks.of(0.5, 0.95)
        return SpreadSummary(
            ranks.count,
            self._last,
            ranks.least,
            median,
            p95,
            ranks.greatest,
            self._greatest_at,
            self._negative,
            ranks.is_exact,
        )


def _step(value: int) -> int:
    """The step of the histogram that a value is in: 0 for less than 2 microseconds, its sign kept."""
    size = round(math.log(abs(value)) / _STEP) if abs(value) > 1 else 0
    return -size if value < 0 else size


def _middle(step: int) -> int:
    size = round(math.exp(abs(step) * _STEP)) if step else 0
    return -size if step < 0 else size
