"""The columns of option ``changesOf``: rows of one table or several, ready to be applied to a copy of them.

The columns of a single table keep their names; of several tables, each is a struct that is null in the rows of the
others.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from logdump.arrow.records.schema import (
    BIGINT,
    PROBLEMS,
    STRING,
    STRINGS,
    TIMESTAMP,
    ColumnType,
    RowColumn,
    struct,
)
from logdump.arrow.tables.changes import BEFORE, KEY_BEFORE
from logdump.arrow.tables.layout import TableLayout
from logdump.tables.errors import BadOption
from logdump.tables.options import Options
from logdump.tables.table_columns import table_columns
from trailformat.values.value import sub_type

CHANGE_COLUMNS: tuple[RowColumn, ...] = (
    RowColumn("_table", STRING, "Name of the table"),
    RowColumn(
        "_op", STRING, "`insert`, `upsert`, `update`, `delete`, `truncate`; with `keyUpdate whole` also `key update`"
    ),
    RowColumn("_sequence", STRING, "Place of the change in the trail, as text that sorts in the order of the changes"),
    RowColumn("_absent", STRINGS, "Columns that the record does not have: null here, and unchanged; null if none"),
    RowColumn("_csn", STRING, "LOGCSN of the transaction; null if unknown"),
    RowColumn("_xid", STRING, "TRANID of the transaction; null if unknown"),
    RowColumn("_time", TIMESTAMP, "IO Time; null outside the years 1 to 9999"),
    RowColumn("_file", STRING, "Path of the trail file"),
    RowColumn("_rba", BIGINT, "Byte offset of the record in its file"),
    RowColumn("_problems", PROBLEMS, "Values that cannot be decoded, under `undecodable null`; null if there are none"),
)
MESSAGE_COLUMNS: tuple[RowColumn, ...] = (
    RowColumn("key", STRING, "Key of the row, for a topic; null without one"),
    RowColumn("value", STRING, "The message, as JSON; null for the tombstone after a delete"),
    RowColumn("_table", STRING, "Name of the table"),
    RowColumn(
        "_sequence", STRING, "Place of the message in the trail, as text that sorts in the order of the messages"
    ),
    RowColumn("_file", STRING, "Path of the trail file"),
    RowColumn("_rba", BIGINT, "Byte offset of the record in its file"),
    RowColumn("_csn", STRING, "LOGCSN of the transaction; null if unknown"),
    RowColumn("_xid", STRING, "TRANID of the transaction; null if unknown"),
    RowColumn("_time", TIMESTAMP, "IO Time; null outside the years 1 to 9999"),
)
"""The columns of option ``messages``."""
ARROW = "arrow"
"""Name of the only column of a read whose rows are batches of changes."""
_OF_KEY = RowColumn(KEY_BEFORE, STRING, "The columns of the key before a `key update`, as JSON")


class ChangedTable(NamedTuple):
    """A table of a read: its definitions, oldest first, and the types of its columns by name.

    ``renamed`` has the names in the rows of columns that are called like a column of every change, by their own names.
    """

    name: str
    layouts: tuple[TableLayout, ...]
    columns: Mapping[str, ColumnType]
    renamed: Mapping[str, str] = MappingProxyType({})

    @property
    def shown(self) -> dict[str, ColumnType]:
        """The types of its columns by their names in the rows."""
        return {self.renamed.get(name, name): kind for name, kind in self.columns.items()}


def changed_tables(layouts: Sequence[TableLayout], options: Options) -> tuple[ChangedTable, ...]:
    """Return the tables of these definitions, in order of first occurrence."""
    by_name: dict[str, list[TableLayout]] = {}
    for layout in layouts:
        by_name.setdefault(layout.name, []).append(layout)
    tables = []
    for name, own in by_name.items():
        columns = table_columns(own, options)
        after = {
            column[len("after_") :]: row_column.type
            for column, row_column in columns.items()
            if column.startswith("after_")
        }
        tables.append(ChangedTable(name, tuple(own), after, _renamed(after)))
    return tuple(tables)


def _renamed(columns: Collection[str]) -> dict[str, str]:
    """Return other names for columns that are called like a column of every change: with more ``_`` before them."""
    fixed = {column.name for column in (*CHANGE_COLUMNS, _OF_KEY)} | {BEFORE, ARROW}
    there = {name.lower() for name in columns}
    renamed = {}
    for name in columns:
        free = name
        while free.lower() in fixed or (free != name and free.lower() in there):
            free = f"_{free}"
        if free != name:
            renamed[name] = free
            there.add(free.lower())
    return renamed


def change_columns(tables: Sequence[ChangedTable], options: Options) -> dict[str, RowColumn]:
    """Return the columns of a read by name.

    Raises:
        BadOption: a table has the name of a fixed column; or ``beforeImages`` is set with several tables.
    """
    fixed = {column.name: column for column in CHANGE_COLUMNS}
    if options.key_update == "whole":
        fixed[KEY_BEFORE] = _OF_KEY
    if options.before_images:
        if len(tables) != 1:
            raise BadOption("option beforeImages goes with one table in changesOf")
        fixed[BEFORE] = RowColumn(BEFORE, struct(tables[0].shown), "Columns before an update; null without an image")
    if len(tables) == 1:
        own = {name: RowColumn(name, kind, "") for name, kind in tables[0].shown.items()}
    else:
        own = {table.name: RowColumn(table.name, struct(table.shown), "") for table in tables}
    duplicates = {name.lower() for name in fixed} & {name.lower() for name in own}
    if duplicates:
        raise BadOption(f"option changesOf: {', '.join(sorted(duplicates))} is a table, and a column of every change")
    return {**own, **fixed}


class ChangedColumn(NamedTuple):
    """A column of a table as its changes have it.

    Attributes:
        name: its name in the rows.
        kind: its type.
        column: its name in the table.
        is_key: whether it is one of the key.
        code: the number of its type in the trail; None if no definition has it.
        is_number: whether it is a number that is text, as no type has room for all its digits.
    """

    name: str
    kind: ColumnType
    column: str
    is_key: bool = False
    code: int | None = None
    is_number: bool = False


def columns_of(table: ChangedTable) -> list[ChangedColumn]:
    """Return the columns of a table, each as its newest definition has it."""
    own = {shown: name for name, shown in table.renamed.items()}
    return [_column(table, name, own.get(name, name), kind) for name, kind in table.shown.items()]


def _column(table: ChangedTable, name: str, own: str, kind: ColumnType) -> ChangedColumn:
    for layout in reversed(table.layouts):
        for spelled, definition in zip(layout.column_names, layout.columns or (), strict=True):
            if spelled.lower() == own.lower():
                is_number = kind == STRING and sub_type(definition.sub_data_type).is_number
                return ChangedColumn(
                    name, kind, own, bool(definition.is_key), int(definition.data_type), bool(is_number)
                )
    return ChangedColumn(name, kind, own)
