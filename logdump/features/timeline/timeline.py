"""One scan of a file for data to be drawn over time: the beats of every path, or the records if there are no beats."""

from __future__ import annotations

import time
from collections.abc import Generator
from typing import NamedTuple

from logdump.features.heartbeat.beats import NewBeats
from logdump.features.heartbeat.lags import GapFinder, overdue_beats
from logdump.features.heartbeat.model import Beat, BeatPath, Gap, HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.features.timeline.volume import Volume, VolumeSums
from logdump.filters import FilterSet
from logdump.parameters.in_use import ParametersInUse
from logdump.session.effective_rows import NotAppliedByFile
from logdump.session.reading import Reading
from logdump.session.session import Session, SourceDefinitions
from logdump.tables.heartbeat_tables import table_of
from trailformat.scan import FILE_HEADER, Batch
from trailformat.trail.file import TrailFile

MOST_POINTS = 1024
"""The maximum number of points kept for each path: more than a terminal has columns."""


class BeatPoint(NamedTuple):
    """The time of a beat (Julian), the RBA of its row, and its lags in the order of HOPS, in microseconds."""

    time: int
    rba: int
    lags: tuple[int | None, ...]

    @property
    def delay(self) -> int:
        """Microseconds from the generation of the beat to the last known process."""
        *hops, total = self.lags
        return total if total is not None else sum(lag for lag in hops if lag is not None)


def most_delayed(points: list[BeatPoint]) -> BeatPoint:
    """Return the point with the greatest delay, the earliest if several have it."""
    return max(points, key=lambda point: (point.delay, -point.time))


def _point(beat: Beat) -> BeatPoint:
    return BeatPoint(beat.heartbeat_ts, beat.row.position.rba, tuple(beat.lags))


class PointSample:
    """The point with the greatest delay in each interval; above MOST_POINTS points the intervals double."""

    def __init__(self) -> None:
        self._interval = 1
        self._kept: dict[int, BeatPoint] = {}

    def add(self, point: BeatPoint) -> None:
        """Add a point; if there are too many, the sampling interval doubles."""
        self._keep(point)
        while len(self._kept) > MOST_POINTS:
            self._interval *= 2
            points, self._kept = self._kept.values(), {}
            for sampled in points:
                self._keep(sampled)

    def _keep(self, point: BeatPoint) -> None:
        number = point.time // self._interval
        self._kept[number] = most_delayed([self._kept[number], point]) if number in self._kept else point

    def points(self) -> list[BeatPoint]:
        """Return the points in order of time."""
        return sorted(self._kept.values())


class WayTimeline(NamedTuple):
    """The beats of one path.

    Attributes:
        source, target: the databases.
        way: the names of the processes.
        beats: number of beats.
        points: the sampled beats to be drawn, in order of time.
        gaps: the gaps between beats, in order of time.
        interval: microseconds between two beats; None with fewer than two.
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
        """Number of missing beats in all gaps."""
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
        self._gaps.add(beat.place)

    def gaps(self, last: Beat) -> GapFinder:
        """Return the finder of the gaps so far, with a last beat that may yet change."""
        gaps = self._gaps.copy()
        gaps.add(last.place)
        return gaps

    def timeline(self, last: Beat, gaps: GapFinder, overdue: Gap | None) -> WayTimeline:
        """Return the beats so far, with a last one that may yet change, and the gap after it."""
        source, target, _, way = last.path
        return WayTimeline(
            source,
            target,
            way,
            self._beats + 1,
            tuple(sorted([*self._sample.points(), _point(last)])),
            (*gaps.gaps(), *([overdue] if overdue is not None else ())),
            gaps.interval,
            gaps.is_interval_exact,
            max(self._newest, last.heartbeat_ts),
        )


MOST_WAYS = 64
"""The maximum number of paths whose beats are kept."""
_EVERY = 0.25
"""Seconds between two updates of the results during a scan."""


class Timeline(NamedTuple):
    """A file over time, up to the RBA ``covered``.

    Attributes:
        ways: the beats of each path, in the order of first beats.
        at: the newest time in the file (Julian); None before the first.
        volume: the records of the file; None if there are beats, unless they are counted too.
        is_filtered: True if a filter is in use.
        undecoded: number of rows of heartbeat tables that cannot be decoded; they may be beats too.
    """

    covered: int
    ways: tuple[WayTimeline, ...]
    at: int | None
    volume: Volume | None
    is_filtered: bool
    undecoded: int = 0

    def age(self, way: WayTimeline) -> int:
        """Return the microseconds from the newest beat of a path to the newest time in the file."""
        return (self.at if self.at is not None else way.newest) - way.newest

    def time_at(self, way: int, rba: int) -> int | None:
        """Return the time of the last beat of a path (or interval) at or before a record, else that of the first.

        None if there is none at all.
        """
        if self.ways:
            known = [(point.rba, point.time) for point in self.ways[way].points]
        else:
            known = [
                (interval.rba, interval.start)
                for interval in (self.volume.intervals if self.volume is not None else ())
            ]
        return max((entry for entry in known if entry[0] <= rba), default=min(known, default=(0, None)))[1]

    @property
    def newest_age(self) -> int | None:
        """The age of the newest beat; None without one."""
        return min(map(self.age, self.ways), default=None)


class TimelineScan:
    """Reads a file, and continues at its end when the file has grown.

    Args:
        filters: the filter of the session; None: all records pass.
        source: the definitions file for its rows.
        parameters: the parameter files in use, which may name the heartbeat tables.
        keeps_volume: whether records are counted even if there are beats.

    Attributes:
        timeline: the latest results; replaced, never modified.
    """

    def __init__(
        self,
        filters: FilterSet | None = None,
        source: SourceDefinitions | None = None,
        parameters: ParametersInUse | None = None,
        *,
        keeps_volume: bool = False,
    ) -> None:
        self._keeps_volume = keeps_volume
        self._filters = filters
        self._source = source
        self._table = table_of(parameters or ParametersInUse()).name
        self._reader: HeartbeatReader | None = None
        self._not_applied = NotAppliedByFile()
        self._new = NewBeats()
        self._ways: dict[BeatPath, WayPoints] = {}
        self._volume = VolumeSums()
        self._covered = self._damaged = 0
        self._last_damage = -1
        self._newest: int | None = None
        self.timeline = Timeline(0, (), None, None, is_filtered=False)

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Read the rest of the session's file with this filter; yield the RBA up to which it is read."""
        try:
            yield from self._read_on(session)
        finally:
            self.timeline = self._look()

    def begin_file(self) -> None:
        """Continue with the next file of the trail, from its beginning."""
        self._covered, self._last_damage = 0, -1

    def lacks(self) -> Reading:
        """Return the number of places of damage, and the RBA up to which the file is read."""
        return Reading(damaged=self._damaged, where=f"at RBA {self._covered}")

    def _note_damage(self, _trail: TrailFile, rba: int) -> None:
        self._damaged += rba > self._last_damage
        self._last_damage = max(rba, self._last_damage)

    def _forget_damage_at_end(self) -> None:
        """Forget damage that will be read again: an incomplete record may be whole when the file has grown."""
        if self._last_damage >= self._covered:
            self._damaged, self._last_damage = self._damaged - 1, -1

    def _read_on(self, session: Session) -> Generator[int, None, None]:
        self._forget_damage_at_end()
        session.filters_in_use, session.source_definitions = self._filters, self._source
        self._not_applied.forget()  # the file may have grown
        self._reader = self._reader or HeartbeatReader(
            session.definitions_of,
            self._table,
            selection_of=session.selection,
            note_damage=self._note_damage,
            not_applied_in=self._not_applied.of,
        )
        selection, looked = session.selection(), time.monotonic()
        for item in self._reader.rows(session.trail, self._covered):
            if isinstance(item, HeartbeatRow):
                for beat in self._new.of(item):
                    self._take(beat)
                continue
            if self._keeps_volume or not self._has_beats:
                self._volume.add(item, selection.rows(item).nonzero()[0].tolist())
            self._covered = _sound_end(item)
            if time.monotonic() - looked >= _EVERY:
                self.timeline, looked = self._look(), time.monotonic()
            yield self._covered

    @property
    def _has_beats(self) -> bool:
        return next(self._new.rest(), None) is not None

    def _take(self, beat: Beat) -> None:
        self._newest = max(self._newest or 0, *beat.moments)
        if beat.path in self._ways or len(self._ways) < MOST_WAYS:
            self._ways.setdefault(beat.path, WayPoints()).add(beat)

    def _look(self) -> Timeline:
        last = {beat.path: beat for beat in self._new.rest()}
        paths = list(dict.fromkeys((*self._ways, *last)))[:MOST_WAYS]
        of_file = self._reader.newest if self._reader is not None else None
        moments = [self._newest, of_file, *(moment for beat in last.values() for moment in beat.moments)]
        ways = {path: self._ways.get(path, WayPoints()) for path in paths if path in last}
        gaps = {path: way.gaps(last[path]) for path, way in ways.items()}
        overdue = overdue_beats(gaps, of_file or 0)
        return Timeline(
            self._covered,
            tuple(way.timeline(last[path], gaps[path], overdue.get(path)) for path, way in ways.items()),
            max((moment for moment in moments if moment is not None), default=None),
            None if last and not self._keeps_volume else self._volume.volume(),
            self._filters is not None,
            self._reader.problems if self._reader is not None else 0,
        )


def _sound_end(batch: Batch) -> int:
    """Return the RBA after a batch, before damage at its end: an incomplete record may be whole later."""
    is_sound = batch.kind[len(batch) - 1] <= FILE_HEADER
    return batch.end if is_sound else int(batch.rba[len(batch) - 1])
