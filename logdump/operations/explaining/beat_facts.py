"""The beats around a lag: the one that shows it, those before it on its way, and where beats are missing."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from logdump.operations.heartbeats.gaps import GapFinder
from logdump.operations.heartbeats.lags import MOST_PATHS
from logdump.session.heartbeats import Beat, Gap
from trailformat.trail.sequence import Spot

_RECENT = 8
_ENDS_WITH = "total_lag"


class PassedBeat(NamedTuple):
    """A beat by its time, its place and the lags of its hops (microseconds), those that are told."""

    time: int
    spot: Spot
    hops: dict[str, int]
    extract_ts: int | None

    @property
    def total(self) -> int:
        """The lag of all hops that are told."""
        return sum(self.hops.values())

    @property
    def extract_lag(self) -> int:
        """The lag up to Extract; 0 where it is not told."""
        return self.hops.get("extract_lag", 0)


class BeatFacts(NamedTuple):
    """What heartbeats tell of a lag.

    Attributes:
        chosen: the beat that shows it; None without any.
        before: the last beats of the same way before it, the oldest first.
        gap: beats that are missing at the moment asked for, or else the widest place where some are.
        beats: how many there are.
    """

    chosen: PassedBeat | None
    before: tuple[PassedBeat, ...]
    gap: Gap | None
    beats: int


class _Way:
    def __init__(self) -> None:
        self.recent: deque[PassedBeat] = deque(maxlen=_RECENT)
        self.gaps = GapFinder()
        self.chosen: PassedBeat | None = None
        self.before: tuple[PassedBeat, ...] = ()


class BeatsAround:
    """Takes beats in, in the order of the trail, and finds the one that shows the lag.

    Args:
        at: the moment whose lag is wanted: that of the last beat before it. None: the greatest lag.
    """

    def __init__(self, at: int | None) -> None:
        self._at = at
        self._ways: dict[object, _Way] = {}
        self._beats = 0

    def add(self, beat: Beat) -> None:
        """One more."""
        self._beats += 1
        if beat.path not in self._ways and len(self._ways) >= MOST_PATHS:
            return
        way = self._ways.setdefault(beat.path, _Way())
        point = _point(beat)
        way.gaps.add(point.time, point.spot)
        is_better = way.chosen is None or point.total > way.chosen.total
        if point.time <= self._at if self._at is not None else is_better:
            way.chosen, way.before = point, tuple(way.recent)
        way.recent.append(point)

    def facts(self) -> BeatFacts:
        """What there is."""
        known = [way for way in self._ways.values() if way.chosen is not None]
        way = max(known, key=lambda one: one.chosen.total if one.chosen is not None else 0, default=None)
        gaps = [gap for one in self._ways.values() for gap in one.gaps.gaps()]
        if self._at is not None:
            gaps = [gap for gap in gaps if gap.after.time < self._at < gap.before.time]
        gap = max(gaps, key=lambda one: one.microseconds, default=None)
        if way is None:
            return BeatFacts(None, (), gap, self._beats)
        return BeatFacts(way.chosen, way.before, gap, self._beats)


def _point(beat: Beat) -> PassedBeat:
    lags = beat.lags._asdict()
    hops = {name: lag for name, lag in lags.items() if lag is not None and name != _ENDS_WITH}
    return PassedBeat(beat.heartbeat_ts, beat.row.spot, hops, beat.extract_ts)
