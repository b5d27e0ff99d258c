"""Counting by the kernel ``count``: sums of groups of records instead of a row for each.

The rules of COUNT: a record is taken when its IO Time lies within bounds and its table is wanted; a transaction ends
with TransInd 2 or 3, of a record that is taken or not, and is counted when a record of it was taken; it visits each of
its tables once, tables being told apart by their names.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import NamedTuple

from trailformat.scan import kernel_arguments as k
from trailformat.scan.names import Names, NeedsEarlier
from trailformat.scan.place import Place
from trailformat.scan.walk import Walk, address_of
from trailformat.scan.windows import Window

ROWS = 1 << 15
"""So many records come in one :class:`Counted` at most."""
_ROOM = 1 << 9
_KEYS = 1 << 8
_SMALLEST, _LARGEST = -(1 << 63), (1 << 63) - 1


class Taken(NamedTuple):
    """Which records are counted: bounds of the IO Time (Julian), and a test on the table's name; None: all."""

    start: int | None = None
    end: int | None = None
    takes_name: Callable[[str], bool] | None = None

    @property
    def has_bounds(self) -> bool:
        """Whether the time counts; a file header has none, and is left out then."""
        return self.start is not None or self.end is not None

    def takes_time(self, io_time: int) -> bool:
        """Whether the time lies within the bounds."""
        return (self.start is None or io_time >= self.start) and (self.end is None or io_time <= self.end)

    def takes_table(self, name: str) -> bool:
        """Whether the records of the table of this name are taken; of a file header it is empty."""
        return self.takes_name is None or self.takes_name(name)


class Group(NamedTuple):
    """Records that agree in all this; ``table`` is a key of ``names``."""

    table: int
    partition: int
    io_type: int
    before_after: int


class Part(NamedTuple):
    """Records taken of one transaction: IO Time and RBA of the first, data bytes, keys of their tables, one a name."""

    time: int
    rba: int
    data_bytes: int
    records: int
    tables: tuple[int, ...]


class Counted:
    """What a stretch of records comes to.

    Attributes:
        names: what the keys mean.
        groups: records and data bytes of each group.
        file_headers, file_header_bytes: those met; never among the groups.
        first: the transaction with which the stretch begins; None when none of its records was taken.
        first_ended: whether it ends here.
        transactions, table_visits: of those that begin behind it and end here.
        last: the transaction that begins behind the first and does not end here, or None.
        places: RBA of each record.
        spans: kind, RBA and length of what is no record.
    """

    def __init__(self, names: Names) -> None:
        self.names = names
        self.groups: dict[Group, tuple[int, int]] = {}
        self.file_headers = self.file_header_bytes = 0
        self.first: Part | None = None
        self.first_ended = False
        self.transactions = self.table_visits = 0
        self.last: Part | None = None
        self.places: array[int] = array("q")
        self.spans: list[tuple[int, int, int]] = []

    @property
    def is_certain(self) -> bool:
        """Whether no table was taken for two, as may be where an index was explained only afterwards."""
        keys = {group.table for group in self.groups}
        return len({self.names[key] for key in keys}) == len(keys)

    def __len__(self) -> int:
        """Records and spans."""
        return len(self.places) + len(self.spans)


class _CountingWalk(Walk):
    """Keeps what the kernel must know of each key: the number of its name, and whether its records are wanted."""

    def __init__(self, names: Names, takes_name: Callable[[str], bool] | None) -> None:
        from trailformat.scan.machine_code import kernels  # noqa: PLC0415 - it needs llvmlite

        super().__init__(kernels()["count"], names)
        self._takes_name = takes_name
        self._numbers: dict[str | int, int] = {}
        self.keys: list[int] = []
        self.about = array("q", bytes(8 * _KEYS))
        self.marks = array("q", bytes(8 * _KEYS))
        self.counting = array("q", bytes(8 * k.COUNTING_SIZE))
        self._tell_addresses()
        self.new_key(0)

    def new_key(self, key: int) -> None:
        """See Walk."""
        while key >= len(self.about):
            self.about.extend(array("q", bytes(8 * len(self.about))))
            self.marks.extend(array("q", bytes(8 * len(self.marks))))
            self._tell_addresses()
        number = self._numbers.setdefault(self._name_or_key(key), len(self._numbers))
        if number == len(self.keys):
            self.keys.append(key)
        is_wanted = self._takes_name is None or self._takes_name(self.names[key])
        self.about[key] = 2 * number + is_wanted

    def _tell_addresses(self) -> None:
        """The kernel goes on with these when it is called again, so they must be right whenever an array has grown."""
        self.counting[k.ABOUT], self.counting[k.MARKS] = address_of(self.about), address_of(self.marks)

    def _name_or_key(self, key: int) -> str | int:
        try:
            return self.names[key]
        except NeedsEarlier:
            return key


class CountFiller:
    """Counts; see :class:`trailformat.scan.scanning.Filler`."""

    def __init__(self, names: Names, taken: Taken) -> None:
        self._walk = _CountingWalk(names, taken.takes_name)
        self._state = self._walk.state
        self._state[k.FROM] = _SMALLEST if taken.start is None else taken.start
        self._state[k.UNTIL] = _LARGEST if taken.end is None else taken.end
        self._state[k.MARK] = self._state[k.WATCHED] = 1
        self._groups = array("q", bytes(8 * k.GROUP_SIZE * _ROOM))
        self._places = array("q", bytes(8 * ROWS))
        self._counted = Counted(names)
        self._ended = 0

    @property
    def transactions(self) -> int:
        """How many transactions have ended with a record that was taken, up to the last :class:`Counted`."""
        return self._ended

    @property
    def is_full(self) -> bool:
        """Whether there is no room for another record."""
        return self._state[k.ROW] >= ROWS

    def add_span(self, kind: int, rba: int, length: int) -> None:
        """Note a span that is no sound record."""
        self._counted.spans.append((kind, rba, length))

    def fill(self, window: Window, place: Place, end: int, stop: int) -> tuple[Place, int]:
        """Count on; see the protocol."""
        status = k.FULL
        while status in {k.FULL, k.FIRST_ENDED}:
            place, status = self._walk.go(window, place, end, stop, ROWS, self._tell_addresses())
            if status == k.FULL:
                self._harvest()
            elif status == k.FIRST_ENDED:
                self._counted.first, self._counted.first_ended = self._open_part(), True
                self._state[k.WATCHED] = 0
        return place, self._state[k.NEED] if status == k.MORE else 0

    def take(self) -> Counted:
        """What was counted since the last time."""
        state, counted = self._state, self._counted
        self._harvest()
        part = self._open_part()
        if counted.first_ended:
            counted.last = part
        else:
            counted.first = part
        counted.transactions, counted.table_visits = state[k.ENDED], state[k.VISITS]
        self._ended += counted.transactions + counted.first_ended
        counted.file_headers, counted.file_header_bytes = state[k.HEADERS], state[k.HEADER_BYTES]
        counted.places = self._places[: state[k.ROW]]
        for place in (k.ENDED, k.VISITS, k.HEADERS, k.HEADER_BYTES, k.ROW):
            state[place] = 0
        state[k.WATCHED] = 1
        self._counted = Counted(self._walk.names)
        return counted

    def _tell_addresses(self) -> int:
        counting = self._walk.counting
        counting[k.GROUPS], counting[k.ROOM] = address_of(self._groups), _ROOM
        counting[k.PLACES] = address_of(self._places)
        return address_of(counting)

    def _harvest(self) -> None:
        """Move the sums of the groups from the kernel's table to ours."""
        groups, found = self._groups, self._counted.groups
        for number, code in enumerate(groups[:: k.GROUP_SIZE]):
            if code:
                at = number * k.GROUP_SIZE
                key, image = divmod(code - 1, 1 << 24)
                group = Group(key, image >> 16, image >> 8 & 0xFF, image & 0xFF)
                records, data_bytes = found.get(group, (0, 0))
                found[group] = records + groups[at + k.RECORDS], data_bytes + groups[at + k.BYTES]
        self._groups = array("q", bytes(8 * k.GROUP_SIZE * _ROOM))
        self._state[k.USED] = 0

    def _open_part(self) -> Part | None:
        """The part of the transaction under way, which then begins anew; None where nothing of it was taken."""
        state, walk = self._state, self._walk
        if not state[k.IS_OPEN]:
            return None
        mark = state[k.MARK]
        tables = tuple(key for number, key in enumerate(walk.keys) if walk.marks[number] == mark)
        part = Part(state[k.OPEN_TIME], state[k.OPEN_RBA], state[k.OPEN_BYTES], state[k.OPEN_RECORDS], tables)
        for place in (k.IS_OPEN, k.OPEN_BYTES, k.OPEN_RECORDS, k.OPEN_TABLES):
            state[place] = 0
        state[k.MARK] += 1
        return part
