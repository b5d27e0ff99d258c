"""Counting by the kernel ``count``: sums of groups of records instead of a row for each.

The rules of COUNT: a record is taken when its IO Time lies within bounds and its table is wanted; a transaction ends
with TransInd 2 or 3, of a record that is taken or not, and is counted when a record of it was taken; it visits each of
its tables once, tables being distinguished by their names. A mask may leave records out besides.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping
from typing import NamedTuple

from trailformat.native.loaded import address_of, address_of_bytes, kernels
from trailformat.native.scan import arguments
from trailformat.records.io_types import NOT_TRANSACTIONAL
from trailformat.scan.kernel_run import KernelRun
from trailformat.scan.names import Names, NeedsEarlier
from trailformat.scan.position import ScanPosition
from trailformat.scan.windows import Spare, Window

HEADER_BYTES = 48
"""Bytes of a transaction for each of its records, besides their data."""
ROWS = 1 << 15
"""The most records of one :class:`KernelTotals`."""
_ROOM = 1 << 9
_KEYS = 1 << 8
_GOES_ON = frozenset({arguments.FULL, arguments.FIRST_ENDED, arguments.DEFINES})
_MOST_DIVISIONS = 1 << 8
"""Definitions at which one scan begins another stretch; with more it is cheaper to count again in the end."""
_PER_TOTALS = (
    arguments.ENDED,
    arguments.VISITS,
    arguments.HEADERS,
    arguments.HEADER_BYTES,
    arguments.LARGE_ONES,
    arguments.HAS_TIME,
    arguments.ROW,
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


class _CountingRun(KernelRun):
    """A run that keeps for each key the number of its name, and whether its records are taken.

    Attributes:
        keys: the key of each number.
        unknown: the keys whose names are known only to what stands before the scan.
        assumed: those for which it is assumed whether their records are taken.
    """

    def __init__(self, names: Names, taken: CountBounds, likely: Callable[[], Names | None]) -> None:
        super().__init__(kernels()["count"], names)
        self._taken, self._likely = taken, likely
        self._numbers: dict[str | int, int] = {}
        self.unknown: set[int] = set()
        self.assumed: dict[int, bool] = {}
        self.keys: list[int] = []
        self.name_codes = array("q", bytes(8 * _KEYS))
        self.marks = array("q", bytes(8 * _KEYS))
        self.counting = array("q", bytes(8 * arguments.COUNTING_SIZE))
        self._renew_addresses()
        self.new_key(0)

    def new_key(self, key: int) -> None:
        """See KernelRun."""
        while key >= len(self.name_codes):
            self.name_codes.extend(array("q", bytes(8 * len(self.name_codes))))
            self.marks.extend(array("q", bytes(8 * len(self.marks))))
            self._renew_addresses()
        number = self._numbers.setdefault(self._name_or_key(key), len(self._numbers))
        if number == len(self.keys):
            self.keys.append(key)
        self.name_codes[key] = 2 * number + (self._taken.takes_name is None or self._is_taken(key))

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
            address_of(self.name_codes),
            address_of(self.marks),
        )

    def _name_or_key(self, key: int) -> str | int:
        try:
            return self.names[key]
        except NeedsEarlier:
            self.unknown.add(key)
            return key

    def defining(self, kind: int, index: int) -> None:
        """See KernelRun."""
        self.is_divided = bool(self.unknown) and self.names.is_first(kind, index)


class CountFiller:
    """Counts; see :class:`trailformat.scan.scanning.Filler`.

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
        self._breakdown = breakdown
        self._places = _SPARE.take(ROWS)
        self._large = array("q", bytes(8 * arguments.LARGE_SIZE * (ROWS + 1 if breakdown.lists_transactions else 0)))
        self._mask: bytes | None = None
        self._masked = 0
        self._run = _CountingRun(names, taken, likely)
        self._state = self._run.state
        self._state[arguments.FROM] = _SMALLEST if taken.start is None else taken.start
        self._state[arguments.UNTIL] = _LARGEST if taken.end is None else taken.end
        self._state[arguments.MARK] = self._state[arguments.WATCHED] = 1
        self._state[arguments.INTERVAL] = breakdown.interval
        self._state[arguments.SHIFT] = breakdown.origin % breakdown.interval if breakdown.interval else 0
        most = (breakdown.most_records, breakdown.most_bytes)
        self._state[arguments.MOST_RECORDS], self._state[arguments.MOST_BYTES] = (
            _LARGEST if number is None else number for number in most
        )
        self._state[arguments.EXTRA_BYTES] = HEADER_BYTES
        self._groups = array("q", bytes(8 * arguments.GROUP_SIZE * _ROOM))
        self._counted = KernelTotals(names, self._run.assumed)
        self._ended = self._defined = self._divisions = 0
        self._has_unknown = False

    def __del__(self) -> None:
        _SPARE.give(len(self._places), self._places)

    @property
    def transactions(self) -> int:
        """The number of transactions with a record taken that have ended, up to the last :class:`KernelTotals`."""
        return self._ended

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another record."""
        return self._state[arguments.ROW] >= self._room or self._run.is_divided

    @property
    def _room(self) -> int:
        """The most records of what is under way."""
        return ROWS if self._mask is None else min(ROWS, len(self._mask) - self._masked)

    def pass_only(self, mask: bytes) -> None:
        """Go over as many records as the mask has bytes, and count those that have 1."""
        self._mask, self._masked = mask, 0

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Note a span that is no sound record, unless it is a row of a batch."""
        if self._mask is None:
            self._counted.spans.append((kind, rba, length))

    def fill(self, window: Window, position: ScanPosition, end: int, stop: int) -> tuple[ScanPosition, int]:
        """Count on; see the protocol."""
        status = arguments.FULL
        while status in _GOES_ON and not self._run.is_divided:
            position, status = self._run.go(window, position, end, stop, self._room, self._renew_addresses())
            if status == arguments.FULL:
                self._harvest()
            elif status == arguments.FIRST_ENDED:
                self._counted.first, self._counted.first_ended = self._open_part(), True
                self._state[arguments.WATCHED] = 0
            elif status == arguments.DEFINES:
                self._divide()
        return position, self._state[arguments.NEED] if status == arguments.MORE else 0

    def _divide(self) -> None:
        """Go on as one stretch at a definition, unless a table of a row before it may have another key behind it."""
        row, before = self._state[arguments.ROW], self._defined
        self._defined = row
        if row > before + 1:
            self._harvest()
        self._run.is_divided = self._has_unknown and self._divisions < _MOST_DIVISIONS
        self._divisions += self._run.is_divided

    def take(self) -> KernelTotals:
        """The totals since the last call."""
        state, counted = self._state, self._counted
        self._run.is_divided = False
        self._defined = 0
        self._harvest()
        part = self._open_part()
        if counted.first_ended:
            counted.last = part
        else:
            counted.first = part
        counted.transactions, counted.table_visits = state[arguments.ENDED], state[arguments.VISITS]
        self._ended += counted.transactions + counted.first_ended
        counted.file_headers, counted.file_header_bytes = state[arguments.HEADERS], state[arguments.HEADER_BYTES]
        counted.places = self._places[: state[arguments.ROW]]
        self._masked += state[arguments.ROW]
        large, size = self._large, arguments.LARGE_SIZE
        ones = range(0, size * state[arguments.LARGE_ONES], size)
        counted.listed = [TransactionTotals(*large[at : at + size]) for at in ones]
        counted.first_time = state[arguments.FIRST_TIME] if state[arguments.HAS_TIME] else None
        for cell in _PER_TOTALS:
            state[cell] = 0
        state[arguments.WATCHED] = 1
        self._counted = KernelTotals(self._run.names, self._run.assumed)
        self._has_unknown = False
        return counted

    def _renew_addresses(self) -> int:
        counting = self._run.counting
        counting[arguments.GROUPS], counting[arguments.ROOM] = address_of(self._groups), _ROOM
        counting[arguments.PLACES], counting[arguments.LARGE] = address_of(self._places), address_of(self._large)
        counting[arguments.PASSING] = address_of_bytes(self._mask) + self._masked if self._mask else 0
        return address_of(counting)

    def _harvest(self) -> None:
        """Move the sums of the groups from the kernel's table to ours."""
        if not self._state[arguments.USED]:
            return
        groups, totals = self._groups, self._counted.groups
        for number, code in enumerate(groups[:: arguments.GROUP_SIZE]):
            if code:
                at = number * arguments.GROUP_SIZE
                key, image = divmod(code - 1, 1 << 24)
                time = self._state[arguments.INTERVAL] * groups[at + arguments.ORDINAL] + self._state[arguments.SHIFT]
                group = RecordGroup(key, image >> 16, image >> 8 & 0xFF, image & 0xFF, time)
                self._has_unknown |= key in self._run.unknown and group.io_type not in NOT_TRANSACTIONAL
                records, data_bytes = totals.get(group, (0, 0))
                totals[group] = records + groups[at + arguments.RECORDS], data_bytes + groups[at + arguments.BYTES]
        self._groups = array("q", bytes(8 * arguments.GROUP_SIZE * _ROOM))
        self._state[arguments.USED] = 0

    def _open_part(self) -> TransactionPart | None:
        """The part of the transaction under way, which is empty afterwards; None where no record of it was taken."""
        state, run = self._state, self._run
        if not state[arguments.IS_OPEN]:
            return None
        mark = state[arguments.MARK]
        tables = tuple(key for number, key in enumerate(run.keys) if run.marks[number] == mark)
        part = TransactionPart(
            state[arguments.OPEN_TIME],
            state[arguments.OPEN_RBA],
            state[arguments.OPEN_BYTES],
            state[arguments.OPEN_RECORDS],
            tables,
        )
        for cell in (arguments.IS_OPEN, arguments.OPEN_BYTES, arguments.OPEN_RECORDS, arguments.OPEN_TABLES):
            state[cell] = 0
        state[arguments.MARK] += 1
        return part


def _empty_places(rows: int) -> array[int]:
    return array("q", bytes(8 * rows))


_SPARE = Spare(_empty_places)
