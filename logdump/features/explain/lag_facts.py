"""Facts about a lag: the beats around it, and volumes, long transactions, restarts and clocks of the trail."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from logdump.features.bounded_recovery.checkpoints import began, place_of
from logdump.features.bounded_recovery.model import BeginSource, TransactionInterval
from logdump.features.heartbeat.lags import MOST_PATHS, GapFinder, overdue_beats
from logdump.features.heartbeat.model import Beat, BeatPath, Gap
from trailformat.records.record_header import DDL_OP, METADATA, NOT_TRANSACTIONAL
from trailformat.scan import RECORD, Batch
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Damage, DamagedPlaces, Extent, Restart
from trailformat.transactions.redo_clock import RedoClock
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_RECENT = 8
_ENDS_WITH = "total_lag"


class PassedBeat(NamedTuple):
    """A beat: its time, its position, and the known lags of its hops (microseconds)."""

    time: int
    position: FilePosition
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


class BeatFacts(NamedTuple):
    """The facts about a lag that heartbeats show.

    Attributes:
        chosen: the beat that shows the lag; None without one.
        path: its path.
        before: the last beats of the same path before it, the oldest first.
        gap: the gap at the given moment, else the longest one; None without one.
        gap_path: the path in which it is.
        gaps: number of gaps in the trail.
        beats: number of beats.
        ends: time of the newest beat and newest time in the trail, if the given moment is after both and a beat was
            due by then; else None.
    """

    chosen: PassedBeat | None
    before: tuple[PassedBeat, ...]
    gap: Gap | None
    gaps: int
    beats: int
    ends: tuple[int, int] | None = None
    path: BeatPath | None = None
    gap_path: BeatPath | None = None


class _Way:
    def __init__(self) -> None:
        self.recent: deque[PassedBeat] = deque(maxlen=_RECENT)
        self.gaps = GapFinder()
        self.chosen: PassedBeat | None = None
        self.before: tuple[PassedBeat, ...] = ()

    @property
    def newest(self) -> int:
        """The time of the newest beat; 0 before the first."""
        return self.gaps.newest.time if self.gaps.newest is not None else 0


class BeatsAround:
    """Finds the beat that shows the lag, from beats in trail order.

    Args:
        moment: that of the lag: the last beat at or before it is chosen. None: the beat with the greatest lag.
    """

    def __init__(self, moment: int | None) -> None:
        self._at = moment
        self._ways: dict[BeatPath, _Way] = {}
        self._beats = 0

    def add(self, beat: Beat) -> None:
        """Add a beat."""
        self._beats += 1
        if beat.path not in self._ways and len(self._ways) >= MOST_PATHS:
            return
        way = self._ways.setdefault(beat.path, _Way())
        point = _point(beat)
        way.gaps.add(beat.place)
        if self._is_chosen(point, way.chosen):
            way.chosen, way.before = point, _in_order(way.recent, point.time)
        way.recent.append(point)

    def _is_chosen(self, point: PassedBeat, before: PassedBeat | None) -> bool:
        if self._at is not None:
            return point.time <= self._at and (before is None or point.time >= before.time)
        return before is None or point.total > before.total

    def facts(self, newest: int | None) -> BeatFacts:
        """Return the facts so far; ``newest`` is the newest time in the trail."""
        known = [(path, way) for path, way in self._ways.items() if way.chosen is not None]
        path, way = max(known, key=lambda known: known[1].chosen.total if known[1].chosen else 0, default=(None, None))
        gaps = list(self._gaps(newest))
        number = len(gaps)
        if self._at is not None:
            gaps = [(path, gap) for path, gap in gaps if _is_in(gap, self._at)]
        gap_path, gap = max(gaps, key=lambda gap: gap[1].microseconds, default=(None, None))
        chosen, before = (way.chosen, way.before) if way is not None else (None, ())
        return BeatFacts(chosen, before, gap, number, self._beats, self._ends(newest), path, gap_path)

    def _gaps(self, newest: int | None) -> Iterator[tuple[BeatPath, Gap]]:
        """Yield the gaps of all paths, those at the end of the trail last."""
        for path, way in self._ways.items():
            yield from ((path, gap) for gap in way.gaps.gaps())
        if newest is not None:
            yield from overdue_beats({path: way.gaps for path, way in self._ways.items()}, newest).items()

    def _ends(self, newest: int | None) -> tuple[int, int] | None:
        """Return the newest beat and the newest time if the moment is after both and a beat was due by then."""
        way, moment = max(self._ways.values(), key=lambda way: way.newest, default=None), self._at
        if way is None or moment is None or newest is None or moment <= newest:
            return None
        is_beyond = way.gaps.interval is None or way.gaps.overdue(moment) is not None
        return (way.newest, newest) if is_beyond else None


def _is_in(gap: Gap, moment: int) -> bool:
    """Return True if a moment is in a gap; that at the end of a trail begins with the commit of the last beat."""
    if gap.before is None:
        return gap.after.committed < moment <= gap.end
    return gap.after.time < moment < gap.end


def _in_order(points: Iterable[PassedBeat], end: int) -> tuple[PassedBeat, ...]:
    """Return the beats before a time, in order of time; some may have come late."""
    return tuple(sorted((point for point in points if point.time < end), key=lambda point: point.time))


def _point(beat: Beat) -> PassedBeat:
    lags = beat.lags._asdict()
    hops = {name: lag for name, lag in lags.items() if lag is not None and name != _ENDS_WITH}
    return PassedBeat(beat.heartbeat_ts, beat.row.position, hops, beat.extract_ts)


MOST_RESTARTS = 100


class LagWindow(NamedTuple):
    """The time of a lag: from the beat that shows it to its arrival, or a gap between beats.

    ``after`` and ``before`` are the positions of the beats around a gap.
    """

    start: int
    end: int
    after: TrailPosition | None = None
    before: TrailPosition | None = None

    def holds(self, time: int, place: TrailPosition) -> bool:
        """Return True if an item is in the window, by its time or by its position between the two beats."""
        is_between = self.after is not None and self.before is not None and self.after < place < self.before
        return self.start <= time <= self.end or is_between


class ClockLag(NamedTuple):
    """A definition, written when the commit of the next row was ``lag`` microseconds old."""

    written: int
    lag: int
    position: FilePosition


class TrailFacts(NamedTuple):
    """Facts about the window of a trail.

    Attributes:
        restarts: restart records in the window, the last MOST_RESTARTS.
        all_restarts: number of restarts in the whole trail; ``last_restart``: the last of them.
        transactions, records, bytes: committed in the window.
        largest: the transaction committed in the window with the most records.
        longest: the longest transaction that was open in the window, as far as the trail shows.
        ddl: number of DDL statements committed in the window; ``first_ddl``: the transaction of the first.
        damaged: number of places of damage.
    """

    restarts: tuple[Restart, ...]
    all_restarts: int
    last_restart: Restart | None
    transactions: int
    records: int
    bytes: int
    largest: Extent | None
    longest: TransactionInterval | None
    ddl: int
    first_ddl: FilePosition | None
    damaged: int


class TransactionsAround:
    """Collects the transactions of a trail, in trail order."""

    def __init__(self, whole: WholeTrail, window: LagWindow) -> None:
        self._whole, self._window = whole, window
        self._damaged = DamagedPlaces(whole)
        self._clock = RedoClock()
        self._restarts: deque[Restart] = deque(maxlen=MOST_RESTARTS)
        self._all_restarts = 0
        self._last_restart: Restart | None = None
        self._transactions = self._records = self._bytes = self._ddl = 0
        self._first_ddl: FilePosition | None = None
        self._largest: Extent | None = None
        self._longest: TransactionInterval | None = None

    def take(self, item: Extent | Damage | Restart) -> None:
        """Add the next item of the trail."""
        self._damaged.take(item)
        if isinstance(item, Restart):
            self._restart(item)
        elif isinstance(item, Extent) and item.is_whole:
            self._committed(item)

    def _restart(self, restart: Restart) -> None:
        self._all_restarts, self._last_restart = self._all_restarts + 1, restart
        if self._window.holds(
            restart.time, TrailPosition(self._whole.ordinals[restart.position.path], restart.position.rba)
        ):
            self._restarts.append(restart)

    def _committed(self, extent: Extent) -> None:
        commit, first = extent.last_moment.time, place_of(extent.first_moment)
        if first is not None:
            self._clock.learn(first, place_of(extent.last_moment) or first, commit, is_one=extent.records == 1)
        transaction = began(extent, None, self._clock)
        is_open = transaction.high < self._window.end and commit > self._window.start
        if is_open and (self._longest is None or _length(transaction) > _length(self._longest)):
            self._longest = transaction
        if not self._window.start <= commit <= self._window.end:
            return
        self._transactions += 1
        self._records += extent.records
        self._bytes += extent.size
        statements = sum(types[DDL_OP] for types in extent.tables.values())
        if statements and self._first_ddl is None:
            self._first_ddl = extent.begin
        self._ddl += statements
        if self._largest is None or extent.records > self._largest.records:
            self._largest = extent

    def facts(self) -> TrailFacts:
        """Return the facts so far."""
        longest = self._longest
        if longest is not None and longest.source is BeginSource.REDO_CLOCK and self._clock.is_mixed:
            longest = None
        return TrailFacts(
            tuple(self._restarts),
            self._all_restarts,
            self._last_restart,
            self._transactions,
            self._records,
            self._bytes,
            self._largest,
            longest,
            self._ddl,
            self._first_ddl,
            self._damaged.number,
        )


def _length(transaction: TransactionInterval) -> int:
    return (transaction.end or transaction.high) - transaction.high


class DefinitionClocks:
    """Finds the lag that definition records show: they have the time of their writing, rows that of their commit.

    Args:
        moment: that of the lag; None: that of the greatest lag.
    """

    def __init__(self, moment: int | None) -> None:
        self._at = moment
        self._written: tuple[int, FilePosition] | None = None
        self.found: ClockLag | None = None

    def take(self, begin: FilePosition, batch: Batch) -> None:
        """Add the next batch of a file; ``begin`` is its beginning."""
        for row in range(len(batch)):
            if int(batch.kind[row]) != RECORD:
                continue
            io_type, time = int(batch.io_type[row]), int(batch.io_time[row])
            if io_type == METADATA:
                self._written = time, begin._replace(rba=int(batch.rba[row]))
            elif io_type not in NOT_TRANSACTIONAL and self._written is not None:
                (written, position), self._written = self._written, None
                self._note(ClockLag(written, written - time, position))

    def _note(self, clock_lag: ClockLag) -> None:
        is_chosen = (
            clock_lag.written <= self._at
            if self._at is not None
            else self.found is None or clock_lag.lag > self.found.lag
        )
        self.found = clock_lag if is_chosen else self.found
