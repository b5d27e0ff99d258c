"""HEARTBEAT: reads files, adds up their beats by path or lists them."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.features.heartbeat.beats import NewBeats, beats_of
from logdump.features.heartbeat.lags import MOST_PATHS, Lags
from logdump.features.heartbeat.model import (
    Beat,
    BeatGapShown,
    BeatIntervalShown,
    BeatShown,
    Clock,
    Display,
    HeartbeatOptions,
    HeartbeatRow,
    HeartbeatRowShown,
    HeartbeatsShown,
    PathLagShown,
    RestartPositionShown,
    way_text,
)
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.notation.text import matches
from logdump.notation.times import current_timestamp
from logdump.session.across import files_from
from logdump.session.effective_rows import NotAppliedByFile
from logdump.session.events import Bad, Event, Notice, Progress
from logdump.session.files import matching_files
from logdump.session.reading import Reading, answered
from logdump.session.session import Session
from logdump.tables.heartbeat_tables import HeartbeatTable, Role, heartbeat_table
from trailformat import NotATrail
from trailformat.changes.csn import CsnKey, csn_key
from trailformat.scan import Workers
from trailformat.trail.file import TrailFile
from trailformat.transactions.whole_trail import gaps_among

MOST_POSITIONS = 100_000
"""The number of beats kept for each path. Beyond it every second one is dropped: restart CSNs can only get smaller."""


class _Position(NamedTuple):
    heartbeat: CsnKey
    restart: CsnKey
    beat: Beat


class _Path:
    def __init__(self) -> None:
        self.last: Beat | None = None
        self.positions: list[_Position] = []
        self.beats = 0
        self.is_exact = True

    def add(self, beat: Beat) -> None:
        if self.last is None or beat.heartbeat_ts >= self.last.heartbeat_ts:
            self.last = beat
        heartbeat, restart = _key(beat.heartbeat_csn), _key(beat.restart_csn)
        if heartbeat is None or restart is None:
            return
        self.beats += 1
        self.positions.append(_Position(heartbeat, restart, beat))
        if len(self.positions) > MOST_POSITIONS:
            del self.positions[1::2]
            self.is_exact = False

    def best(self, low_watermark: str | None) -> Beat | None:
        """Return the last beat with the largest restart CSN among those with a CSN not above the low watermark."""
        wanted = _key(low_watermark)
        allowed = [
            position
            for position in self.positions
            if wanted is not None
            and position.heartbeat.kind == position.restart.kind == wanted.kind
            and position.heartbeat.parts <= wanted.parts
        ]
        return max(reversed(allowed), key=lambda position: position.restart.parts).beat if allowed else None


def _key(csn: str | None) -> CsnKey | None:
    return csn_key(csn) if csn else None


class RestartPositions:
    """Finds the restart position of each path from its beats, in trail order.

    Args:
        low_watermark: that of Replicat; None for that of the newest beat of each path.
    """

    def __init__(self, low_watermark: str | None) -> None:
        self._low_watermark = low_watermark
        self._paths: dict[tuple[object, ...], _Path] = {}

    def add(self, beat: Beat) -> None:
        """Add a beat, unless it was reported back: its restart position then belongs to another path."""
        if not beat.is_reported and (beat.path in self._paths or len(self._paths) < MOST_PATHS):
            self._paths.setdefault(beat.path, _Path()).add(beat)

    def shown(self) -> Iterator[RestartPositionShown]:
        """Yield the restart position of each path, in the order of first beats."""
        for path in self._paths.values():
            if path.last is None:
                continue
            low_watermark = self._low_watermark or path.last.low_watermark_csn
            yield RestartPositionShown(
                *path.last.path,
                low_watermark,
                self._low_watermark is not None,
                path.best(low_watermark),
                path.beats,
                path.is_exact,
            )


_DAY = 86_400_000_000


class HeartbeatSurvey:
    """Collects the heartbeat rows of files, in trail order.

    Args:
        options: of the command.
        table: the name of the tables and its origin.
        reader: reads the rows.
        notify: number of records between two reports of progress.
    """

    def __init__(self, options: HeartbeatOptions, table: HeartbeatTable, reader: HeartbeatReader, notify: int) -> None:
        self._options = options
        self._table = table
        self._reader = reader
        self._notify = notify
        self._new = NewBeats()
        self._lags = Lags()
        self._positions = RestartPositions(options.low_watermark)
        self._intervals: dict[object, tuple[int, Lags]] = {}
        self._tables: set[str] = set()
        self._bounds: tuple[int, int] | None = None
        self._has_same_database = False
        self._deleted = 0
        self._received: array[int] = array("q")
        self._notified = 0

    def take(self, trail: TrailFile) -> Iterator[Event]:
        """Read a file; yield the rows and beats that are listed, and Progress."""
        for item in self._reader.rows(trail):
            if isinstance(item, HeartbeatRow):
                yield from self._row(item)
                continue
            if self._reader.records // self._notify > self._notified:
                self._notified = self._reader.records // self._notify
                yield Progress(self._reader.records, item.end, self._reader.io_time or 0, trail.size)

    def _row(self, row: HeartbeatRow) -> Iterator[Event]:
        options = self._options
        self._tables.add(row.table)
        self._has_same_database = self._has_same_database or (
            row.local_database is not None and row.local_database == row.remote_database
        )
        if row.role is Role.HISTORY and row.op == "DELETE":
            self._deleted += 1
        if row.received_ts is not None and row.op != "DELETE" and options.retention is not None:
            self._received.append(row.received_ts)
        if options.display is Display.ROWS:
            yield from self._shown(row)
        for beat in self._new.of(row):
            if self._is_wanted(beat):
                yield from self._beat(beat)

    def _shown(self, row: HeartbeatRow) -> Iterator[Event]:
        """Yield a row that has a selected beat, or has no beat if no beat is excluded."""
        options, beats = self._options, list(beats_of(row))
        chosen = any(map(self._is_wanted, beats))
        if chosen or (not beats and (options.start, options.end, options.path) == (None, None, None)):
            yield HeartbeatRowShown(row, beats[-1].stage if beats else row.role.value)

    def _is_wanted(self, beat: Beat) -> bool:
        options = self._options
        if options.start is not None and beat.heartbeat_ts < options.start:
            return False
        if options.end is not None and beat.heartbeat_ts >= options.end:
            return False
        return options.path is None or matches(options.path, way_text(beat.way) or "", case_sensitive=False)

    def _beat(self, beat: Beat) -> Iterator[Event]:
        first, last = self._bounds or (beat.heartbeat_ts, beat.heartbeat_ts)
        self._bounds = min(first, beat.heartbeat_ts), max(last, beat.heartbeat_ts)
        self._lags.add(beat)
        if self._options.display is Display.RESTART:
            self._positions.add(beat)
        if self._options.display is not Display.HISTORY:
            return
        every = self._options.every
        if every is None:
            yield BeatShown(beat)
            return
        start = beat.heartbeat_ts // every * every
        begun, lags = self._intervals.get(beat.path, (start, Lags()))
        if begun != start:
            yield from _interval(begun, every, lags)
            lags = Lags()
        lags.add(beat)
        if beat.path in self._intervals or len(self._intervals) < MOST_PATHS:
            self._intervals[beat.path] = start, lags

    @property
    def damaged(self) -> int:
        """Number of places with damage."""
        return self._reader.damaged

    def results(self, now: Callable[[], int], *, is_partial: bool) -> Iterator[Event]:
        """Yield the summary and the result of each path; ages and restart positions only if everything was read."""
        for beat in self._new.rest():
            if self._is_wanted(beat):
                yield from self._beat(beat)
        for start, interval_lags in self._intervals.values():
            yield from _interval(start, self._options.every or 0, interval_lags)
        moment, source = self._moment(now)
        lags = list(self._lags.paths(moment, self._options.frequency, 0 if is_partial else self._committed(moment)))
        yield self._whole(moment, source, len(lags), is_partial=is_partial)
        if self._options.display is Display.LAG and moment is not None:
            yield from (PathLagShown(lag, moment, source, is_partial) for lag in lags)
        if self._options.display is Display.RESTART and not is_partial:
            yield from self._positions.shown()
        if self._options.display is Display.GAPS:
            yield from (BeatGapShown(lag, gap) for lag in lags for gap in lag.gaps)

    def _moment(self, now: Callable[[], int]) -> tuple[int | None, Clock]:
        if self._options.is_now:
            return now(), Clock.NOW
        if self._options.at is not None:
            return self._options.at, Clock.GIVEN
        known = [moment for moment in (self._lags.newest, self._reader.newest) if moment is not None]
        return max(known, default=None), Clock.TRAIL

    def _committed(self, moment: int | None) -> int | None:
        """Return the newest commit time in the trail, not after the moment of the answer or the end of the beats."""
        bounds = [bound for bound in (self._reader.newest, moment, self._options.end) if bound is not None]
        return min(bounds, default=None)

    def _whole(self, moment: int | None, source: Clock, paths: int, *, is_partial: bool) -> Event:
        first, last = self._bounds or (None, None)
        return HeartbeatsShown(
            self._table.name,
            self._table.rule,
            tuple(sorted(self._tables)),
            self._lags.beats,
            paths,
            self._lags.others,
            first,
            last,
            moment,
            source,
            tuple(sorted(self._reader.not_beats)),
            self._has_same_database,
            self._reader.problems,
            self._reader.damaged,
            self._reader.not_applied,
            self._deleted,
            self._purged(moment),
            is_partial,
        )

    def _purged(self, moment: int | None) -> int | None:
        """Return the number of history rows that a purge at a moment would remove."""
        days = self._options.retention
        if days is None or moment is None:
            return None
        return sum(received < moment - days * _DAY for received in self._received)


def _interval(start: int, length: int, lags: Lags) -> Iterator[Event]:
    """Yield the lags of each path in an interval; ``start`` is Julian, ``length`` microseconds."""
    for lag in lags.paths():
        yield BeatIntervalShown(start, start + length, lag)


def run_heartbeat(session: Session, options: HeartbeatOptions) -> Iterator[Event]:
    """Add up the heartbeats of the open file (with ACROSS also of those after it), or of files matching a wildcard.

    The read position does not change.
    """
    with Workers() as workers:
        yield from _surveyed(session, options, workers)


def _surveyed(session: Session, options: HeartbeatOptions, workers: Workers) -> Iterator[Event]:
    table = heartbeat_table(session, options.table)
    ranges = NotAppliedByFile(workers=workers)
    reader = HeartbeatReader(
        session.definitions_of, table.name, session.selection, not_applied_in=ranges.of, uses_threads=True
    )
    survey = HeartbeatSurvey(options, table, reader, session.settings.notify)
    paths = list(files_from(session)) if options.over is None else matching_files(options.over)
    unreadable = list[Path]()

    def reading() -> Reading:
        return Reading(damaged=survey.damaged, unreadable=len(unreadable)).over(gaps_among(paths))

    def results(of: Reading) -> Iterator[Event]:
        return survey.results(current_timestamp, is_partial=of.is_partial)

    yield from answered(_over_files(session, survey, paths, unreadable), reading, results)


def _over_files(
    session: Session, survey: HeartbeatSurvey, paths: list[Path], unreadable: list[Path]
) -> Iterator[Event]:
    for path in paths:
        try:
            yield from _other(session, survey, path)
        except NotATrail as error:
            unreadable.append(path)
            yield Notice((f"{error}: not read",), bad=Bad(error))


def _other(session: Session, survey: HeartbeatSurvey, path: Path) -> Iterator[Event]:
    if session.has_trail and path == session.trail.path:
        yield from survey.take(session.trail)
        return
    with TrailFile(path) as trail:
        yield from survey.take(trail)
