"""Gaps: where the next beat of a way came later than one and a half times the interval at which beats come."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from logdump.operations.heartbeats.spread import Spread
from logdump.session.heartbeats import BeatPlace, Gap
from trailformat.trail.sequence import Spot

MOST_GAPS = 10_000
"""How many of the widest distances are kept of one way."""


class GapFinder:
    """Finds the gaps among the beats of one way, which come in the order of the trail.

    A beat that is older than the newest one before it is left out.
    """

    def __init__(self) -> None:
        self._newest: BeatPlace | None = None
        self._distances = Spread()
        self._widest: list[tuple[int, int, BeatPlace, BeatPlace]] = []
        self._taken = 0

    def copy(self) -> GapFinder:
        """A finder that knows the same beats, and takes in others."""
        copied = GapFinder()
        vars(copied).update(vars(self) | {"_distances": self._distances.copy(), "_widest": self._widest[:]})
        return copied

    def add(self, time: int, spot: Spot) -> None:
        """Take a beat in."""
        place, newest = BeatPlace(time, spot), self._newest
        if newest is not None and time <= newest.time:
            return
        self._newest = place
        if newest is None:
            return
        distance = time - newest.time
        self._distances.add(distance, spot)
        self._taken += 1
        entry = (distance, -self._taken, newest, place)
        if len(self._widest) < MOST_GAPS:
            heapq.heappush(self._widest, entry)
        else:
            heapq.heappushpop(self._widest, entry)

    @property
    def interval(self) -> int | None:
        """The median distance of two beats in microseconds; None without two."""
        summary = self._distances.summary()
        return summary.median if summary is not None else None

    @property
    def is_interval_exact(self) -> bool:
        """Whether that is exact, not to one per cent."""
        return self._distances.is_exact

    def gaps(self, interval: int | None = None) -> Iterator[Gap]:
        """The gaps in their order, by the given interval in microseconds or by the median distance."""
        interval = interval or self.interval
        if interval is None:
            return
        for distance, _, after, before in sorted(self._widest, key=lambda gap: gap[2].time):
            if 2 * distance > 3 * interval:
                yield Gap(after, before, max(1, round(distance / interval) - 1))
