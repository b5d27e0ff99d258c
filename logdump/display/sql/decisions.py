"""The decision on the parts of the statement of a change, or why there is none: it is made here and nowhere else.

A row is found by its key columns, or by all columns if the definition marks none as key. Values that the images lack
are never guessed: such a change has a reason in place of a statement.

A decision depends on the operation and on the columns of the images, not on values: many rows share one.
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from logdump.display.sql.dialects import Dialect, Unwritable
from trailformat import ColumnDefinition
from trailformat.changes.row_changes import UNKNOWN_EFFECT

_HERE = "\0"
"""Placeholder of a condition, which no name contains."""


class SqlTable(NamedTuple):
    """A table and its columns. Sets of columns are integers with a bit for each, the first column the lowest.

    Attributes:
        name: the name in the trail.
        columns: the defined columns; rows can have more.
        is_defined: True if there is a definition.
        quoted: the name in statements.
        lack: why the name cannot be written; None if it can.
        names: the names of the columns in statements, also of columns without a definition.
        lacks: for each column the reason why it cannot be named; None if it can.
        key: the columns of the key.
        condition: the text before and after the condition that finds a row.
        dialect: the dialect of the statements.
    """

    name: str
    columns: tuple[ColumnDefinition, ...]
    is_defined: bool
    quoted: bytes
    lack: str | None
    names: list[bytes]
    lacks: list[str | None]
    key: int
    condition: tuple[bytes, bytes]
    dialect: Dialect

    def plain_names(self, columns: int) -> str:
        """Return the names of a set of columns as messages list them."""
        names = (self.columns[index].name if index < len(self.columns) else "" for index in members(columns))
        return ", ".join(names)

    def nameable(self, columns: int) -> tuple[int, str | None]:
        """Return the columns of a set before the first that cannot be named, and the reason; else all, None."""
        for index in members(columns):
            if (lack := self.lacks[index]) is not None:
                return columns & (1 << index) - 1, lack
        return columns, None


def members(columns: int) -> Iterator[int]:
    """Yield the indexes of the columns in a set."""
    while columns:
        lowest = columns & -columns
        yield lowest.bit_length() - 1
        columns ^= lowest


def sql_table(name: str, columns: Sequence[ColumnDefinition] | None, dialect: Dialect, width: int = 0) -> SqlTable:
    """Return a table; ``columns`` is None without a definition, ``width`` the least number of columns of its rows."""
    defined = tuple(columns or ())
    quoted, lack = _written(dialect.table, name)
    pairs = [
        _written(dialect.identifier, column.name) if column.name else (b"", _nameless(index))
        for index, column in enumerate(defined)
    ]
    pairs += [(b"", _nameless(index)) for index in range(len(defined), width)]
    key = sum(1 << index for index, column in enumerate(defined) if column.is_key)
    condition = _HERE if key or lack is not None else dialect.one_of(quoted.decode(), _HERE)
    before, after = condition.encode().split(_HERE.encode())
    return SqlTable(
        name,
        defined,
        columns is not None,
        quoted,
        lack,
        [column_name for column_name, _ in pairs],
        [why for _, why in pairs],
        key,
        (before, after),
        dialect,
    )


def _written(quote: Callable[[str], str], name: str) -> tuple[bytes, str | None]:
    """Return a name as written in statements, and the reason if it cannot be written."""
    try:
        return quote(name).encode(), None
    except Unwritable as error:
        return b"", str(error)


def _nameless(index: int) -> str:
    return f"column {index} has no name: no definition of the table fits (SOURCEDEFS reads some)"


class ChangeShape(NamedTuple):
    """The facts of a change that a decision depends on besides the table.

    Attributes:
        op: the operation, as ``Change`` has it.
        had, has: the columns of the before and of the after image.
        changed: the columns of both images whose values differ.
    """

    op: str
    had: int = 0
    has: int = 0
    changed: int = 0


class ColumnRole(enum.Enum):
    """The role of a column in a statement: the word in braces in its form.

    It is named by INSERT, its value, set, or compared to find the row; named as a part of the key, or set to the value
    of the row that could not be inserted.
    """

    NAME = "name"
    VALUE = "value"
    SET = "set"
    FIND = "find"
    KEY = "key"
    OVERWRITE = "overwrite"


class ColumnSet(NamedTuple):
    """Columns in one role, with the values of the image before or of that after."""

    role: ColumnRole
    is_before: bool
    columns: int


class Decision(NamedTuple):
    """The form of a statement, with its table and lists of columns in braces, and its parts, in order.

    Without a statement ``refusal`` is the reason, unless a value in the parts cannot be written; the parts are then
    those before the missing one.
    """

    form: str
    parts: tuple[ColumnSet, ...] = ()
    refusal: str | None = None


INSERT, TRUNCATE = "INSERT INTO {table} ({name}) VALUES ({value})", "TRUNCATE TABLE {table}"
DELETE, UPDATE = "DELETE FROM {table} WHERE {find}", "UPDATE {table} SET {set} WHERE {find}"
BEFORE, AFTER = True, False
NO_COLUMN = "the trail has no column of the row"


def decide(shape: ChangeShape, table: SqlTable, *, takes_back: bool) -> Decision:
    """Return the decision on the statement that repeats a change, or undoes it."""
    make = (_UNDO if takes_back else _REDO).get(shape.op)
    if make is None:
        return Decision("", (), _REASONS.get(shape.op, UNKNOWN_EFFECT))
    return make(shape, table)


def _insert(table: SqlTable, row: int, *, is_before: bool) -> Decision:
    lack = table.nameable(row)[1] or (None if row else NO_COLUMN)
    if lack is not None:
        return Decision(INSERT, (), lack)
    return Decision(
        INSERT, (ColumnSet(ColumnRole.NAME, is_before, row), ColumnSet(ColumnRole.VALUE, is_before, row)), table.lack
    )


def _insert_again(shape: ChangeShape, table: SqlTable) -> Decision:
    count, size = shape.had.bit_count(), len(table.columns)
    if count < size:
        reason = f"the trail has {count} of the {size} columns of the row that was deleted"
        return Decision(INSERT, (), reason)
    return _insert(table, shape.had, is_before=BEFORE)


def _upsert(table: SqlTable, row: int) -> Decision:
    """Insert a row, or overwrite the row with its key; the columns of the key are not set anew if there are others."""
    form = table.dialect.upsert
    if lack := table.nameable(row)[1] or table.lack or (None if row else NO_COLUMN):
        return Decision(form, (), lack)
    if table.is_defined and not table.key:
        return Decision(form, (), "the table has no key: the row that an upsert overwrites is not known")
    _, lack = _where(table, (AFTER, row))
    rest = row & ~table.key
    sets = {
        ColumnRole.FIND: table.key,
        ColumnRole.SET: rest,
        ColumnRole.NAME: row,
        ColumnRole.VALUE: row,
        ColumnRole.KEY: table.key,
        ColumnRole.OVERWRITE: rest or table.key,
    }
    parts = tuple(ColumnSet(role, AFTER, columns) for role, columns in sets.items())
    return Decision(form, () if lack else parts, lack)


def _delete(table: SqlTable, row: int, *, is_before: bool) -> Decision:
    if table.lack is not None:
        return Decision(DELETE, (), table.lack)
    return Decision(DELETE, *_where(table, (is_before, row)))


def _repeat_update(shape: ChangeShape, table: SqlTable) -> Decision:
    """Set columns that differ or have no old value; a key that the before image lacks changed only in a PK UPDATE."""
    only_new = shape.has & ~shape.had
    same_key = only_new & table.key if shape.op != "PK UPDATE" else 0
    return _update(table, AFTER, shape.changed | only_new & ~same_key, (BEFORE, shape.had), (AFTER, same_key))


def _take_back_update(shape: ChangeShape, table: SqlTable) -> Decision:
    """Set the columns that differ; a column that the after image lacks did not change."""
    only_new = shape.has & ~shape.had
    if lost := only_new & ~table.key:
        return Decision(UPDATE, (), f"the trail has no before image of {table.plain_names(lost)}")
    if shape.op == "PK UPDATE" and only_new:
        return Decision(UPDATE, (), "the trail does not have the complete old key")
    return _update(table, BEFORE, shape.changed, (AFTER, shape.has), (BEFORE, shape.had & ~shape.has))


def _update(table: SqlTable, is_before: bool, changed: int, *condition: tuple[bool, int]) -> Decision:  # noqa: FBT001
    if not changed:
        return Decision(UPDATE, (), "no column is changed")
    nameable, lack = table.nameable(changed)
    lack = lack or table.lack
    parts, refusal = ((), lack) if lack is not None else _where(table, *condition)
    return Decision(UPDATE, (ColumnSet(ColumnRole.SET, is_before, nameable), *parts), refusal)


def _where(table: SqlTable, *images: tuple[bool, int]) -> tuple[tuple[ColumnSet, ...], str | None]:
    """Return the conditions that find a row, by its key or else by all columns, and the reason if there are none."""
    if not table.is_defined:
        return (), "no definition of the table: its columns have no names (SOURCEDEFS reads some)"
    known = 0
    for _, columns in images:
        known |= columns
    if missing := table.key & ~known:
        return (), f"the trail lacks {table.plain_names(missing)} of the row's key"
    if not table.key and known.bit_count() < len(table.columns):
        return (), "the table has no key, and the trail lacks columns of the row"
    if not known:
        return (), NO_COLUMN
    parts: list[ColumnSet] = []
    for is_before, columns in images:
        nameable, lack = table.nameable(columns & table.key if table.key else columns)
        parts.append(ColumnSet(ColumnRole.FIND, is_before, nameable))
        if lack is not None:
            return tuple(parts), lack
    return tuple(parts), None


_Make = Callable[[ChangeShape, SqlTable], Decision]
_REASONS = {
    "TRUNCATE": "the trail does not have the rows that TRUNCATE deleted",
    "DDL": "DDL: the state before it is not in the trail",
    "LOB": "a piece of a large object: it belongs to the row before it",
    "UPSERT": "the trail does not have the row that it may have overwritten",
    "SEQUENCE": "a sequence: SQL has no statement that sets it to a value in every database",
}
_REDO: dict[str, _Make] = {
    "INSERT": lambda shape, table: _insert(table, shape.has, is_before=AFTER),
    "UPSERT": lambda shape, table: _upsert(table, shape.has),
    "UPDATE": _repeat_update,
    "PK UPDATE": _repeat_update,
    "DELETE": lambda shape, table: _delete(table, shape.had, is_before=BEFORE),
    "TRUNCATE": lambda _shape, table: Decision(TRUNCATE, (), table.lack),
}
_UNDO: dict[str, _Make] = {
    "INSERT": lambda shape, table: _delete(table, shape.has, is_before=AFTER),
    "UPDATE": _take_back_update,
    "PK UPDATE": _take_back_update,
    "DELETE": _insert_again,
}
