"""The beats of one path over time: a bounded number of points, and the gaps between them."""

from __future__ import annotations

from typing import NamedTuple

from logdump.features.heartbeat.gaps import GapFinder
from logdump.features.heartbeat.model import Beat, Gap

MOST_POINTS = 1024
"""The most points that are kept of one way: more than a terminal has columns."""


class BeatPoint(NamedTuple):
    """A beat by its time (Julian), its record, and its lags in the order of HOPS, in microseconds."""

    time: int
    rba: int
    lags: tuple[int | None, ...]

    @property
    def delay(self) -> int:
        """Microseconds from its generation to the last process known."""
        *hops, total = self.lags
        return total if total is not None else sum(lag for lag in hops if lag is not None)


def most_delayed(points: list[BeatPoint]) -> BeatPoint:
    """The point with the greatest delay, the first of several."""
    return max(points, key=lambda point: (point.delay, -point.time))


def _point(beat: Beat) -> BeatPoint:
    return BeatPoint(beat.heartbeat_ts, beat.row.spot.rba, tuple(beat.lags))


class PointSample:
    """Points, each the one with the greatest delay in its interval; the intervals double as the points become many."""

    def __init__(self) -> None:
        self._interval = 1
        self._kept: dict[int, BeatPoint] = {}

    def add(self, point: BeatPoint) -> None:
        """Add a point; if there are too many, the sampling interval doubles."""
        self._keep(point)
        while len(self._kept) > MOST_POINTS:
            self._interval *= 2
            points, self._kept = self._kept.values(), {}
            for one in points:
                self._keep(one)

    def _keep(self, point: BeatPoint) -> None:
        at = point.time // self._interval
        self._kept[at] = most_delayed([self._kept[at], point]) if at in self._kept else point

    def points(self) -> list[BeatPoint]:
        """The points in the order of their times."""
        return sorted(self._kept.values())


class WayTimeline(NamedTuple):
    """The beats of one path.

    Attributes:
        source, target: the databases.
        way: the processes between.
        beats: their number.
        points: the sampled beats to be drawn, in order of time.
        gaps: where beats are missing.
        interval: microseconds between two beats; None without two.
        is_interval_exact: False if it is exact to one per cent only.
        newest: the time of the newest beat (Julian).
    """

    source: str | None
    target: str | None
    way: tuple[str, ...]
    beats: int
    points: tuple[BeatPoint, ...]
    gaps: tuple[Gap, ...]
    interval: int | None
    is_interval_exact: bool
    newest: int

    @property
    def missing(self) -> int:
        """Beats that are missing in all gaps."""
        return sum(gap.beats for gap in self.gaps)


class WayPoints:
    """Collects the beats of one path, in trail order."""

    def __init__(self) -> None:
        self._beats = self._newest = 0
        self._sample = PointSample()
        self._gaps = GapFinder()

    def add(self, beat: Beat) -> None:
        """Add a beat."""
        self._beats += 1
        self._newest = max(self._newest, beat.heartbeat_ts)
        self._sample.add(_point(beat))
        self._gaps.add(beat.heartbeat_ts, beat.row.spot)

    def timeline(self, last: Beat) -> WayTimeline:
        """The beats so far, and a last one that may yet change."""
        gaps = self._gaps.copy()
        gaps.add(last.heartbeat_ts, last.row.spot)
        source, target, _, way = last.path
        return WayTimeline(
            source,
            target,
            way,
            self._beats + 1,
            tuple(sorted([*self._sample.points(), _point(last)])),
            tuple(gaps.gaps()),
            gaps.interval,
            gaps.is_interval_exact,
            max(self._newest, last.heartbeat_ts),
        )
