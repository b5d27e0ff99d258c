"""The columns of option ``changesOf``: rows of one table or several, ready to be applied to a copy of them.

The columns of a single table keep their names; of several tables, each is a struct that is null in the rows of the
others.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

from pyspark.sql import types

from logdump.arrow.records.schema import (
    BIGINT,
    PROBLEMS,
    STRING,
    STRINGS,
    TIMESTAMP,
    ColumnType,
    RowColumn,
    Selected,
    struct,
)
from logdump.arrow.tables.changes import BEFORE, KEY_BEFORE
from logdump.arrow.tables.layout import TableLayout
from logdump.tables.errors import BadOption, BadSchema
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
)
"""The columns of option ``messages``."""
ARROW = "arrow"
"""Name of the only column of a read whose rows are batches of changes."""
_FLAT = "logdump.changes"
_COLUMN = "logdump.column"
"""Metadata of a column: its name in the table, where the rows call it otherwise."""
_NUMBER = "logdump.number"
"""Metadata of a column of text: that it is a number."""
_OF_KEY = RowColumn(KEY_BEFORE, STRING, "The columns of the key before a `key update`, as JSON")
_SIMPLE: dict[str, types.DataType] = {
    "smallint": types.ShortType(),
    "int": types.IntegerType(),
    "bigint": types.LongType(),
    "string": types.StringType(),
    "binary": types.BinaryType(),
    "double": types.DoubleType(),
    "date": types.DateType(),
    "timestamp": types.TimestampType(),
    "timestamp_ntz": types.TimestampNTZType(),
}


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


def change_schema(tables: Sequence[ChangedTable], options: Options) -> types.StructType:
    """Return the schema of a read; the metadata of fields has the key, the type in the trail and a comment."""
    if options.messages:
        return types.StructType(
            [
                types.StructField(name, _spark(kind), metadata={"comment": text})
                for name, kind, text, _ in MESSAGE_COLUMNS
            ]
        )
    flat = _flat_schema(tables, options)
    if not options.arrow_batches:
        return flat
    about = {"comment": "Changes of one table as an Arrow stream", _FLAT: flat.json()}
    return types.StructType([types.StructField(ARROW, types.BinaryType(), metadata=about)])


def flat_schema(schema: types.StructType) -> types.StructType:
    """Return the schema of the changes, given that of a read whose rows are changes or batches of changes."""
    if schema.names != [ARROW] or _FLAT not in schema[ARROW].metadata:
        return schema
    return types.StructType.fromJson(json.loads(schema[ARROW].metadata[_FLAT]))


def _flat_schema(tables: Sequence[ChangedTable], options: Options) -> types.StructType:
    fields = []
    single = tables[0] if len(tables) == 1 else None
    by_name = {changed_table.name: changed_table for changed_table in tables}
    for name, column in change_columns(tables, options).items():
        if single is not None and name in single.shown:
            fields.append(_field(single, name, column.type))
        elif (single is None and name in by_name) or (single is not None and name == BEFORE):
            table = single or by_name[name]
            inner = [_field(table, part, kind) for part, kind in table.shown.items()]
            fields.append(types.StructField(name, types.StructType(inner)))
        else:
            fields.append(types.StructField(name, _spark(column.type), metadata={"comment": column.meaning}))
    return types.StructType(fields)


def _field(table: ChangedTable, name: str, kind: ColumnType) -> types.StructField:
    own = next((own for own, shown in table.renamed.items() if shown == name), name)
    for layout in reversed(table.layouts):
        for spelled, definition in zip(layout.column_names, layout.columns or (), strict=True):
            if spelled.lower() == own.lower():
                about = {
                    "comment": f"{'key column' if definition.is_key else 'column'} of {table.name}",
                    "logdump.key": bool(definition.is_key),
                    "logdump.table": table.name,
                    "logdump.type": int(definition.data_type),
                    **({_COLUMN: own} if own != name else {}),
                    **({_NUMBER: True} if kind == STRING and sub_type(definition.sub_data_type).is_number else {}),
                }
                return types.StructField(name, _spark(kind), metadata=about)
    return types.StructField(name, _spark(kind), metadata={"logdump.table": table.name})


def fields_by_table(schema: types.StructType) -> dict[str, list[types.StructField]]:
    """Return the columns of each table in the schema of changes of one table or several, by its name."""
    tables: dict[str, list[types.StructField]] = {}
    for field in schema.fields:
        if (table := field.metadata.get("logdump.table")) is not None:
            tables.setdefault(table, []).append(field)
        elif isinstance(field.dataType, types.StructType) and field.name != BEFORE:
            tables[field.name] = field.dataType.fields
    return tables


def column_name(field: types.StructField) -> str:
    """Return the name in its table of a column of changes."""
    return str(field.metadata.get(_COLUMN, field.name))


def is_number_as_text(field: types.StructField) -> bool:
    """Return whether a column is a number that is text as no type has room for all its digits."""
    return bool(field.metadata.get(_NUMBER))


def _spark(kind: ColumnType) -> types.DataType:
    """Return Spark's type, made without its JVM."""
    if kind.ddl in _SIMPLE:
        return _SIMPLE[kind.ddl]
    if kind.ddl == STRINGS.ddl:
        return types.ArrayType(types.StringType())
    if kind.ddl == PROBLEMS.ddl:
        parts = [types.StructField(name, types.StringType()) for name in ("column", "image", "bytes", "reason")]
        parts[2] = types.StructField("bytes", types.BinaryType())
        return types.ArrayType(types.StructType(parts))
    digits, scale = kind.ddl.removeprefix("decimal(").removesuffix(")").split(",")
    return types.DecimalType(int(digits), int(scale))


def select_of_changes(
    schema: types.StructType, layouts: Sequence[TableLayout], options: Options
) -> tuple[Selected, ...]:
    """Return the columns of a read, whose schema must be the one made for it.

    Raises:
        BadSchema: the user has given a schema.
    """
    if not layouts:
        raise BadSchema("a read with option changesOf makes its own schema: give none")
    if options.messages:
        return tuple(Selected(column.name, column) for column in MESSAGE_COLUMNS)
    columns = change_columns(changed_tables(layouts, options), options)
    schema = flat_schema(schema)
    return tuple(Selected(field.name, columns[field.name]) for field in schema.fields)
