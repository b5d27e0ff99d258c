"""One run of BR: the first pass sets the redo clock, the second finds the open transactions of each checkpoint."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from logdump.features.bounded_recovery.checkpoints import (
    MOST_CHECKPOINTS,
    BrCheckpoints,
    GivenBegin,
    began,
    is_before,
    operations_of,
    place_of,
    start_of,
)
from logdump.features.bounded_recovery.model import (
    BeginSource,
    BoundedRecoveryShown,
    BrOptions,
    BrRestartShown,
    CheckpointShown,
    ClockState,
    FirstSource,
    LongTransactionsEnd,
    LongTransactionShown,
    ObservedRestart,
    RedoStart,
    RestartKind,
    RestartReach,
    TransactionInterval,
)
from logdump.features.heartbeat.beats import beats_of
from logdump.features.heartbeat.model import Direction, HeartbeatRow
from logdump.features.heartbeat.reading import HeartbeatReader
from logdump.features.recovery.model import Findings
from logdump.session.effective_rows import NotAppliedByFile
from logdump.session.errors import CommandError
from logdump.session.events import Event, Progress
from logdump.session.reading import Reading, reading_of
from trailformat.changes.csn import csn_key
from trailformat.records.file_header import ORACLE
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Damage, DamagedPlaces, Extent, Restart
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.redo_clock import RedoClock, RedoPlace
from trailformat.transactions.whole_trail import WholeTrail

_ORACLE_CSN = "number"


class FirstCheckpoint(NamedTuple):
    """The first checkpoint, and the source of its time."""

    time: int
    source: FirstSource
    position: FilePosition | None


class FirstPass:
    """Collects the facts about a trail from which checkpoints are calculated.

    Args:
        whole: the trail.
        slack: that of the redo clock, microseconds.
        moment: that of a restart; later restart records do not count. None: all count.
        see_damage: called with each place of damage.

    Attributes:
        clock: the redo clock, set by all whole transactions.
        commits: the first and the last commit; None before any.
        unknown_vendor: True if no header names Oracle as the source.
    """

    def __init__(
        self,
        whole: WholeTrail,
        slack: int,
        moment: int | None,
        see_damage: Callable[[Damage], object] = lambda _: None,
    ) -> None:
        self.clock = RedoClock(slack)
        self.commits: tuple[int, int] | None = None
        self._whole, self._damaged = whole, DamagedPlaces(whole)
        self.unknown_vendor = True
        self._at, self._see_damage = moment, see_damage
        self._created: FirstCheckpoint | None = None
        self._marker: FirstCheckpoint | None = None

    @property
    def damaged(self) -> int:
        """Number of places of damage."""
        return self._damaged.number

    def read_headers(self) -> None:
        """Read the header of each file.

        Raises:
            CommandError: a header names another source than Oracle.
        """
        for ordinal in range(len(self._whole)):
            trail = self._whole.open(ordinal)
            if trail is None:
                continue
            with trail:
                header = trail.file_header
            if header is None:
                continue
            if header.vendor not in ("", ORACLE):
                raise not_oracle(f"DatabaseInfo of {trail.path.name} names vendor {header.vendor}")
            self.unknown_vendor = self.unknown_vendor and header.vendor != ORACLE
            if self._created is None and header.created is not None:
                self._created = FirstCheckpoint(header.created, FirstSource.CREATED, FilePosition(trail.path, 0))

    def take(self, item: Extent | Damage | Restart) -> None:
        """Add the next item of the trail.

        Raises:
            CommandError: a CSN is not one of Oracle.
        """
        for damage in self._damaged.take(item):
            self._see_damage(damage)
        if isinstance(item, Restart):
            if self._at is None or item.time <= self._at:
                self._marker = FirstCheckpoint(item.time, FirstSource.RESTART, item.position)
        elif isinstance(item, Extent) and item.is_whole:
            self._learn(item)

    def _learn(self, extent: Extent) -> None:
        csn, commit = extent.transaction.csn, extent.last_moment.time
        if self.unknown_vendor and csn is not None:
            key = csn_key(csn)
            if key is not None and key.kind != _ORACLE_CSN:
                raise not_oracle(f"{csn} is a {key.kind}")
        first, last = self.commits or (commit, commit)
        self.commits = min(first, commit), max(last, commit)
        place, last_place = place_of(extent.first_moment), place_of(extent.last_moment)
        if place is not None:
            self.clock.learn(place, last_place or place, commit, is_one=extent.records == 1)

    def first_checkpoint(self, given: int | None) -> FirstCheckpoint | None:
        """Return the given time, else that of the last restart, the creation of the first file, or the first commit.

        None if there is no time at all.
        """
        if given is not None:
            return FirstCheckpoint(given, FirstSource.GIVEN, None)
        commit = FirstCheckpoint(self.commits[0], FirstSource.COMMIT, None) if self.commits is not None else None
        return self._marker or self._created or commit

    @property
    def clock_state(self) -> ClockState:
        """The state of the redo clock."""
        if self.clock.is_set:
            return ClockState.USED
        return ClockState.MIXED if self.clock.transactions else ClockState.ABSENT


def not_oracle(why: str) -> CommandError:
    """Return the error for a trail from another database."""
    return CommandError(f"Bounded Recovery exists for Oracle only: {why}.")


_MOST_ENDS = 4_000_000
"""Maximum number of commits kept, the last ones, to count the transactions that are captured again."""


class RestartAt:
    """Collects the transactions that are open at a moment, and the commits before it.

    Args:
        checkpoints: the checkpoints up to the moment.
        options: ``restart`` is the moment; ``fails``, ``is_off`` and ``log_size`` are used too.
    """

    def __init__(self, checkpoints: BrCheckpoints, options: BrOptions) -> None:
        self._at, self._checkpoints, self._options = options.restart or 0, checkpoints, options
        self._number = checkpoints.number_at(self._at) - options.fails
        self._oldest: TransactionInterval | None = None
        self._has_persisted = False
        self._last_place: RedoPlace | None = None
        self._ends: array[int] = array("q")

    def add(self, transaction: TransactionInterval) -> None:
        """Add a transaction."""
        if transaction.end is not None and transaction.end <= self._at:
            if transaction.position is not None:  # one of BEGINS that is not in the trail was rolled back
                self._ends.append(transaction.end)
            if len(self._ends) > _MOST_ENDS:
                del self._ends[: _MOST_ENDS // 2]
            if transaction.last_place is not None:
                self._last_place = max(transaction.last_place, self._last_place or transaction.last_place)
        elif transaction.high <= self._at:
            if self._oldest is None or is_before(transaction, self._oldest):
                self._oldest = transaction
            is_persisted = not self._options.is_off and self._checkpoints.is_persisted_at(transaction, self._number)
            self._has_persisted = self._has_persisted or is_persisted

    def shown(self, heartbeat: ObservedRestart | None, header: ObservedRestart | None) -> BrRestartShown:
        """Return the restart; all transactions must have been added."""
        ends = sorted(self._ends)
        here = RedoStart(self._at, self._last_place)
        without = self._reach(start_of(self._oldest) if self._oldest is not None else here, ends)
        kind = RestartKind.NORMAL if self._oldest is not None else RestartKind.READ_CHECKPOINT
        kind = RestartKind.BOUNDED if self._has_persisted else kind
        is_bounded = kind is RestartKind.BOUNDED
        number, checkpoints = self._number, self._checkpoints
        last_number = checkpoints.number_at(self._at)
        late = self._at - checkpoints.time(last_number) if self._options.fails else 0
        return BrRestartShown(
            self._at,
            kind,
            checkpoints.time(number) if number >= 0 else None,
            self._reach(checkpoints.restart(number), ends) if is_bounded else without,
            without,
            checkpoints.persisted_at(number) if is_bounded else 0,
            None if self._options.is_off else 2 * checkpoints.interval + late,
            self._options.fails,
            heartbeat,
            header,
        )

    def _reach(self, start: RedoStart, ends: list[int]) -> RestartReach:
        logs = size = None
        if start.place is not None and self._last_place is not None:
            logs = max(0, self._last_place.log - start.place.log) + 1
            size = self._bytes(start.place, self._last_place, logs)
        recaptured = len(ends) - bisect_right(ends, start.time)
        return RestartReach(start, self._at - start.time, logs, size, recaptured)

    def _bytes(self, start: RedoPlace, end: RedoPlace, logs: int) -> int | None:
        """Return the bytes of redo between two positions; over several logs None without LOGSIZE, else as if full."""
        if logs == 1:
            return max(0, end.position - start.position)
        log_size = self._options.log_size
        if log_size is None:
            return None
        return max(0, log_size - start.position) + (logs - 2) * log_size + end.position


class BrSurvey:
    """The transactions of a trail (first copies only) and the checkpoints of Bounded Recovery.

    Args:
        whole: the trail.
        options: the options of BR.
        given: begins from the file of BEGINS, by TRANID.
        takes: returns True for a transaction to be listed.
        see_damage: called with each place of damage.
    """

    def __init__(
        self,
        whole: WholeTrail,
        options: BrOptions,
        given: Mapping[str, GivenBegin],
        takes: Callable[[TransactionInterval], bool] = lambda _: True,
        see_damage: Callable[[Damage], object] = lambda _: None,
    ) -> None:
        self._whole, self._options, self._takes = whole, options, takes
        self._given = dict(given)
        self._pass = FirstPass(whole, options.slack, options.restart, see_damage)
        self._not_applied, self._copies = NotApplied(whole, past_damage=True), 0
        self._clock: RedoClock | None = None
        self._first: FirstCheckpoint | None = None
        self._main = BrCheckpoints(0, options.interval, -1)
        self._compared: list[BrCheckpoints] = []
        self._restart: RestartAt | None = None
        self._sources: Counter[BeginSource] = Counter()
        self._longer = options.longer or options.interval
        self._long = Findings[LongTransactionShown]()
        self._certain = 0

    def run(self, notify: int) -> Iterator[Progress]:
        """Read the trail twice.

        Raises:
            CommandError: the source is not Oracle, or there would be too many checkpoints.
            CannotRead: a file can no longer be read.
        """
        self._pass.read_headers()
        for item in self._first_copies(notify):
            if isinstance(item, Progress):
                yield item
            else:
                self._pass.take(item)
        self._make_checkpoints()
        if self._first is None:
            return
        for item in self._first_copies(notify):
            if isinstance(item, Progress):
                yield item
            elif isinstance(item, Extent) and item.is_whole:
                self._take(item)
        for given in self._given.values():
            self._add(_not_in_trail(given), None)

    def _first_copies(self, notify: int) -> Iterator[Extent | Damage | Restart | Progress]:
        """Yield the items of ``walked``, without later copies of transactions."""
        copies = 0
        for item in walked_once(self._whole, notify, self._not_applied):
            if item is None:
                copies += 1
            else:
                yield item
        self._copies = copies

    def _make_checkpoints(self) -> None:
        self._clock = self._pass.clock if self._pass.clock.is_set else None
        self._first = self._pass.first_checkpoint(self._options.first)
        if self._first is None:
            return
        first, last = self._first.time, self._first.time
        if self._pass.commits is not None:
            last = self._pass.commits[1]
            if self._options.restart is None:  # Extract stopped at the end of the trail
                self._options = self._options._replace(restart=last)
        options = self._options
        self._main = BrCheckpoints(first, options.interval, max(last, options.restart or last))
        self._compared = [BrCheckpoints(first, interval, last) for interval in options.compare]
        if max(checkpoints.count for checkpoints in (self._main, *self._compared)) > MOST_CHECKPOINTS:
            raise CommandError(f"There would be more than {MOST_CHECKPOINTS} checkpoints: FIRST begins later.")
        if options.restart is not None:
            self._restart = RestartAt(self._main, options)

    def _take(self, extent: Extent) -> None:
        given = self._given.pop(extent.transaction.xid or "", None)
        self._add(began(extent, given, self._clock), extent)

    def _add(self, transaction: TransactionInterval, extent: Extent | None) -> None:
        self._sources[transaction.source] += 1
        for checkpoints in (self._main, *self._compared):
            operations = None
            if extent is not None and checkpoints.is_persisted(transaction):
                operations = operations_of(self._whole, extent, self._clock)
            checkpoints.add(transaction, operations)
        if self._restart is not None:
            self._restart.add(transaction)
        self._note_long(transaction)

    def _note_long(self, transaction: TransactionInterval) -> None:
        end = self._main.last if transaction.end is None else transaction.end
        is_certain = end - transaction.high > self._longer
        is_possible = transaction.low is not None and end - transaction.low > self._longer
        if (is_certain or is_possible) and self._takes(transaction):
            self._certain += is_certain
            intervals, persisted, reach = (end - transaction.high) // self._main.interval, False, end - transaction.high
            if not self._options.is_off:
                persisted, reach = self._main.is_persisted(transaction), self._main.reach(transaction)
            self._long.add(LongTransactionShown(transaction, is_certain, intervals, persisted, reach))

    @property
    def end(self) -> LongTransactionsEnd:
        """Number of long-running transactions."""
        listed = len(self._long.listed)
        return LongTransactionsEnd(self._longer, self._certain, self._long.number - self._certain, listed)

    def reading(self) -> Reading:
        """Return the gaps of the reading: damage, missing and unreadable files."""
        return reading_of(self._whole, self._pass.damaged)

    def shown(self, title: str, *, is_partial: bool) -> BoundedRecoveryShown:
        """Return the summary."""
        first = self._first
        return BoundedRecoveryShown(
            title,
            self._options.interval,
            first.time if first is not None else None,
            first.source if first is not None else FirstSource.COMMIT,
            first.position if first is not None else None,
            self._pass.clock_state,
            dict(self._sources),
            self._main.count,
            self._main.busy,
            self._options.parameter,
            self._pass.unknown_vendor,
            self._pass.damaged,
            self._copies,
            is_partial,
        )

    def events(
        self, title: str, definitions_of: Callable[[TrailFile], RowDefinitions], *, is_partial: bool
    ) -> Iterator[Event]:
        """Yield the results so far; those of a restart only if all was read."""
        yield self.shown(title, is_partial=is_partial)
        yield from self.checkpoints(is_partial=is_partial)
        if not is_partial and self._restart is not None and self._options.restart is not None:
            moment = self._options.restart
            table = self._options.heartbeat_table
            heartbeat = from_heartbeats(self._whole, definitions_of, moment, table)
            yield self._restart.shown(heartbeat, from_headers(self._whole, moment))
        yield from self._long
        if not is_partial:
            yield self.end
            yield from (checkpoints.compared() for checkpoints in self._compared)

    def checkpoints(self, *, is_partial: bool) -> list[CheckpointShown]:
        """Return the checkpoints with an open transaction; without restart positions if not all was read."""
        shown = self._main.shown()
        return [checkpoint._replace(restart=None) for checkpoint in shown] if is_partial else shown

    @property
    def grid(self) -> BrCheckpoints:
        """The same checkpoints without transactions."""
        return BrCheckpoints(self._main.first, self._main.interval, self._main.last)

    @property
    def long_transactions(self) -> list[LongTransactionShown]:
        """Transactions that were, or may have been, open for longer than LONGER or the interval.

        The first MOST_LISTED of them.
        """
        return self._long.listed


def walked(whole: WholeTrail, notify: int) -> Iterator[Extent | Damage | Restart | Progress]:
    """Yield the items of a trail, and Progress as set by NOTIFY."""
    records = 0
    for item in transactions_of(whole):
        yield item
        if isinstance(item, Extent) and item.last is not None:
            before, records = records, records + item.records
            if records // notify > before // notify:
                yield Progress(records, item.last.rba, item.last_moment.time, whole.size)


def walked_once(
    whole: WholeTrail, notify: int, not_applied: NotApplied
) -> Iterator[Extent | Damage | Restart | Progress | None]:
    """Yield the items of :func:`walked`, None in place of each later copy of a transaction."""
    for item in walked(whole, notify):
        extent = item if isinstance(item, Extent) and item.is_whole else None
        yield None if extent is not None and extent.begin is not None and not_applied.holds(extent.begin) else item


def _not_in_trail(given: GivenBegin) -> TransactionInterval:
    """Return a transaction that is only in the file of begins."""
    return TransactionInterval(
        None,
        given.xid,
        given.begin,
        given.begin,
        BeginSource.GIVEN,
        given.end,
        place=None,
        last_place=None,
        position=None,
        records=given.records,
        size=0,
    )


def from_heartbeats(
    whole: WholeTrail, definitions_of: Callable[[TrailFile], RowDefinitions], moment: int, table: str
) -> ObservedRestart | None:
    """Return the restart position of the last heartbeat up to a moment that has passed Extract, None without one.

    ``table`` is the name of the heartbeat tables.
    """
    reader, restart = HeartbeatReader(definitions_of, table, not_applied_in=NotAppliedByFile(whole).of), None
    for ordinal in range(len(whole)):
        trail = whole.open(ordinal)
        if trail is None:
            continue
        with trail:
            for row in reader.rows(trail):
                if isinstance(row, HeartbeatRow) and row.commit_time <= moment and _is_of_extract(row):
                    restart = ObservedRestart(row.position, row.commit_time, row.restart_csn, row.restart_ts)
    return restart


def _is_of_extract(row: HeartbeatRow) -> bool:
    """Return True if the restart position is that of the Extract that wrote the row."""
    is_set = row.restart_csn is not None or row.restart_ts is not None
    return is_set and any(beat.direction is Direction.OUTGOING and not beat.is_reported for beat in beats_of(row))


def from_headers(whole: WholeTrail, moment: int) -> ObservedRestart | None:
    """Return LOGBSN of the last file begun up to a moment whose header has it, None without one."""
    restart = None
    for ordinal in range(len(whole)):
        trail = whole.open(ordinal)
        if trail is None:
            continue
        with trail:
            header = trail.file_header
        if header is None or header.created is None or header.created > moment:
            continue
        logbsn = header.get("TrailInfo", "LOGBSN")
        if isinstance(logbsn, str) and logbsn:
            restart = ObservedRestart(FilePosition(whole.paths[ordinal], 0), header.created, logbsn, None)
    return restart
