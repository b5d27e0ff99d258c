"""The statements of a block of transactions, made by columns, and the comments about them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path
from typing import NamedTuple

import numpy as np

from logdump.display.sql.blocks import BlockRows, RowsWithObjects
from logdump.display.sql.changed_rows import BARE, BareRows, LocatedRows, RowsOfTable
from logdump.display.sql.dialects import Unwritable
from logdump.display.sql.literals import UNKNOWN_LAYOUT, Literals, ObjectValue, values_of_objects
from logdump.display.sql.statement import STATEMENT_END, MadeStatements, make_statements
from logdump.notation.text import escape
from trailformat import TrailError
from trailformat.arrays.lines import LinePart
from trailformat.changes.row_changes import OPERATIONS
from trailformat.changes.segments import numbers_of
from trailformat.scan.rows.row_bytes import Array


class Refusal(NamedTuple):
    """A change in a block that has no statement: its first row, RBA, operation and table, and the reason."""

    row: int
    rba: int
    op: str
    table: str
    reason: str


def comment(text: str) -> str:
    """Return a comment line safe in all clients: SQL*Plus joins the next line to one that ends with a hyphen."""
    return f"-- {escape(text)}{'.' if text.endswith('-') else ''}"


def as_comment(line: str) -> str:
    """Return a line of a statement that is not to be run as a comment; a comment is unchanged."""
    return comment(line.removeprefix("-- "))


def refusal_comment(rba: int, op: str, table: str, reason: str | None, elsewhere: Path | None) -> str:
    """Return the comment in place of a statement; ``elsewhere`` is the file if it is not the open one."""
    where = f" of {elsewhere}" if elsewhere is not None else ""
    return comment(f"{f'RBA {rba}{where} {op} {table}'.rstrip()}: {reason}")


class ObjectRows:
    """The rows of one table in a block whose statements need the large objects after them.

    Attributes:
        refusals: refusals of the rows whose objects cannot be written.
    """

    def __init__(self, block: BlockRows, objects: RowsWithObjects) -> None:
        self.refusals: list[Refusal] = []
        self._block = block
        self._objects = objects
        self._places: list[int] = []
        self._values: dict[tuple[bool, int], dict[int, ObjectValue]] = {}
        for unit in objects.units.tolist():
            self._take(unit)

    def changes(self) -> Iterator[RowsOfTable]:
        """Yield the rows whose objects are values, if there are any."""
        if self._places:
            places = np.array(self._places)
            is_second, rows = self._block.units.is_second[places], self._block.rows.subset(places)
            yield RowsOfTable(self._objects.table, rows, is_second, self._objects.codec, self._values)

    def _take(self, unit: int) -> None:
        block = self._block
        first, piece = int(block.units.heads[unit]), int(block.trailing.first[unit])
        row = int(block.units.rows[piece - 1])
        try:
            values = self._values_after(unit, piece, int(block.rows.batch.rba[row]))
        except (Unwritable, TrailError) as error:
            batch, head = block.rows.batch, int(block.units.rows[first])
            op, name = OPERATIONS[batch.io_type[row]], self._objects.table.name
            self.refusals.append(Refusal(head, int(batch.rba[head]), op, name, str(error)))
            return
        self._places += range(first, piece)
        for value in values:
            self._values.setdefault((value.is_before, value.column), {})[row] = value

    def _values_after(self, unit: int, first: int, rba: int) -> list[ObjectValue]:
        """Return the values of the objects after the row of a unit; raises like values_of_objects."""
        block, table = self._block, self._objects.table
        if numbers_of(block.rows.record(first)) is None:
            raise Unwritable(UNKNOWN_LAYOUT.format(1))
        return list(values_of_objects(block.trail, rba, table.columns, self._objects.codec, block.pieces(unit)))


_MOST_CELLS = 1 << 22
"""Maximum number of rows times columns that are processed at a time."""
_VERBS = (("INSERT",), ("UPSERT",), ("DELETE",), ("UPDATE", "PK UPDATE"), *((op,) for op in sorted(BARE)))
"""Operations whose statements are made together."""
_OF_VERB = [np.array([OPERATIONS.get(number) in ops for number in range(256)]) for ops in _VERBS]


_Rows = LocatedRows | BareRows


class BlockStatements(NamedTuple):
    """The statements of a block that are made by columns.

    Attributes:
        block: the block.
        parts: the lines of statements.
        refusals: the changes without a statement.
        is_single: a mask of the units that must be decoded one by one.
    """

    block: BlockRows
    parts: list[LinePart]
    refusals: list[Refusal]
    is_single: Array

    def by_unit(self) -> dict[int, str | Refusal]:
        """Return the statements without their ends, or the refusals, by unit."""
        units = self.block.units
        refused = units.of_rows(np.array([refusal.row for refusal in self.refusals], np.int64)).tolist()
        statements: dict[int, str | Refusal] = dict(zip(refused, self.refusals, strict=True))
        for part in self.parts:
            begins = np.concatenate(([0], part.ends))[:-1]
            indexes = np.flatnonzero(begins < part.ends)
            numbers, ends = units.of_rows(part.rows[indexes]).tolist(), part.ends[indexes].tolist()
            for unit, begin, end in zip(numbers, begins[indexes].tolist(), ends, strict=True):
                statements[unit] = bytes(part.data[begin : end - len(STATEMENT_END)]).decode()
        return statements


def block_statements(block: BlockRows, literals: Literals, *, takes_back: bool) -> BlockStatements:
    """Return the statements of a block; uses no session, so that threads can run it."""
    objects = [ObjectRows(block, table_units) for table_units in block.objects]
    is_single = block.is_single.copy()
    is_single[[unit for table_units in block.objects for unit in table_units.units.tolist()]] = False
    parts, refusals = [], [refusal for rows in objects for refusal in rows.refusals]
    for changes in chain(block.changes, *(object_rows.changes() for object_rows in objects)):
        for rows, statements in _made(changes, literals, takes_back=takes_back):
            is_single[block.units.of_rows(rows.rows[statements.undecided])] = True
            parts.append(LinePart(rows.rows, statements.data, statements.ends))
            refusals += _refusals(rows, statements)
    return BlockStatements(block, parts, refusals, is_single)


def _made(
    changes: RowsOfTable, literals: Literals, *, takes_back: bool
) -> Iterator[tuple[LocatedRows | BareRows, MadeStatements]]:
    """Yield the statements of changes of one table, grouped by verb."""
    io_type = changes.rows.of("io_type")
    for ops, is_of_verb in zip(_VERBS, _OF_VERB, strict=True):
        for indexes in _parts(np.flatnonzero(is_of_verb[io_type]), changes):
            part = changes._replace(rows=changes.rows.subset(indexes), is_second=changes.is_second[indexes])
            rows = BareRows(part) if ops[0] in BARE else LocatedRows(part, literals)
            yield rows, make_statements(rows, literals, takes_back=takes_back)


def _parts(rows: Array, changes: RowsOfTable) -> Iterator[Array]:
    """Yield rows of changes in parts, so that memory stays bounded; updates in two records are not split."""
    step = max(_MOST_CELLS // max(len(changes.table.columns), 1), 2)
    begin = 0
    while begin < len(rows):
        end = begin + step
        end -= end < len(rows) and bool(changes.is_second[rows[end]])
        yield rows[begin:end]
        begin = end


def _refusals(rows: _Rows, statements: MadeStatements) -> Iterator[Refusal]:
    """Yield the changes that have a reason in place of a statement."""
    refused = np.flatnonzero((statements.reason >= 0) & ~statements.undecided)
    numbers, rbas, reasons = (array[refused].tolist() for array in (rows.rows, rows.rbas, statements.reason))
    for index, number, rba, reason in zip(refused.tolist(), numbers, rbas, reasons, strict=True):
        yield Refusal(number, rba, rows.ops[rows.op[index]], rows.table.name, statements.reasons[reason])
