"""The beats around a lag: the one that shows it, those before it on its way, and where beats are missing."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from logdump.features.heartbeat.gaps import GapFinder, missing_beats
from logdump.features.heartbeat.lags import MOST_PATHS
from logdump.features.heartbeat.model import Beat, BeatPlace
from trailformat.trail.sequence import Spot

_RECENT = 8
_ENDS_WITH = "total_lag"


class PassedBeat(NamedTuple):
    """A beat: its time, its position, and the known lags of its hops (microseconds)."""

    time: int
    spot: Spot
    hops: dict[str, int]
    extract_ts: int | None

    @property
    def total(self) -> int:
        """The sum of the known lags."""
        return sum(self.hops.values())

    @property
    def extract_lag(self) -> int:
        """The lag up to Extract; 0 if unknown."""
        return self.hops.get("extract_lag", 0)


class MissingBeats(NamedTuple):
    """A time in which beats are missing.

    Attributes:
        after: the last beat before it.
        before: the next beat; None where the trail ends without one.
        end: the time of that, or the newest time in the trail.
        beats: how many are missing.
    """

    after: BeatPlace
    before: BeatPlace | None
    end: int
    beats: int

    @property
    def microseconds(self) -> int:
        """The length of the gap."""
        return self.end - self.after.time


class BeatFacts(NamedTuple):
    """The facts that heartbeats show of a lag.

    Attributes:
        chosen: the beat that shows it; None without any.
        before: the last beats of the same way before it, the oldest first.
        gap: beats that are missing at the moment asked for, or else where the most time is without one.
        gaps: how many such times there are in the trail.
        beats: how many beats there are.
        ends: the newest beat, and the newest time in the trail, where the moment asked for is beyond both; else None.
    """

    chosen: PassedBeat | None
    before: tuple[PassedBeat, ...]
    gap: MissingBeats | None
    gaps: int
    beats: int
    ends: tuple[int, int] | None = None


class _Way:
    def __init__(self) -> None:
        self.recent: deque[PassedBeat] = deque(maxlen=_RECENT)
        self.gaps = GapFinder()
        self.chosen: PassedBeat | None = None
        self.before: tuple[PassedBeat, ...] = ()

    @property
    def newest(self) -> int:
        """The time of its newest beat; 0 before the first."""
        return self.gaps.newest.time if self.gaps.newest is not None else 0

    def missing_at(self, end: int) -> int:
        """The number of beats that should have come since the newest."""
        interval = self.gaps.interval
        return missing_beats(end - self.newest, interval) if interval else 0


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
        """Add a beat."""
        self._beats += 1
        if beat.path not in self._ways and len(self._ways) >= MOST_PATHS:
            return
        way = self._ways.setdefault(beat.path, _Way())
        point = _point(beat)
        way.gaps.add(point.time, point.spot)
        if self._is_chosen(point, way.chosen):
            way.chosen, way.before = point, _in_order(way.recent, point.time)
        way.recent.append(point)

    def _is_chosen(self, point: PassedBeat, before: PassedBeat | None) -> bool:
        if self._at is not None:
            return point.time <= self._at and (before is None or point.time >= before.time)
        return before is None or point.total > before.total

    def facts(self, newest: int | None) -> BeatFacts:
        """The facts, where ``newest`` is the newest time in the trail."""
        known = [way for way in self._ways.values() if way.chosen is not None]
        way = max(known, key=lambda one: one.chosen.total if one.chosen is not None else 0, default=None)
        gaps = list(self._gaps(newest))
        number = len(gaps)
        if self._at is not None:
            gaps = [gap for gap in gaps if gap.after.time < self._at < gap.end + (gap.before is None)]
        gap = max(gaps, key=lambda one: one.microseconds, default=None)
        chosen, before = (way.chosen, way.before) if way is not None else (None, ())
        return BeatFacts(chosen, before, gap, number, self._beats, self._ends(newest))

    @property
    def _newest_way(self) -> _Way | None:
        return max(self._ways.values(), key=lambda way: way.newest, default=None)

    def _gaps(self, newest: int | None) -> Iterator[MissingBeats]:
        """The times in which beats of a way are missing; up to the end of the trail those of the newest way."""
        for way in self._ways.values():
            yield from (MissingBeats(gap.after, gap.before, gap.before.time, gap.beats) for gap in way.gaps.gaps())
        newest_way = self._newest_way
        if newest is None or newest_way is None or newest_way.gaps.newest is None:
            return
        if missing := newest_way.missing_at(newest):
            yield MissingBeats(newest_way.gaps.newest, None, newest, missing)

    def _ends(self, newest: int | None) -> tuple[int, int] | None:
        """The newest beat and the newest time, where the next beat after it should have come before the moment."""
        way, at = self._newest_way, self._at
        if way is None or at is None or newest is None or at <= newest:
            return None
        is_beyond = way.gaps.interval is None or way.missing_at(at)
        return (way.newest, newest) if is_beyond else None


def _in_order(points: Iterable[PassedBeat], end: int) -> tuple[PassedBeat, ...]:
    """Return the beats before a time, in order of time; some may have come late."""
    return tuple(sorted((one for one in points if one.time < end), key=lambda one: one.time))


def _point(beat: Beat) -> PassedBeat:
    lags = beat.lags._asdict()
    hops = {name: lag for name, lag in lags.items() if lag is not None and name != _ENDS_WITH}
    return PassedBeat(beat.heartbeat_ts, beat.row.spot, hops, beat.extract_ts)
