"""Counting by kernels: sums by group of records, without a row for each; or sums of the rows of batches that pass.

The rules of COUNT: a record is counted if its IO Time is within the bounds and its table is selected. A transaction
ends with a record of TransInd 2 or 3, counted or not, and is counted if one of its records is. It visits each of its
tables once; tables with the same name are one table. A mask may exclude further records.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from trailformat.codec.on_demand import on_demand
from trailformat.native.loaded import address_of, kernels
from trailformat.native.scan import arguments
from trailformat.records.record_header import NOT_TRANSACTIONAL
from trailformat.scan.batch import FILE_HEADER, Batch
from trailformat.scan.kernel_run import KernelRun, Spare, Window
from trailformat.scan.names import Names, NeedsEarlier
from trailformat.scan.position import ScanPosition

with on_demand:
    import numpy as np

HEADER_BYTES = 48
"""Bytes added to the size of a transaction for each of its records, besides their data."""
ROWS = 1 << 15
"""Maximum number of records of one :class:`KernelTotals`."""
_ROOM = 1 << 9
_KEYS = 1 << 8
_MOST_DIVISIONS = 1 << 8
"""Maximum number of definitions at which one scan begins new totals; with more, a second count is cheaper."""
_PER_TOTALS = (
    arguments.ENDED,
    arguments.VISITS,
    arguments.HEADERS,
    arguments.HEADER_BYTES,
    arguments.LARGE_ONES,
    arguments.HAS_TIME,
)
"""Cells of the state that are reset for each :class:`KernelTotals`."""
_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1


class CountBounds(NamedTuple):
    """The records to count: bounds of the IO Time (Julian, inclusive) and a test of the table's name; None: all."""

    start: int | None = None
    end: int | None = None
    takes_name: Callable[[str], bool] | None = None

    @property
    def has_bounds(self) -> bool:
        """True if there are bounds of the time; file headers, which have no IO Time, are not counted then."""
        return self.start is not None or self.end is not None

    def takes_table(self, name: str) -> bool:
        """Return True if records of the table of this name are counted; the name of a file header is empty."""
        return self.takes_name is None or self.takes_name(name)


class Breakdown(NamedTuple):
    """Results of a count besides its sums by table, type and image.

    Attributes:
        interval: length of the intervals of the IO Time, in microseconds; 0: no intervals.
        origin: a time at which an interval begins.
        most_records, most_bytes: transactions with at least this number of records, or of bytes including HEADER_BYTES
            for each record, are listed; None: not listed by it.
    """

    interval: int = 0
    origin: int = 0
    most_records: int | None = None
    most_bytes: int | None = None

    @property
    def lists_transactions(self) -> bool:
        """True if large transactions are listed."""
        return self.most_records is not None or self.most_bytes is not None


NO_BREAKDOWN = Breakdown()


class RecordGroup(NamedTuple):
    """The key of a group of records: ``table`` is a key of ``names``, ``time`` the begin of their interval, or 0."""

    table: int
    partition: int
    io_type: int
    before_after: int
    time: int


class TransactionPart(NamedTuple):
    """The counted records of a transaction: IO Time and RBA of the first; ``tables`` has one key per table name."""

    time: int
    rba: int
    data_bytes: int
    records: int
    tables: tuple[int, ...]


class TransactionTotals(NamedTuple):
    """A transaction: IO Time and RBA of its first record, bytes with HEADER_BYTES, numbers of records and tables."""

    time: int
    rba: int
    data_bytes: int
    records: int
    tables: int


class KernelTotals:
    """Sums over consecutive records.

    Attributes:
        names: the names of the table keys.
        assumed: for each key whose name is not known yet, whether its records were counted here.
        groups: number of records and of data bytes of each group.
        file_headers, file_header_bytes: of the file headers, which are in no group.
        first: the transaction that is open at the first record; None if none of its records was counted.
        first_ended: True if it ends here.
        transactions, table_visits: of the transactions that begin after it and end here.
        last: the transaction that begins after ``first`` and does not end here, or None.
        listed: the large transactions that begin after ``first`` and end here.
        first_time: the IO Time of the first record that is counted, if there are intervals.
        places: the RBA of each record.
        spans: kind, RBA and length of each span that is not a record.
    """

    def __init__(self, names: Names, assumed: Mapping[int, bool]) -> None:
        self.names = names
        self.assumed = assumed
        self.groups: dict[RecordGroup, tuple[int, int]] = {}
        self.file_headers = self.file_header_bytes = 0
        self.first: TransactionPart | None = None
        self.first_ended = False
        self.transactions = self.table_visits = 0
        self.last: TransactionPart | None = None
        self.listed: list[TransactionTotals] = []
        self.first_time: int | None = None
        self.places: array[int] = array("q")
        self.spans: list[tuple[int, int, int]] = []

    @property
    def is_certain(self) -> bool:
        """True if no transaction can have counted a table twice, under two keys whose common name was not yet known."""
        keys = {group.table for group in self.groups if group.io_type not in NOT_TRANSACTIONAL}
        return self.table_visits == self.transactions or len({self.names[key] for key in keys}) == len(keys)

    def is_as_assumed(self, bounds: CountBounds) -> bool:
        """Return True if each assumption about a table is right, now that its name is known."""
        return all(bounds.takes_table(self.names[key]) == is_counted for key, is_counted in self.assumed.items())

    def __len__(self) -> int:
        """Return the number of records and spans."""
        return len(self.places) + len(self.spans)


class _CountedTables:
    """For each key the number of its name, and whether its records are counted.

    Attributes:
        names: the names of the keys.
        keys: the first key of each number.
        unknown: the keys whose names are defined before the start of the scan.
        assumed: for some unknown keys, whether their records are assumed to be counted.
        marks: for each number the mark of the last transaction with that table.
        counting: the addresses for a kernel; this class sets ABOUT and MARKS.
    """

    def __init__(self, names: Names, bounds: CountBounds, likely: Callable[[], Names | None] = lambda: None) -> None:
        self.names = names
        self._bounds, self._likely = bounds, likely
        self._numbers: dict[str | int, int] = {}
        self.unknown: set[int] = set()
        self.assumed: dict[int, bool] = {}
        self.keys: list[int] = []
        self._about = array("q", bytes(8 * _KEYS))
        self.marks = array("q", bytes(8 * _KEYS))
        self.counting = array("q", bytes(8 * arguments.COUNTING_SIZE))
        self._renew_addresses()
        self.add(0)

    def add(self, key: int) -> None:
        """Add a key; required before a record with it is counted."""
        while key >= len(self._about):
            self._about.extend(array("q", bytes(8 * len(self._about))))
            self.marks.extend(array("q", bytes(8 * len(self.marks))))
            self._renew_addresses()
        number = self._numbers.setdefault(self._name_or_key(key), len(self._numbers))
        if number == len(self.keys):
            self.keys.append(key)
        self._about[key] = 2 * number + (self._bounds.takes_name is None or self._counts_table(key))

    def _counts_table(self, key: int) -> bool:
        try:
            return self._bounds.takes_table(self.names[key])
        except NeedsEarlier:
            likely, index = self._likely(), self.names.awaited_index(key)
            if likely is None or index is None:
                raise
            self.assumed[key] = self._bounds.takes_table(likely.at_end(index))
            return self.assumed[key]

    def _renew_addresses(self) -> None:
        """Set the addresses for the kernel, which change when an array grows."""
        self.counting[arguments.ABOUT], self.counting[arguments.MARKS] = (
            address_of(self._about),
            address_of(self.marks),
        )

    def _name_or_key(self, key: int) -> str | int:
        try:
            return self.names[key]
        except NeedsEarlier:
            self.unknown.add(key)
            return key


class _Sums:
    """The sums over consecutive records, to which a kernel adds.

    Args:
        tables: the tables of the records.
        taken, breakdown: see CountFiller.
        state: the state of the kernel.

    Attributes:
        counted: the totals, as far as they have been taken from the kernel's memory.
        has_unknown: True if a counted record is of a table whose name is not known.
    """

    def __init__(self, tables: _CountedTables, bounds: CountBounds, breakdown: Breakdown, state: array[int]) -> None:
        self._tables, self._state = tables, state
        self._large = array("q", bytes(8 * arguments.LARGE_SIZE * (ROWS + 1 if breakdown.lists_transactions else 0)))
        self._groups = array("q", bytes(8 * arguments.GROUP_SIZE * _ROOM))
        state[arguments.FROM] = _SMALLEST if bounds.start is None else bounds.start
        state[arguments.UNTIL] = _LARGEST if bounds.end is None else bounds.end
        state[arguments.MARK] = state[arguments.WATCHED] = 1
        state[arguments.INTERVAL] = breakdown.interval
        state[arguments.SHIFT] = breakdown.origin % breakdown.interval if breakdown.interval else 0
        most = (breakdown.most_records, breakdown.most_bytes)
        state[arguments.MOST_RECORDS], state[arguments.MOST_BYTES] = (
            _LARGEST if number is None else number for number in most
        )
        state[arguments.EXTRA_BYTES] = HEADER_BYTES
        self.counted = KernelTotals(tables.names, tables.assumed)
        self.has_unknown = False

    def address(self) -> int:
        """Return the address of the kernel's counting tables; valid until the next harvest."""
        counting = self._tables.counting
        counting[arguments.GROUPS], counting[arguments.ROOM] = address_of(self._groups), _ROOM
        counting[arguments.LARGE] = address_of(self._large)
        return address_of(counting)

    def goes_on(self, status: int) -> bool:
        """Handle a status with which the kernel returned; return True if it must be called again."""
        if status == arguments.FULL:
            self.harvest()
        elif status == arguments.FIRST_ENDED:
            self.counted.first, self.counted.first_ended = self._open_part(), True
            self._state[arguments.WATCHED] = 0
        return status in (arguments.FULL, arguments.FIRST_ENDED)

    def take(self, places: array[int]) -> KernelTotals:
        """Return the totals since the last call; ``places`` are the RBAs of the records."""
        state, counted = self._state, self.counted
        self.harvest()
        part = self._open_part()
        if counted.first_ended:
            counted.last = part
        else:
            counted.first = part
        counted.transactions, counted.table_visits = state[arguments.ENDED], state[arguments.VISITS]
        counted.file_headers, counted.file_header_bytes = state[arguments.HEADERS], state[arguments.HEADER_BYTES]
        counted.places = places
        large, size = self._large, arguments.LARGE_SIZE
        starts = range(0, size * state[arguments.LARGE_ONES], size)
        counted.listed = [TransactionTotals(*large[start : start + size]) for start in starts]
        counted.first_time = state[arguments.FIRST_TIME] if state[arguments.HAS_TIME] else None
        for cell in _PER_TOTALS:
            state[cell] = 0
        state[arguments.WATCHED] = 1
        self.counted = KernelTotals(self._tables.names, self._tables.assumed)
        self.has_unknown = False
        return counted

    def harvest(self) -> None:
        """Move the sums of the groups from the kernel's table to ``counted``."""
        if not self._state[arguments.USED]:
            return
        groups, totals, unknown = self._groups, self.counted.groups, self._tables.unknown
        for number, code in enumerate(groups[:: arguments.GROUP_SIZE]):
            if code:
                start = number * arguments.GROUP_SIZE
                key, image = divmod(code - 1, 1 << 24)
                time = (
                    self._state[arguments.INTERVAL] * groups[start + arguments.ORDINAL] + self._state[arguments.SHIFT]
                )
                group = RecordGroup(key, image >> 16, image >> 8 & 0xFF, image & 0xFF, time)
                self.has_unknown |= key in unknown and group.io_type not in NOT_TRANSACTIONAL
                records, data_bytes = totals.get(group, (0, 0))
                totals[group] = (
                    records + groups[start + arguments.RECORDS],
                    data_bytes + groups[start + arguments.BYTES],
                )
        self._groups = array("q", bytes(8 * arguments.GROUP_SIZE * _ROOM))
        self._state[arguments.USED] = 0

    def _open_part(self) -> TransactionPart | None:
        """Return the part of the open transaction and reset it; None if none of its records was counted."""
        state, tables = self._state, self._tables
        if not state[arguments.IS_OPEN]:
            return None
        mark = state[arguments.MARK]
        keys = tuple(key for number, key in enumerate(tables.keys) if tables.marks[number] == mark)
        part = TransactionPart(
            state[arguments.OPEN_TIME],
            state[arguments.OPEN_RBA],
            state[arguments.OPEN_BYTES],
            state[arguments.OPEN_RECORDS],
            keys,
        )
        for cell in (arguments.IS_OPEN, arguments.OPEN_BYTES, arguments.OPEN_RECORDS, arguments.OPEN_TABLES):
            state[cell] = 0
        state[arguments.MARK] += 1
        return part


class _CountingRun(KernelRun):
    """A run of the kernel ``count``."""

    def __init__(self, names: Names, tables: _CountedTables) -> None:
        super().__init__(kernels()["count"], names)
        self._counted = tables

    def new_key(self, key: int) -> None:
        """See KernelRun."""
        self._counted.add(key)

    def defining(self, kind: int, index: int) -> None:
        """See KernelRun."""
        self.is_divided = bool(self._counted.unknown) and self.names.is_first(kind, index)


class CountFiller:
    """Counts the records of a scan; see :class:`trailformat.scan.scanning.Filler`.

    Args:
        names: the names of the table keys.
        taken: the records to count.
        breakdown: the results besides the sums.
        likely: returns the names that a scan which starts inside a file assumes for unknown indexes; None: none yet.
    """

    def __init__(
        self,
        names: Names,
        bounds: CountBounds,
        breakdown: Breakdown = NO_BREAKDOWN,
        likely: Callable[[], Names | None] = lambda: None,
    ) -> None:
        self._places = _SPARE.take(ROWS)
        self._tables = _CountedTables(names, bounds, likely)
        self._run = _CountingRun(names, self._tables)
        self._sums = _Sums(self._tables, bounds, breakdown, self._run.state)
        self._ended = self._defined = self._divisions = 0

    def __del__(self) -> None:
        _SPARE.give(len(self._places), self._places)

    @property
    def transactions(self) -> int:
        """The number of counted transactions that have ended, up to the last :class:`KernelTotals`."""
        return self._ended

    @property
    def is_full(self) -> bool:
        """True if there is no room for another record, or the next one must be in new totals."""
        return self._run.state[arguments.ROW] >= ROWS or self._run.is_divided

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Add a span that is not a sound record."""
        self._sums.counted.spans.append((kind, rba, length))

    def fill(self, window: Window, position: ScanPosition, end: int, stop: int) -> tuple[ScanPosition, int]:
        """Count records; see ``Filler.fill``."""
        status, goes_on = arguments.FULL, True
        while goes_on and not self._run.is_divided:
            self._tables.counting[arguments.PLACES] = address_of(self._places)
            position, status = self._run.go(window, position, end, stop, ROWS, self._sums.address())
            goes_on = self._sums.goes_on(status) or status == arguments.DEFINES
            if status == arguments.DEFINES:
                self._divide()
        return position, self._run.state[arguments.NEED] if status == arguments.MORE else 0

    def _divide(self) -> None:
        """At a definition, end the totals if a table of unknown name has been counted: it may get a second key now."""
        row, before = self._run.state[arguments.ROW], self._defined
        self._defined = row
        if row > before + 1:
            self._sums.harvest()
        self._run.is_divided = self._sums.has_unknown and self._divisions < _MOST_DIVISIONS
        self._divisions += self._run.is_divided

    def take(self) -> KernelTotals:
        """Return the totals since the last call."""
        self._run.is_divided = False
        self._defined = 0
        counted = self._sums.take(self._places[: self._run.state[arguments.ROW]])
        self._run.state[arguments.ROW] = 0
        self._ended += counted.transactions + counted.first_ended
        return counted


_COUNTED = (
    *("kind", "io_type", "partition", "before_after", "trans_ind"),
    *("table", "record_length", "io_time", "rba", "length"),
)
"""The columns of a batch that counting reads, in the order of ``arguments.R_KIND`` and the following."""


class RowCount:
    """Counts rows of consecutive batches, with the same sums as a scan by CountFiller.

    Args:
        taken, breakdown: see CountFiller.
    """

    def __init__(self, bounds: CountBounds, breakdown: Breakdown = NO_BREAKDOWN) -> None:
        self._bounds, self._breakdown = bounds, breakdown
        self._names: Names | None = None
        self._flags = array("B", arguments.FLAG_BYTES)

    def of(self, batch: Batch, mask: Any) -> Iterator[KernelTotals]:
        """Yield the totals of those rows of the next batch that a mask selects; they have no ``spans``."""
        self._begin(batch)
        arrays = [np.ascontiguousarray(getattr(batch, name)) for name in _COUNTED]
        passing = np.ascontiguousarray(mask, np.uint8)
        columns = array("q", [column.ctypes.data for column in arrays])
        is_record = np.asarray(batch.kind) <= FILE_HEADER
        state, kernel = self._state, kernels()["count_rows"]
        for first in range(0, len(batch), ROWS):
            stop = min(first + ROWS, len(batch))
            state[arguments.ROW], goes_on = first, True
            while goes_on:
                status = kernel(
                    address_of(columns),
                    passing.ctypes.data,
                    stop,
                    address_of(state),
                    address_of(self._flags),
                    self._sums.address(),
                )
                goes_on = self._sums.goes_on(status)
            places = arrays[arguments.R_RBA][first:stop][is_record[first:stop]]
            yield self._sums.take(array("q", places.tobytes()))

    def _begin(self, batch: Batch) -> None:
        """Add the names of a batch; begin anew if it is of another scan, whose keys differ."""
        if self._names is not batch.names:
            self._names, self._known = batch.names, 0
            self._state = array("q", bytes(8 * arguments.STATE_SIZE))
            self._tables = _CountedTables(batch.names, self._bounds)
            self._sums = _Sums(self._tables, self._bounds, self._breakdown, self._state)
        for key in range(self._known, len(batch.names)):
            self._tables.add(key)
        self._known = len(batch.names)


def _empty_places(rows: int) -> array[int]:
    return array("q", bytes(8 * rows))


_SPARE = Spare(_empty_places)
