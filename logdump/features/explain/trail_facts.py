"""Facts of a trail about a lag: volumes, long transactions, restarts, clocks."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from logdump.features.bounded_recovery.model import BeginSource, TransactionInterval
from logdump.features.bounded_recovery.sources import began, place_of
from trailformat.records.io_types import DDL_OP, METADATA, NOT_TRANSACTIONAL
from trailformat.scan import RECORD, Batch
from trailformat.trail.sequence import Spot
from trailformat.transactions.damaged_places import DamagedPlaces
from trailformat.transactions.extent import Damage, Extent, Restart
from trailformat.transactions.redo_clock import RedoClock
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

MOST_RESTARTS = 100


class LagWindow(NamedTuple):
    """The time that is looked at: from the beat that shows the lag to its arrival, or where beats are missing.

    ``after`` and ``before`` are the places of the beats around it, where beats are missing.
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
    spot: Spot


class TrailFacts(NamedTuple):
    """Facts of a trail about a window.

    Attributes:
        restarts: restart records in the window, the last ones.
        all_restarts: number of restarts in the whole trail; ``last_restart``: the last of them.
        transactions, records, bytes: committed in the window.
        largest: the committed transaction with the most records.
        longest: the transaction that was open in the window for longest, as far as the trail shows.
        ddl: DDL statements committed in the window, and the first of them.
        damaged: places of damage.
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
    first_ddl: Spot | None
    damaged: int


class TransactionsAround:
    """Takes the transactions of a trail in, in their order."""

    def __init__(self, whole: WholeTrail, window: LagWindow) -> None:
        self._whole, self._window = whole, window
        self._damaged = DamagedPlaces(whole)
        self._clock = RedoClock()
        self._restarts: deque[Restart] = deque(maxlen=MOST_RESTARTS)
        self._all_restarts = 0
        self._last_restart: Restart | None = None
        self._transactions = self._records = self._bytes = self._ddl = 0
        self._first_ddl: Spot | None = None
        self._largest: Extent | None = None
        self._longest: TransactionInterval | None = None

    def take(self, one: Extent | Damage | Restart) -> None:
        """Add the next item of the trail."""
        self._damaged.take(one)
        if isinstance(one, Restart):
            self._restart(one)
        elif isinstance(one, Extent) and one.is_whole:
            self._committed(one)

    def _restart(self, one: Restart) -> None:
        self._all_restarts, self._last_restart = self._all_restarts + 1, one
        if self._window.holds(one.time, TrailPosition(self._whole.ordinals[one.spot.path], one.spot.rba)):
            self._restarts.append(one)

    def _committed(self, extent: Extent) -> None:
        commit, first = extent.last_moment.time, place_of(extent.first_moment)
        if first is not None:
            self._clock.learn(first, place_of(extent.last_moment) or first, commit, is_one=extent.records == 1)
        one = began(extent, None, self._clock)
        is_open = one.high < self._window.end and commit > self._window.start
        if is_open and (self._longest is None or _length(one) > _length(self._longest)):
            self._longest = one
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


def _length(one: TransactionInterval) -> int:
    return (one.end or one.high) - one.high


class DefinitionClocks:
    """Takes the batches of a trail in: a definition bears the clock of who writes it, a row that of its commit.

    Args:
        at: the moment whose lag is wanted; None: the greatest.
    """

    def __init__(self, at: int | None) -> None:
        self._at = at
        self._written: tuple[int, Spot] | None = None
        self.found: ClockLag | None = None

    def take(self, spot_of: Spot, batch: Batch) -> None:
        """The next batch of a file."""
        for row in range(len(batch)):
            if int(batch.kind[row]) != RECORD:
                continue
            io_type, time = int(batch.io_type[row]), int(batch.io_time[row])
            if io_type == METADATA:
                self._written = time, spot_of._replace(rba=int(batch.rba[row]))
            elif io_type not in NOT_TRANSACTIONAL and self._written is not None:
                (written, spot), self._written = self._written, None
                self._note(ClockLag(written, written - time, spot))

    def _note(self, one: ClockLag) -> None:
        is_chosen = one.written <= self._at if self._at is not None else self.found is None or one.lag > self.found.lag
        self.found = one if is_chosen else self.found
