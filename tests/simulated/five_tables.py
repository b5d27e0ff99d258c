"""A source of five tables: keys that are swapped inside a transaction, truncates, LOBs, NULLs, values of all types.

BANK.ACCOUNTS   a number is the key; rows move to other keys and change places
BANK.PLACES     two columns are the key; truncated now and then
BANK.PAPERS     LOBs in pieces after their rows
BANK.EVENTS     only ever inserted: what is applied twice is there twice
BANK.KINDS      a column of every type
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

from fixtures.column_kinds import placed
from fixtures.flavour import ORACLE_12, Flavour
from fixtures.shop import ShopTable
from tests.searching import Random
from tests.simulated.extract import Extract, Written
from tests.trailformat.values.kinds import KINDS
from trailformat import ByteOrder, Images, encode_value, make_column
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.record_header import (
    DELETE,
    FIELD_COMP,
    FIRST,
    INSERT,
    LARGE_OBJECT,
    LAST,
    MIDDLE,
    ONLY,
    PURGE_DATA,
    RESTART_ABEND,
    RESTART_OK,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
)

_PIECE = 700
_PARTS: dict[str, dict[str, Any]] = {
    "DATETIME of a date": {"least_significant": 2},
    "DATETIME of a time": {"most_significant": 3, "least_significant": 5},
    "DATETIME with a zone": {"native_type": 188},
}
"""What makes a definition say which parts of a moment it holds."""
_FIRST_DAY = datetime(2001, 2, 3, 4, 5, 6, 789)  # noqa: DTZ001 - a column without a zone


def _moment(random: Random) -> datetime:
    return _FIRST_DAY + timedelta(microseconds=random.randrange(10**15))


def _text(random: Random) -> str:
    return random.choice(("", "x", "Uji, 2014", 'a "quoted" \\ text', "o'clock", "宇治 🍵", "a\nb\tc", "NULL", "\\N"))


DRAWN: dict[str, Callable[[Random], Any]] = {
    "VARCHAR": _text,
    "VARCHAR of a number": lambda random: Decimal(random.randrange(-(10**12), 10**12)).scaleb(-3),
    "VARCHAR of bytes": lambda random: random.randbytes(random.randrange(1, 9)),
    "VARCHAR in UTF-16": _text,
    "INT16": lambda random: random.randrange(-(1 << 15), 1 << 15),
    "UINT16": lambda random: random.randrange(1 << 16),
    "INT32": lambda random: random.randrange(-(1 << 31), 1 << 31),
    "UINT32": lambda random: random.randrange(1 << 32),
    "INT64": lambda random: random.randrange(-(1 << 63), 1 << 63),
    "INT64 with a scale": lambda random: Decimal(random.randrange(-(10**17), 10**17)).scaleb(-2),
    "UINT64": lambda random: random.randrange(1 << 64),
    "DOUBLE": lambda random: random.uniform(-1e9, 1e9),
    "DECIMAL PACKED": lambda random: Decimal(random.randrange(-(10**8), 10**8)).scaleb(-2),
    "DATETIME": _moment,
    "DATETIME of a date": lambda random: date(1900, 1, 1) + timedelta(days=random.randrange(70_000)),
    "DATETIME of a time": lambda random: time(random.randrange(24), random.randrange(60), random.randrange(60)),
    "DATETIME with a zone": lambda random: _moment(random).replace(tzinfo=UTC),
    "INTERVAL DAY TO SECOND": lambda random: timedelta(seconds=random.randrange(10**6)),
}
"""How the values of a kind are drawn."""


def _table(name: str, number: int, keys: int, columns: Sequence[tuple[str, str]]) -> ShopTable:
    definitions = [KINDS[kind].definition._replace(name=column, **_PARTS.get(kind, {})) for column, kind in columns]
    return ShopTable(f"BANK.{name}", number, placed(definitions, keys, oracle=False))


ACCOUNTS = _table(
    "ACCOUNTS", 1, 1, [("ID", "INT64"), ("OWNER", "VARCHAR"), ("BALANCE", "INT64 with a scale"), ("NOTE", "VARCHAR")]
)
PLACES = _table("PLACES", 2, 2, [("CODE", "VARCHAR"), ("SHELF", "INT32"), ("CONTENT", "VARCHAR")])
PAPERS = _table(
    "PAPERS", 3, 1, [("ID", "INT64"), ("TITLE", "VARCHAR"), ("BODY", "VARCHAR"), ("SCAN", "VARCHAR of bytes")]
)
EVENTS = _table("EVENTS", 4, 1, [("ID", "INT64"), ("WHAT", "VARCHAR"), ("AT", "DATETIME")])
TYPES = _table("KINDS", 5, 1, [("ID", "INT64"), *((f"C{at}", kind) for at, kind in enumerate(DRAWN))])
TABLES = (ACCOUNTS, PLACES, PAPERS, EVENTS, TYPES)

Values = tuple[Any, ...]
Key = tuple[Any, ...]


@dataclass(frozen=True)
class RowChange:
    """A change of a row; ``only`` are the columns that the image after it has, of an update."""

    table: ShopTable
    io_type: int
    before: Values | None = None
    after: Values | None = None
    only: frozenset[int] = frozenset()
    is_before: bool = False
    fields: dict[str, int] = field(default_factory=dict)

    def images(self, order: ByteOrder) -> Images | bytes:
        """The columns of its record."""
        if self.io_type == PURGE_DATA:
            return b""
        key = {*range(key_size(self.table))}
        if self.io_type == INSERT:
            return Images(None, self._columns(self.after, {*range(len(self.after or ()))} - self._lobs, order))
        if self.io_type == DELETE:
            return Images(self._columns(self.before, key, order), None)
        after = self._columns(self.after, (key | self.only) - self._lobs, order)
        if self.io_type == FIELD_COMP:
            return Images(None, after)
        return Images(self._columns(self.before, key, order), after, prefix_size=4)

    @property
    def _lobs(self) -> set[int]:
        """Columns whose value comes in pieces."""
        return {at for at, value in enumerate(self.after or ()) if isinstance(value, (str, bytes)) and len(value) > 100}

    def _columns(self, row: Values | None, wanted: set[int], order: ByteOrder) -> Any:
        made = []
        for index in sorted(wanted):
            value, definition = (row or ())[index], self.table.columns[index]
            made.append(make_column(index, None if value is None else encode_value(value, definition, order)))
        return tuple(made)

    def pieces(self, order: ByteOrder) -> list[Piece]:
        """The records of the LOBs of the row."""
        made = []
        for index in sorted(self._lobs & ({*range(99)} if self.io_type == INSERT else self.only)):
            value = (self.after or ())[index]
            data = value.encode() if isinstance(value, str) else value
            count = -(-len(data) // _PIECE)
            for at in range(count):
                part = data[at * _PIECE : (at + 1) * _PIECE]
                built = build_piece(PieceHeader(index, at + 1, count, at * _PIECE, len(data)), part, order)
                made.append(Piece(self.table, built, int(at < count - 1), min(count, 255)))
        return made


@dataclass(frozen=True)
class Piece:
    """A piece of a LOB."""

    table: ShopTable
    data: bytes
    continued: int
    rec_count: int
    io_type: int = LARGE_OBJECT
    is_before: bool = False

    def images(self, _order: ByteOrder) -> bytes:
        """The data of its record."""
        return self.data

    @property
    def fields(self) -> dict[str, int]:
        """What its header has beside."""
        return {"continued": self.continued, "rec_count": self.rec_count}


def key_size(table: ShopTable) -> int:
    """The number of columns of its key."""
    return sum(column.is_key for column in table.columns)


class Bank:
    """Draws transactions; ``rows`` are the tables as they stand after them.

    Args:
        random: what decides.
        swaps_at_once: whether rows change places in two records also, as where a constraint is checked at the commit.
    """

    def __init__(self, random: Random, *, swaps_at_once: bool = True) -> None:
        self._random, self._swaps_at_once = random, swaps_at_once
        self._made = 0
        self.rows: dict[str, dict[Key, Values]] = {table.name: {} for table in TABLES}

    def transaction(self) -> list[RowChange]:
        """The changes of a transaction."""
        changes: list[RowChange] = []
        for _ in range(self._random.randint(1, 4)):
            table = self._random.choice(TABLES)
            changes += self._step(table)
        return changes

    def _step(self, table: ShopTable) -> list[RowChange]:
        rows, random = self.rows[table.name], self._random
        kind = 0 if table is EVENTS or len(rows) < 3 else random.randrange(12)
        if (kind <= 4 and len(rows) < 400) or table is EVENTS:
            row = self._row(table)
            return self._do(RowChange(table, INSERT, after=row))
        before = random.choice([*rows.values()][-50:])
        if kind == 5 or kind <= 4:
            return self._do(RowChange(table, DELETE, before=before))
        if kind == 6 and table is PLACES and random.random() < 0.2:
            return self._do(RowChange(table, PURGE_DATA))
        if kind in (6, 7) and table is not PAPERS:
            return self._swap(table, before)
        return self._update(table, before)

    def _update(self, table: ShopTable, before: Values) -> list[RowChange]:
        size = key_size(table)
        only = frozenset(self._random.sample(range(size, len(before)), self._random.randint(1, len(before) - size)))
        fresh = self._row(table)
        after = tuple(fresh[at] if at in only else value for at, value in enumerate(before))
        io_type = self._random.choice((FIELD_COMP, UNIFIED_UPDATE))
        return self._do(RowChange(table, io_type, before, after, only))

    def _swap(self, table: ShopTable, values: Values) -> list[RowChange]:
        """Two rows that change their keys by way of a third, or at once; or one that takes a new key."""
        size, rows = key_size(table), self.rows[table.name]
        other = self._random.choice([*rows.values()][-50:])
        free = self._row(table)[:size]
        if other[:size] == values[:size]:
            return self._do(self._moved(table, values, free))
        if self._random.random() < 0.5 or not self._swaps_at_once:
            changes = self._do(self._moved(table, values, free))
            changes += self._do(self._moved(table, other, values[:size]))
            return changes + self._do(self._moved(table, free + values[size:], other[:size]))
        pair = [self._moved(table, values, other[:size]), self._moved(table, other, values[:size])]
        for row in (values, other):
            del rows[row[:size]]
        for change in pair:
            rows[(change.after or ())[:size]] = change.after or ()
        return pair

    def _moved(self, table: ShopTable, row: Values, key: Key) -> RowChange:
        return RowChange(table, UNIFIED_PK_UPDATE, row, key + row[len(key) :])

    def _do(self, change: RowChange) -> list[RowChange]:
        rows, size = self.rows[change.table.name], key_size(change.table)
        if change.io_type == PURGE_DATA:
            rows.clear()
        if change.before is not None:
            del rows[change.before[:size]]
        if change.after is not None:
            rows[change.after[:size]] = change.after
        return [change]

    def _row(self, table: ShopTable) -> Values:
        self._made += 1
        number, random = self._made, self._random
        if table is PLACES:
            return (f"P{number}", number % 7, self._maybe(_text(random)))
        if table is PAPERS:
            body = random.choice((None, "short", f"paper {number} " * 150, "宇治" * 900))
            scan = random.choice((None, b"\0\1", random.randbytes(1500)))
            return (number, _text(random), body, scan)
        if table is EVENTS:
            return (number, f"event {number}", _moment(random))
        if table is ACCOUNTS:
            return (
                number,
                self._maybe(_text(random)),
                Decimal(random.randrange(10**9)).scaleb(-2),
                self._maybe("note"),
            )
        return (number, *(self._maybe(draw(random)) for draw in DRAWN.values()))

    def _maybe(self, value: Any) -> Any:
        return None if self._random.random() < 0.15 else value


class BankStates:
    """The tables of the bank after each of its transactions, in their order."""

    def __init__(self) -> None:
        self.rows: dict[str, dict[Key, Values]] = {table.name: {} for table in TABLES}
        self._later: deque[tuple[str, list[RowChange], list[Values | None]]] = deque()

    def add(self, csn: str, changes: Sequence[RowChange], bank: Bank) -> None:
        """Note the last transaction of the bank."""
        rows = [bank.rows[change.table.name].get(key) for change in changes for key in _touched(change)]
        self._later.append((csn, list(changes), rows))

    def go_to(self, csn: str | None) -> None:
        """Go on to a transaction, which has not been passed yet; None is before the first."""
        if csn is None or csn == self._csn:
            return
        while True:
            self._csn, changes, rows = self._later.popleft()
            self._do(changes, iter(rows))
            if self._csn == csn:
                return

    _csn: str | None = None

    def _do(self, changes: Sequence[RowChange], after: Iterator[Values | None]) -> None:
        """Take the rows that a transaction has touched as they are after it."""
        for change in changes:
            if change.io_type == PURGE_DATA:
                self.rows[change.table.name].clear()
        for change in changes:
            rows = self.rows[change.table.name]
            for key in _touched(change):
                if (row := next(after)) is None:
                    rows.pop(key, None)
                else:
                    rows[key] = row


def _touched(change: RowChange) -> list[Key]:
    """The keys of the rows of a change."""
    size = key_size(change.table)
    return [row[:size] for row in (change.before, change.after) if row is not None]


class BankExtract(Extract):
    """Writes the bank's trail: files with headers, restarts of Extract and roll-overs in the middle of transactions."""

    def __init__(self, folder: Path, random: Random, *, roll_chance: float = 0.01, cut_chance: float = 0.05) -> None:
        self._cut_chance = cut_chance
        flavour: Flavour = ORACLE_12
        super().__init__(folder, random, roll_chance=roll_chance, flavour=flavour, tables=TABLES, is_headed=True)

    @property
    def csn(self) -> str:
        """The CSN of the transaction under way."""
        return self.csn_of(self._number)

    def csn_of(self, number: int) -> str:
        """The CSN of a transaction; the first one is 1."""
        return self._flavour.csn(number)

    def transaction(self, changes: Sequence[RowChange]) -> None:
        """One transaction, whole at last."""
        self.begin()
        order = self._flavour.order
        records: list[Any] = [record for change in changes for record in (change, *change.pieces(order))]
        while self._random.random() < self._cut_chance:
            self._records(records, self._random.randrange(len(records)))
            if self._random.random() < 0.3:
                self.roll()
            self.marker(self._random.choice((RESTART_ABEND, RESTART_OK)))
        self._records(records, len(records))

    def part(self, changes: Sequence[RowChange]) -> None:
        """A transaction whose end is not written."""
        self.begin()
        self._records([*changes], len(changes) - 1)

    def _records(self, records: Sequence[Any], count: int) -> None:
        for at in range(count):
            self._may_roll(self._roll_chance)
            place = ONLY if len(records) == 1 else FIRST if at == 0 else LAST if at == len(records) - 1 else MIDDLE
            self._record(records[at], place, is_first=at == 0)

    def _record(self, change: Any, place: int, *, is_first: bool) -> None:
        header = self._capture.header(
            change.io_type,
            change.table.number,
            partition=self._capture.partition | (0x40 if change.io_type == UNIFIED_PK_UPDATE else 0),
            before_after=ord("B" if change.io_type == DELETE else "A"),
            orig_node=255,
            trans_ind=place,
            **change.fields,
        )
        record = self._writer.write_values(header, change.images(self._flavour.order), self._tokens if is_first else ())
        self.written.append(Written(self.paths[-1], record.rba, record.length, self._number, place, None))


def bank_trail(
    folder: Path,
    transactions: int,
    seed: int = 1,
    *,
    swaps_at_once: bool = True,
    states: BankStates | None = None,
    **chances: float,
) -> tuple[Bank, BankExtract]:
    """A trail of so many transactions, and the source as they leave it; ``states`` take those between."""
    random = Random(seed)
    bank, extract = Bank(random, swaps_at_once=swaps_at_once), BankExtract(folder, random, **chances)
    for _ in range(transactions):
        extract.transaction(changes := bank.transaction())
        if states is not None:
            states.add(extract.csn, changes, bank)
    extract.close()
    return bank, extract
