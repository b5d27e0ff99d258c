"""Gaps: where the next beat of a way came later than one and a half times the interval at which beats come."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from heapq import nlargest
from typing import NamedTuple

from logdump.features.heartbeat.model import BeatPlace, Gap
from logdump.features.heartbeat.spread import Ranks
from trailformat.trail.sequence import Spot

MOST_GAPS = 10_000
"""The number of the widest distances that are kept of one way."""


class _Distance(NamedTuple):
    """Two beats without another between them."""

    after: BeatPlace
    before: BeatPlace

    @property
    def microseconds(self) -> int:
        """Time between the beat before the gap and the beat after it."""
        return self.before.time - self.after.time


class GapFinder:
    """Finds the gaps among the beats of one way, whatever the order in which they come.

    A beat that comes late divides the distance in which it was missing. Beats of one time are one beat.
    """

    def __init__(self) -> None:
        self._first: BeatPlace | None = None
        self.newest: BeatPlace | None = None
        self._ranks = Ranks()
        self._widest: list[_Distance] = []
        """In the order of their times."""

    def copy(self) -> GapFinder:
        """A finder that knows the same beats, and takes in others."""
        copied = GapFinder()
        vars(copied).update(vars(self) | {"_ranks": self._ranks.copy(), "_widest": self._widest[:]})
        return copied

    def add(self, time: int, spot: Spot) -> None:
        """Add a beat; it extends the range or divides a distance."""
        place = BeatPlace(time, spot)
        if self._first is None or self.newest is None:
            self._first = self.newest = place
        elif time > self.newest.time:
            self._put(len(self._widest), 0, _Distance(self.newest, place))
            self.newest = place
        elif time < self._first.time:
            self._put(0, 0, _Distance(place, self._first))
            self._first = place
        else:
            self._divide(place)

    def _divide(self, place: BeatPlace) -> None:
        at = bisect_right(self._widest, place.time, key=lambda one: one.after.time) - 1
        if at < 0 or not self._widest[at].after.time < place.time < self._widest[at].before.time:
            return
        whole = self._widest[at]
        self._ranks.remove(whole.microseconds)
        self._put(at, 1, _Distance(whole.after, place), _Distance(place, whole.before))

    def _put(self, at: int, number: int, *distances: _Distance) -> None:
        """Put distances in the place of some."""
        self._widest[at : at + number] = distances
        for one in distances:
            self._ranks.add(one.microseconds)
        if len(self._widest) > 2 * MOST_GAPS:
            self._widest = self._kept

    @property
    def _kept(self) -> list[_Distance]:
        return sorted(
            nlargest(MOST_GAPS, self._widest, key=lambda one: one.microseconds), key=lambda one: one.after.time
        )

    @property
    def interval(self) -> int | None:
        """The median distance of two beats in microseconds; None without two."""
        return self._ranks.of(0.5)[0] if self._ranks.count else None

    @property
    def is_interval_exact(self) -> bool:
        """False if the interval is a median from the histogram, exact to one per cent only."""
        return self._ranks.is_exact

    def gaps(self, interval: int | None = None) -> Iterator[Gap]:
        """The gaps in their order, by the given interval in microseconds or by the median distance."""
        interval = interval or self.interval
        if interval is None:
            return
        for one in self._kept:
            if missing := missing_beats(one.microseconds, interval):
                yield Gap(one.after, one.before, missing)


def missing_beats(distance: int, interval: int) -> int:
    """The number of beats that are missing in a distance; up to half an interval beyond a beat, it is only late."""
    return max(0, -((interval - 2 * distance) // (2 * interval)) - 1)
