"""Counting by kernels: sums of groups of records instead of a row for each, or of those rows of batches that pass.

The rules of COUNT: a record is taken when its IO Time lies within bounds and its table is wanted; a transaction ends
with TransInd 2 or 3, of a record that is taken or not, and is counted when a record of it was taken; it visits each of
its tables once, tables being distinguished by their names. A mask may leave records out besides.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from trailformat.native.loaded import address_of, kernels
from trailformat.native.scan import arguments
from trailformat.records.record_header import NOT_TRANSACTIONAL
from trailformat.scan.batch import FILE_HEADER, Batch
from trailformat.scan.kernel_run import KernelRun, Spare, Window
from trailformat.scan.names import Names, NeedsEarlier
from trailformat.scan.position import ScanPosition

HEADER_BYTES = 48
"""Bytes of a transaction for each of its records, besides their data."""
ROWS = 1 << 15
"""The most records of one :class:`KernelTotals`."""
_ROOM = 1 << 9
_KEYS = 1 << 8
_MOST_DIVISIONS = 1 << 8
"""Definitions at which one scan begins another stretch; with more it is cheaper to count again in the end."""
_PER_TOTALS = (
    arguments.ENDED,
    arguments.VISITS,
    arguments.HEADERS,
    arguments.HEADER_BYTES,
    arguments.LARGE_ONES,
    arguments.HAS_TIME,
)
"""What is counted anew for each :class:`KernelTotals`."""
_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1


class CountBounds(NamedTuple):
    """Bounds of the records that are counted: of the IO Time (Julian), and a test on the table's name; None: all."""

    start: int | None = None
    end: int | None = None
    takes_name: Callable[[str], bool] | None = None

    @property
    def has_bounds(self) -> bool:
        """Whether there are bounds of the time; a file header has none and is left out then."""
        return self.start is not None or self.end is not None

    def takes_time(self, io_time: int) -> bool:
        """Whether the time lies within the bounds."""
        return (self.start is None or io_time >= self.start) and (self.end is None or io_time <= self.end)

    def takes_table(self, name: str) -> bool:
        """Whether the records of the table of this name are taken; of a file header it is empty."""
        return self.takes_name is None or self.takes_name(name)


class Breakdown(NamedTuple):
    """What a count tells besides its sums by table, type and image.

    Attributes:
        interval: microseconds of intervals of the IO Time; 0: there are none.
        origin: where one of them begins.
        most_records, most_bytes: transactions with one of these, HEADER_BYTES included, are listed; None: no number.
    """

    interval: int = 0
    origin: int = 0
    most_records: int | None = None
    most_bytes: int | None = None

    @property
    def lists_transactions(self) -> bool:
        """Whether any transaction is listed."""
        return self.most_records is not None or self.most_bytes is not None


NO_BREAKDOWN = Breakdown()


class RecordGroup(NamedTuple):
    """Records that agree in all this; ``table`` is a key of ``names``, ``time`` the begin of their interval, or 0."""

    table: int
    partition: int
    io_type: int
    before_after: int
    time: int


class TransactionPart(NamedTuple):
    """Records taken of one transaction: IO Time and RBA of the first, data bytes, keys of their tables, one a name."""

    time: int
    rba: int
    data_bytes: int
    records: int
    tables: tuple[int, ...]


class TransactionTotals(NamedTuple):
    """A transaction: IO Time and RBA of its first record, bytes with those of headers, records, number of tables."""

    time: int
    rba: int
    data_bytes: int
    records: int
    tables: int


class KernelTotals:
    """Sums over consecutive records.

    Attributes:
        names: what the keys mean.
        assumed: the keys without a name as yet, and whether their records are taken here.
        groups: records and data bytes of each group.
        file_headers, file_header_bytes: those met; never among the groups.
        first: the transaction with which the stretch begins; None when none of its records was taken.
        first_ended: whether it ends here.
        transactions, table_visits: of those that begin after it and end here.
        last: the transaction that begins after the first and does not end here, or None.
        listed: those among them that begin after the first and end here.
        first_time: the IO Time of the first record that is taken, where there are intervals.
        places: RBA of each record.
        spans: kind, RBA and length of what is no record.
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
        """Whether no transaction counts a table as two, as may be where an index was explained only afterwards."""
        keys = {group.table for group in self.groups if group.io_type not in NOT_TRANSACTIONAL}
        return self.table_visits == self.transactions or len({self.names[key] for key in keys}) == len(keys)

    def is_as_assumed(self, taken: CountBounds) -> bool:
        """Whether all tables are taken that are to be, now that their names are known."""
        return all(taken.takes_table(self.names[key]) == is_taken for key, is_taken in self.assumed.items())

    def __len__(self) -> int:
        """Records and spans."""
        return len(self.places) + len(self.spans)


class _CountedTables:
    """For each key the number of its name, and whether its records are taken.

    Attributes:
        names: what the keys mean.
        keys: the key of each number.
        unknown: the keys whose names are known only to what stands before the scan.
        assumed: those for which it is assumed whether their records are taken.
        marks: the mark of the last transaction with each number.
        counting: the addresses that a kernel takes; those of the tables are here.
    """

    def __init__(self, names: Names, taken: CountBounds, likely: Callable[[], Names | None] = lambda: None) -> None:
        self.names = names
        self._taken, self._likely = taken, likely
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
        """Take in a key, before a record with it is counted."""
        while key >= len(self._about):
            self._about.extend(array("q", bytes(8 * len(self._about))))
            self.marks.extend(array("q", bytes(8 * len(self.marks))))
            self._renew_addresses()
        number = self._numbers.setdefault(self._name_or_key(key), len(self._numbers))
        if number == len(self.keys):
            self.keys.append(key)
        self._about[key] = 2 * number + (self._taken.takes_name is None or self._is_taken(key))

    def _is_taken(self, key: int) -> bool:
        try:
            return self._taken.takes_table(self.names[key])
        except NeedsEarlier:
            likely, index = self._likely(), self.names.awaited_index(key)
            if likely is None or index is None:
                raise
            self.assumed[key] = self._taken.takes_table(likely.at_end(index))
            return self.assumed[key]

    def _renew_addresses(self) -> None:
        """Give the kernel the addresses, which change when an array grows."""
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
    """The sums over a stretch of records, to which a kernel adds.

    Args:
        tables: those of its records.
        taken, breakdown: see CountFiller.
        state: of the kernel.

    Attributes:
        counted: what has been moved from the kernel's memory so far.
        has_unknown: whether a record counted is of a table whose name is not known.
    """

    def __init__(self, tables: _CountedTables, taken: CountBounds, breakdown: Breakdown, state: array[int]) -> None:
        self._tables, self._state = tables, state
        self._large = array("q", bytes(8 * arguments.LARGE_SIZE * (ROWS + 1 if breakdown.lists_transactions else 0)))
        self._groups = array("q", bytes(8 * arguments.GROUP_SIZE * _ROOM))
        state[arguments.FROM] = _SMALLEST if taken.start is None else taken.start
        state[arguments.UNTIL] = _LARGEST if taken.end is None else taken.end
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
        """The address of what the kernel counts with, until the next harvest."""
        counting = self._tables.counting
        counting[arguments.GROUPS], counting[arguments.ROOM] = address_of(self._groups), _ROOM
        counting[arguments.LARGE] = address_of(self._large)
        return address_of(counting)

    def goes_on(self, status: int) -> bool:
        """Whether the kernel is to go on after it has returned with this status."""
        if status == arguments.FULL:
            self.harvest()
        elif status == arguments.FIRST_ENDED:
            self.counted.first, self.counted.first_ended = self._open_part(), True
            self._state[arguments.WATCHED] = 0
        return status in (arguments.FULL, arguments.FIRST_ENDED)

    def take(self, places: array[int]) -> KernelTotals:
        """The totals of the records at these places, those since the last call."""
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
        ones = range(0, size * state[arguments.LARGE_ONES], size)
        counted.listed = [TransactionTotals(*large[at : at + size]) for at in ones]
        counted.first_time = state[arguments.FIRST_TIME] if state[arguments.HAS_TIME] else None
        for cell in _PER_TOTALS:
            state[cell] = 0
        state[arguments.WATCHED] = 1
        self.counted = KernelTotals(self._tables.names, self._tables.assumed)
        self.has_unknown = False
        return counted

    def harvest(self) -> None:
        """Move the sums of the groups from the kernel's table to ours."""
        if not self._state[arguments.USED]:
            return
        groups, totals, unknown = self._groups, self.counted.groups, self._tables.unknown
        for number, code in enumerate(groups[:: arguments.GROUP_SIZE]):
            if code:
                at = number * arguments.GROUP_SIZE
                key, image = divmod(code - 1, 1 << 24)
                time = self._state[arguments.INTERVAL] * groups[at + arguments.ORDINAL] + self._state[arguments.SHIFT]
                group = RecordGroup(key, image >> 16, image >> 8 & 0xFF, image & 0xFF, time)
                self.has_unknown |= key in unknown and group.io_type not in NOT_TRANSACTIONAL
                records, data_bytes = totals.get(group, (0, 0))
                totals[group] = records + groups[at + arguments.RECORDS], data_bytes + groups[at + arguments.BYTES]
        self._groups = array("q", bytes(8 * arguments.GROUP_SIZE * _ROOM))
        self._state[arguments.USED] = 0

    def _open_part(self) -> TransactionPart | None:
        """The part of the transaction under way, which is empty afterwards; None where no record of it was taken."""
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
    """A run of the kernel over records."""

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
        names: what the keys of tables mean.
        taken: bounds of what is counted.
        breakdown: what is told besides.
        likely: gives the names that a scan from inside a file assumes where it does not know them.
    """

    def __init__(
        self,
        names: Names,
        taken: CountBounds,
        breakdown: Breakdown = NO_BREAKDOWN,
        likely: Callable[[], Names | None] = lambda: None,
    ) -> None:
        self._places = _SPARE.take(ROWS)
        self._tables = _CountedTables(names, taken, likely)
        self._run = _CountingRun(names, self._tables)
        self._sums = _Sums(self._tables, taken, breakdown, self._run.state)
        self._ended = self._defined = self._divisions = 0

    def __del__(self) -> None:
        _SPARE.give(len(self._places), self._places)

    @property
    def transactions(self) -> int:
        """The number of transactions with a record taken that have ended, up to the last :class:`KernelTotals`."""
        return self._ended

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another record."""
        return self._run.state[arguments.ROW] >= ROWS or self._run.is_divided

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Note a span that is no sound record."""
        self._sums.counted.spans.append((kind, rba, length))

    def fill(self, window: Window, position: ScanPosition, end: int, stop: int) -> tuple[ScanPosition, int]:
        """Count on; see the protocol."""
        status, goes_on = arguments.FULL, True
        while goes_on and not self._run.is_divided:
            self._tables.counting[arguments.PLACES] = address_of(self._places)
            position, status = self._run.go(window, position, end, stop, ROWS, self._sums.address())
            goes_on = self._sums.goes_on(status) or status == arguments.DEFINES
            if status == arguments.DEFINES:
                self._divide()
        return position, self._run.state[arguments.NEED] if status == arguments.MORE else 0

    def _divide(self) -> None:
        """Go on as one stretch at a definition, unless a table of a row before it may have another key behind it."""
        row, before = self._run.state[arguments.ROW], self._defined
        self._defined = row
        if row > before + 1:
            self._sums.harvest()
        self._run.is_divided = self._sums.has_unknown and self._divisions < _MOST_DIVISIONS
        self._divisions += self._run.is_divided

    def take(self) -> KernelTotals:
        """The totals since the last call."""
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
"""The columns of a batch that counting looks at, in the order of ``arguments.R_KIND`` and those behind it."""


class RowCount:
    """Counts rows of batches that follow one another: the same sums as those over the records of a scan.

    Args:
        taken, breakdown: see CountFiller.
    """

    def __init__(self, taken: CountBounds, breakdown: Breakdown = NO_BREAKDOWN) -> None:
        self._taken, self._breakdown = taken, breakdown
        self._names: Names | None = None
        self._flags = array("B", arguments.FLAG_BYTES)

    def of(self, batch: Batch, mask: Any) -> Iterator[KernelTotals]:
        """The sums over those rows of the next batch that a mask lets pass; they have no ``spans``."""
        import numpy as np  # noqa: PLC0415 - a batch is here, so it is loaded

        self._begin(batch)
        held = [np.ascontiguousarray(getattr(batch, name)) for name in _COUNTED]
        passing = np.ascontiguousarray(mask, np.uint8)
        columns = array("q", [column.ctypes.data for column in held])
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
            places = held[arguments.R_RBA][first:stop][is_record[first:stop]]
            yield self._sums.take(array("q", places.tobytes()))

    def _begin(self, batch: Batch) -> None:
        """Take in the names of a batch; another scan's have other keys."""
        if self._names is not batch.names:
            self._names, self._known = batch.names, 0
            self._state = array("q", bytes(8 * arguments.STATE_SIZE))
            self._tables = _CountedTables(batch.names, self._taken)
            self._sums = _Sums(self._tables, self._taken, self._breakdown, self._state)
        for key in range(self._known, len(batch.names)):
            self._tables.add(key)
        self._known = len(batch.names)


def _empty_places(rows: int) -> array[int]:
    return array("q", bytes(8 * rows))


_SPARE = Spare(_empty_places)
