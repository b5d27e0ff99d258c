"""One run of BR: two passes over a trail, the first for the redo clock, the second for what is open when."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping

from logdump.features.bounded_recovery import observed
from logdump.features.bounded_recovery.begins import GivenBegin
from logdump.features.bounded_recovery.checkpoints import MOST_CHECKPOINTS, BrCheckpoints
from logdump.features.bounded_recovery.first_pass import FirstCheckpoint, FirstPass
from logdump.features.bounded_recovery.model import (
    Began,
    BeginSource,
    BoundedRecoveryShown,
    CheckpointShown,
    FirstSource,
    LongTransactionsEnd,
    LongTransactionShown,
)
from logdump.features.bounded_recovery.options import BrOptions
from logdump.features.bounded_recovery.restart import RestartAt
from logdump.features.bounded_recovery.sources import began, operations_of
from logdump.features.recovery.lists import Findings
from logdump.session.errors import CommandError
from logdump.session.events import Event, Progress
from logdump.session.reading import Reading, reading_of
from trailformat.trail.file import TrailFile
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.transactions.extent import Damage, Extent, Restart
from trailformat.transactions.extents import transactions_of
from trailformat.transactions.not_applied import NotApplied
from trailformat.transactions.redo_clock import RedoClock
from trailformat.transactions.whole_trail import WholeTrail


class BrSurvey:
    """The transactions of a trail, of several copies the first, against the checkpoints of Bounded Recovery.

    Args:
        whole: the trail.
        options: what is wanted.
        given: begins that a file tells, by TRANID.
        takes: tells of a transaction whether it is listed.
        see_damage: takes each place of damage.
    """

    def __init__(
        self,
        whole: WholeTrail,
        options: BrOptions,
        given: Mapping[str, GivenBegin],
        takes: Callable[[Began], bool] = lambda _: True,
        see_damage: Callable[[Damage], object] = lambda _: None,
    ) -> None:
        self._whole, self._options, self._takes = whole, options, takes
        self._given = dict(given)
        self._pass = FirstPass(whole, options.slack, options.restart, see_damage)
        self._left_out, self._copies = NotApplied(whole, past_damage=True), 0
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
        """Go over the trail twice.

        Raises:
            CommandError: the source is not Oracle, or there would be too many checkpoints.
            NotATrail: a file cannot be read any more.
        """
        self._pass.read_headers()
        for one in self._first_copies(notify):
            if isinstance(one, Progress):
                yield one
            else:
                self._pass.take(one)
        self._make_checkpoints()
        if self._first is None:
            return
        for one in self._first_copies(notify):
            if isinstance(one, Progress):
                yield one
            elif isinstance(one, Extent) and one.is_whole:
                self._take(one)
        for given in self._given.values():
            self._add(_not_in_trail(given), None)

    def _first_copies(self, notify: int) -> Iterator[Extent | Damage | Restart | Progress]:
        """What ``walked`` has, without transactions that came before."""
        self._copies = 0
        for one in walked(self._whole, notify):
            if isinstance(one, Extent) and one.is_whole and one.begin is not None and self._left_out.holds(one.begin):
                self._copies += 1
            else:
                yield one

    def _make_checkpoints(self) -> None:
        self._clock = self._pass.clock if self._pass.clock.is_set else None
        self._first = self._pass.first_checkpoint(self._options.first)
        if self._first is None:
            return
        first, options = self._first.time, self._options
        last = self._pass.commits[1] if self._pass.commits is not None else first
        self._main = BrCheckpoints(first, options.interval, max(last, options.restart or last))
        self._compared = [BrCheckpoints(first, interval, last) for interval in options.compare]
        if max(one.count for one in (self._main, *self._compared)) > MOST_CHECKPOINTS:
            raise CommandError(f"There would be more than {MOST_CHECKPOINTS} checkpoints: FIRST begins later.")
        if options.restart is not None:
            self._restart = RestartAt(self._main, options)

    def _take(self, extent: Extent) -> None:
        given = self._given.pop(extent.transaction.xid or "", None)
        self._add(began(extent, given, self._clock), extent)

    def _add(self, one: Began, extent: Extent | None) -> None:
        self._sources[one.source] += 1
        for checkpoints in (self._main, *self._compared):
            operations = None
            if extent is not None and checkpoints.is_persisted(one):
                operations = operations_of(self._whole, extent, self._clock)
            checkpoints.add(one, operations)
        if self._restart is not None:
            self._restart.add(one)
        self._note_long(one)

    def _note_long(self, one: Began) -> None:
        end = self._main.last if one.end is None else one.end
        is_certain = end - one.high > self._longer
        is_possible = one.low is not None and end - one.low > self._longer
        if (is_certain or is_possible) and self._takes(one):
            self._certain += is_certain
            intervals, persisted, reach = (end - one.high) // self._main.interval, False, end - one.high
            if not self._options.is_off:
                persisted, reach = self._main.is_persisted(one), self._main.reach(one)
            self._long.add(LongTransactionShown(one, is_certain, intervals, persisted, reach))

    @property
    def end(self) -> LongTransactionsEnd:
        """How many long-running transactions there are."""
        listed = len(self._long.listed)
        return LongTransactionsEnd(self._longer, self._certain, self._long.number - self._certain, listed)

    def reading(self) -> Reading:
        """What the reading lacks."""
        return reading_of(self._whole, self._pass.damaged)

    def shown(self, title: str, *, is_partial: bool) -> BoundedRecoveryShown:
        """The whole in numbers."""
        first = self._first
        return BoundedRecoveryShown(
            title,
            self._options.interval,
            first.time if first is not None else None,
            first.source if first is not None else FirstSource.COMMIT,
            first.spot if first is not None else None,
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
        """What there is so far; where the reading is partial, nothing of what a restart reads."""
        yield self.shown(title, is_partial=is_partial)
        yield from self.checkpoints(is_partial=is_partial)
        if not is_partial and self._restart is not None and self._options.restart is not None:
            at = self._options.restart
            table = self._options.heartbeat_table
            heartbeat = observed.from_heartbeats(self._whole, definitions_of, at, table)
            yield self._restart.shown(heartbeat, observed.from_headers(self._whole, at))
        yield from self._long
        if not is_partial:
            yield self.end
            yield from (checkpoints.compared() for checkpoints in self._compared)

    def checkpoints(self, *, is_partial: bool) -> list[CheckpointShown]:
        """Those at which a transaction is open."""
        shown = self._main.shown()
        return [one._replace(restart=None) for one in shown] if is_partial else shown

    @property
    def grid(self) -> BrCheckpoints:
        """The moments of all checkpoints, without anything that is open at them."""
        return BrCheckpoints(self._main.first, self._main.interval, self._main.last)

    @property
    def long_transactions(self) -> list[LongTransactionShown]:
        """Those that were, or may have been, open for longer than the interval; the first ones where they are many."""
        return self._long.listed


def walked(whole: WholeTrail, notify: int) -> Iterator[Extent | Damage | Restart | Progress]:
    """The transactions of a trail, and NOTIFY's reports."""
    records = 0
    for one in transactions_of(whole):
        yield one
        if isinstance(one, Extent) and one.last is not None:
            before, records = records, records + one.records
            if records // notify > before // notify:
                yield Progress(records, one.last.rba, one.last_moment.time, whole.size)


def _not_in_trail(given: GivenBegin) -> Began:
    """A transaction that only the file of begins tells."""
    return Began(
        None,
        given.xid,
        given.begin,
        given.begin,
        BeginSource.GIVEN,
        given.end,
        place=None,
        last_place=None,
        spot=None,
        records=given.records,
        size=0,
    )
