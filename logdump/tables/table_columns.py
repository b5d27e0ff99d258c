"""The columns of a read with option ``rowsOf``: those of one table, before and after, with their types.

They are the columns of EXPORT's files (:mod:`logdump.arrow.tables.arrow_rows`). If definitions of the table differ, the
newest gives the types, and columns that only older ones have come last; a value that does not fit its type is a
problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from logdump.arrow.records.schema import (
    BIGINT,
    BINARY,
    CORRUPT,
    DATE,
    DOUBLE,
    INT,
    PROBLEMS,
    SMALLINT,
    STRING,
    STRINGS,
    TIMESTAMP,
    TIMESTAMP_NTZ,
    ColumnType,
    RowColumn,
    Selected,
    decimal,
)
from logdump.arrow.tables.layout import NULLS, SIDES, TableLayout
from logdump.arrow.tables.layout import PROBLEMS as PROBLEMS_NAME
from logdump.tables.errors import BadSchema
from logdump.tables.options import Options
from logdump.tables.schema import select_among
from trailformat.codec.on_demand import on_demand

with on_demand:
    from trailformat import arrays

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

FIXED: tuple[RowColumn, ...] = (
    RowColumn("file", STRING, "Path of the trail file"),
    RowColumn("rba", BIGINT, "Byte offset of the record in its file"),
    RowColumn(
        "op",
        STRING,
        "INSERT, UPSERT, UPDATE, PK UPDATE, DELETE, TRUNCATE; else the name of an IOType whose effect is not known",
    ),
    RowColumn("csn", STRING, "LOGCSN of the record's transaction; null if unknown"),
    RowColumn("xid", STRING, "TRANID of the transaction; null if unknown"),
    RowColumn("time", TIMESTAMP, "IO Time; null outside the years 1 to 9999"),
    RowColumn("trans_ind", INT, "TransInd: 0 first record of a transaction, 1 middle, 2 last, 3 only one"),
)
LAST: tuple[RowColumn, ...] = (
    RowColumn(NULLS, STRINGS, "Columns that are NULL; other empty columns are not in the image"),
    RowColumn(
        PROBLEMS_NAME,
        PROBLEMS,
        "Values that cannot be decoded: column, image, bytes and reason; null if there are none",
    ),
)
_BY_ALIAS: dict[str, ColumnType] = {
    **dict.fromkeys(("int16", "int8", "uint8"), SMALLINT),
    **dict.fromkeys(("int32", "uint16"), INT),
    **dict.fromkeys(("int64", "uint32"), BIGINT),
    "uint64": decimal(20, 0),
    "string": STRING,
    "binary": BINARY,
    "double": DOUBLE,
    "date32[day]": DATE,
    "time64[us]": STRING,
    "timestamp[us]": TIMESTAMP_NTZ,
    "timestamp[us, tz=UTC]": TIMESTAMP,
}
"""Spark's type for an Arrow type, by the name that Arrow prints."""
_BY_DDL = {kind.ddl: kind for kind in _BY_ALIAS.values()}
_PREFIXES = tuple(f"{side}_" for side in SIDES)
_DECIMAL = re.compile(r"decimal(?:128)?\((\d+), ?(\d+)\)")


def spark_type(arrow: Any) -> ColumnType:
    """Return Spark's type for the Arrow type of a column in an export's file."""
    if decimal_type := _DECIMAL.fullmatch(str(arrow)):
        return decimal(int(decimal_type[1]), int(decimal_type[2]))
    return _BY_ALIAS[str(arrow)]


def table_columns(layouts: Sequence[TableLayout], options: Options) -> dict[str, RowColumn]:
    """Return the columns by name for rows of these definitions of one table, oldest first."""
    from trailformat.arrays.arrow import arrow_type  # noqa: PLC0415 - it loads pyarrow

    types: dict[str, tuple[str, Any]] = {}
    for layout in reversed(layouts):
        for name, definition in zip(layout.column_names, layout.columns or (), strict=True):
            types.setdefault(name.lower(), (name, arrow_type(arrays.array_type(definition, layout.codec).type)))
    images = [
        RowColumn(f"{side}_{name}", spark_type(kind), f"{name} {side} the change")
        for side in SIDES
        for name, kind in types.values()
    ]
    return _by_name((*FIXED, *images, *LAST)) | _corrupt(options)


def select_of_table(schema: StructType, options: Options) -> tuple[Selected, ...]:
    """Return the columns for the fields of a schema; whether the table has them is not checked here.

    Raises:
        BadSchema: no table can have a field, or no column its type.
        BadOption: ``columns`` has a name that is not in the schema.
    """
    columns = _by_name((*FIXED, *LAST)) | _corrupt(options)
    images = [field for field in schema.fields if field.name.lower().startswith(_PREFIXES)]
    for field in images:
        ddl = field.dataType.simpleString()
        if ddl not in _BY_DDL and not _DECIMAL.fullmatch(ddl):
            raise BadSchema(
                f"schema: column {field.name} is one of {', '.join(_BY_DDL)}, decimal(p,s), not {ddl[:200]}"
            )
        columns[field.name] = RowColumn(field.name, _BY_DDL.get(ddl) or spark_type(ddl), "")
    return select_among(schema, columns, options)


def _by_name(columns: Iterable[RowColumn]) -> dict[str, RowColumn]:
    return {column.name: column for column in columns}


def _corrupt(options: Options) -> dict[str, RowColumn]:
    """Return the column for damage, if the mode shows damage."""
    column = RowColumn(CORRUPT, STRING, "Why these bytes are not a sound record")
    return {options.column_name_of_corrupt_record: column} if options.mode == "PERMISSIVE" else {}
