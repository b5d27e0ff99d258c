"""The schema of the changes of tables, and what it says about them: keys, types in the trail, numbers kept as text."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from pyspark.sql import types

from logdump.arrow.records.schema import PROBLEMS, STRINGS, ColumnType, Selected
from logdump.arrow.tables.changes import BEFORE
from logdump.arrow.tables.layout import TableLayout
from logdump.tables.change_columns import (
    ARROW,
    MESSAGE_COLUMNS,
    ChangedColumn,
    ChangedTable,
    change_columns,
    changed_tables,
    columns_of,
)
from logdump.tables.errors import BadSchema
from logdump.tables.options import Options

_FLAT = "logdump.changes"
_COLUMN = "logdump.column"
"""Metadata of a column: its name in the table, where the rows call it otherwise."""
_NUMBER = "logdump.number"
"""Metadata of a column of text: that it is a number."""
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


def change_schema(tables: Sequence[ChangedTable], options: Options) -> types.StructType:
    """Return the schema of a read; the metadata of fields has the key, the type in the trail and a comment."""
    if options.messages:
        columns = [(column.name, _spark(column.type), column.meaning) for column in MESSAGE_COLUMNS]
        return types.StructType(
            [types.StructField(name, kind, metadata={"comment": text}) for name, kind, text in columns]
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
    by_name = {table.name: [_field(table, column) for column in columns_of(table)] for table in tables}
    own = {field.name: field for field in by_name[single.name]} if single is not None else {}
    for name, column in change_columns(tables, options).items():
        if name in own:
            fields.append(own[name])
        elif (single is None and name in by_name) or (single is not None and name == BEFORE):
            inner = by_name[name if single is None else single.name]
            fields.append(types.StructField(name, types.StructType(inner)))
        else:
            fields.append(types.StructField(name, _spark(column.type), metadata={"comment": column.meaning}))
    return types.StructType(fields)


def _field(table: ChangedTable, column: ChangedColumn) -> types.StructField:
    about: dict[str, Any] = {"logdump.table": table.name}
    if column.code is not None:
        about = {
            "comment": f"{'key column' if column.is_key else 'column'} of {table.name}",
            "logdump.key": column.is_key,
            **about,
            "logdump.type": column.code,
            **({_COLUMN: column.column} if column.column != column.name else {}),
            **({_NUMBER: True} if column.is_number else {}),
        }
    return types.StructField(column.name, _spark(column.kind), metadata=about)


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
