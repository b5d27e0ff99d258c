"""The columns of option ``changesOf``: rows of one table or several, ready to be applied to a copy of them.

The columns of a single table keep their names; of several tables, each is a struct that is null in the rows of the
others.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
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
from logdump.spark.errors import BadOption, BadSchema
from logdump.spark.source.options import Options
from logdump.spark.source.table_columns import table_columns

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
ARROW = "arrow"
"""Name of the only column of a read whose rows are batches of changes."""
_FLAT = "logdump.changes"
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
    """A table of a read: its definitions, oldest first, and the types of its columns by name."""

    name: str
    layouts: tuple[TableLayout, ...]
    columns: Mapping[str, ColumnType]


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
        tables.append(ChangedTable(name, tuple(own), after))
    return tuple(tables)


def change_columns(tables: Sequence[ChangedTable], options: Options) -> dict[str, RowColumn]:
    """Return the columns of a read by name.

    Raises:
        BadOption: a column of a table, or a table, has the name of a fixed column; or ``beforeImages`` is set with
            several tables.
    """
    fixed = {column.name: column for column in CHANGE_COLUMNS}
    if options.key_update == "whole":
        fixed[KEY_BEFORE] = _OF_KEY
    if options.before_images:
        if len(tables) != 1:
            raise BadOption("option beforeImages goes with one table in changesOf")
        fixed[BEFORE] = RowColumn(BEFORE, struct(tables[0].columns), "Columns before an update; null without an image")
    if len(tables) == 1:
        own = {name: RowColumn(name, kind, "") for name, kind in tables[0].columns.items()}
    else:
        own = {table.name: RowColumn(table.name, struct(table.columns), "") for table in tables}
    duplicates = {name.lower() for name in fixed} & {name.lower() for name in own}
    if duplicates:
        raise BadOption(
            f"option changesOf: {', '.join(sorted(duplicates))} is a column of the table and of every change"
        )
    return {**own, **fixed}


def change_schema(tables: Sequence[ChangedTable], options: Options) -> types.StructType:
    """Return the schema of a read; the metadata of fields has the key, the type in the trail and a comment."""
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
        if single is not None and name in single.columns:
            fields.append(_field(single, name, column.type))
        elif (single is None and name in by_name) or (single is not None and name == BEFORE):
            table = single or by_name[name]
            inner = [_field(table, part, kind) for part, kind in table.columns.items()]
            fields.append(types.StructField(name, types.StructType(inner)))
        else:
            fields.append(types.StructField(name, _spark(column.type), metadata={"comment": column.meaning}))
    return types.StructType(fields)


def _field(table: ChangedTable, name: str, kind: ColumnType) -> types.StructField:
    for layout in reversed(table.layouts):
        for spelled, definition in zip(layout.column_names, layout.columns or (), strict=True):
            if spelled.lower() == name.lower():
                about = {
                    "comment": f"{'key column' if definition.is_key else 'column'} of {table.name}",
                    "logdump.key": bool(definition.is_key),
                    "logdump.table": table.name,
                    "logdump.type": int(definition.data_type),
                }
                return types.StructField(name, _spark(kind), metadata=about)
    return types.StructField(name, _spark(kind))


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
    columns = change_columns(changed_tables(layouts, options), options)
    schema = flat_schema(schema)
    return tuple(Selected(field.name, columns[field.name]) for field in schema.fields)
