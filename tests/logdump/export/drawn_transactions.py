"""Drawn transactions of rows, updates in one record or two, large objects, truncates and DDL."""

from __future__ import annotations

from collections.abc import Iterator

from tests.searching import Random
from tests.trailformat.samples import header, metadata_record
from tests.trailformat.values.kinds import of
from trailformat import ByteOrder, Images, Record, TableDefinition, make_column, make_record
from trailformat.definitions.metadata import KEY, build_table
from trailformat.records.columns import PieceHeader, build_piece
from trailformat.records.ddl import build_ddl
from trailformat.records.record_header import (
    DDL_OP,
    DELETE,
    FIELD_COMP,
    INSERT,
    LARGE_OBJECT,
    PURGE_DATA,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
)

TABLES = ("TEA.POTS", "TEA.CUPS")
_BEFORE, _AFTER = ord("B"), ord("A")
_VALUES = (b"a pot", b"it's", b"\xff\xfe", "煎茶".encode(), b"")


def definition(name: str, index: int, order: ByteOrder, keys: int = 1) -> Record:
    """The definition of a table with three columns of text."""
    columns = tuple(of(64)._replace(name=f"C{at}", flags=KEY if at < keys else 0) for at in range(3))
    return metadata_record(2, index, name, build_table(TableDefinition(1, 1, columns), order), order)


class DrawnTransactions:
    """Transactions of rows and of pieces behind them: whole, with gaps, of several columns in turns, or unknown."""

    def __init__(self, random: Random, order: ByteOrder) -> None:
        self._random = random
        self._order = order

    def transaction(self) -> list[Record]:
        """One of them; definitions may stand among its rows."""
        records: list[Record] = []
        if self._random.random() < 0.1:
            records += self._pieces()
        for _ in range(self._random.randint(1, 5)):
            records += self._row()
            if self._random.random() < 0.1:
                records.append(definition(TABLES[0], 1, self._order))
            if self._random.random() < 0.7:
                records += self._pieces()
        rows = [at for at, record in enumerate(records) if not record.is_metadata]
        for at in rows:
            place = 3 if len(rows) == 1 else 0 if at == rows[0] else 2 if at == rows[-1] else 1
            records[at] = self._made(
                records[at].header._replace(trans_ind=place), records[at].images or records[at].data
            )
        return records

    def _made(self, base: object, data: Images | bytes) -> Record:
        return make_record(base, data, order=self._order)  # type: ignore[arg-type]

    def _image(self) -> tuple[bytes, ...]:
        return tuple(self._random.choice(_VALUES) for _ in range(3))

    def _row(self) -> list[Record]:
        """A row, or both halves of an update."""
        io_type = self._random.choice(
            (INSERT, INSERT, DELETE, UNIFIED_UPDATE, UNIFIED_PK_UPDATE, FIELD_COMP, FIELD_COMP, PURGE_DATA, DDL_OP)
        )
        base = header(self._random.choice((1, 1, 1, 2, 9)), self._order, io_type=io_type)
        if io_type == PURGE_DATA:
            return [self._made(base, b"")]
        if io_type == DDL_OP:
            return [self._made(base, build_ddl([("C1", "CREATE TABLE t (x int)")]))]
        old, new = (tuple(make_column(at, self._stored(value)) for at, value in enumerate(self._image())) for _ in "ab")
        before, after = Images(old, None), Images(None, new)
        if io_type in (INSERT, DELETE):
            is_new = io_type == INSERT
            return [self._made(base._replace(before_after=_AFTER if is_new else _BEFORE), after if is_new else before)]
        if io_type == FIELD_COMP:
            halves = [self._made(base._replace(before_after=_BEFORE), before)] * self._random.randint(0, 1)
            between = self._pieces() if halves and self._random.random() < 0.2 else []
            other = header(self._random.choice((1, 2)), self._order, io_type=io_type)  # it may be no half of the first
            return [*halves, *between, self._made(base if self._random.random() < 0.8 else other, after)]
        return [self._made(base, Images(old, new, 4))]

    def _stored(self, value: bytes) -> bytes:
        return self._order.encode(len(value), 2) + value

    def _pieces(self) -> list[Record]:
        """Pieces of some values; those of two columns may take turns, one may be lost, or stand twice."""
        random = self._random
        parts = [list(self._pieces_of(column)) for column in random.sample(range(4), random.randint(1, 2))]
        mixed: list[Record] = []
        while any(parts):
            mixed.append(random.choice([part for part in parts if part]).pop(0))
        if random.random() < 0.3:
            mixed.pop(random.randrange(len(mixed)))
        if mixed and random.random() < 0.2:
            mixed.insert(random.randrange(len(mixed)), random.choice(mixed))
        return mixed

    def _pieces_of(self, column: int) -> Iterator[Record]:
        before_after = self._random.choice((_BEFORE, _AFTER, _AFTER))
        value = self._random.choice(_VALUES) * self._random.randint(1, 9)
        is_known = self._random.random() < 0.8
        count = max(-(-len(value) // 16), 1)
        for number in range(count):
            part = value[16 * number : 16 * number + 16]
            place = PieceHeader(column, number + 1, count, 16 * number, len(value))
            about = {"continued": int(number < count - 1), "rec_count": count, "before_after": before_after}
            data = build_piece(place, part, self._order) if is_known else b"of no known layout" + part
            yield self._made(header(1, self._order, io_type=LARGE_OBJECT, **about), data)
