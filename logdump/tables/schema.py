"""The columns of the data source, for records and their summary, and those that a user selects."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from logdump.arrow.records.schema import (
    BIGINT,
    COLUMNS,
    CORRUPT,
    ENDING_COLUMNS,
    HEADER_COLUMNS,
    INT,
    STRING,
    TIMESTAMP,
    ColumnType,
    Reads,
    RowColumn,
    Selected,
)
from logdump.tables.errors import BadOption, BadSchema
from logdump.tables.options import Options

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


_PART = "records:bigint,bytes:bigint,tables:array<string>,time:bigint,seqno:int,rba:bigint"
_LARGE = "records:bigint,bytes:bigint,tables:bigint,time:bigint,seqno:int,rba:bigint"
_PIECE = (
    f"struct<first:struct<{_PART}>,ended:boolean,suppressed:bigint,transactions:bigint,"
    f"table_visits:bigint,open:struct<{_PART}>,largest:array<struct<{_LARGE}>>>"
)


def _transaction(pa: Any, tables: Any) -> Any:
    place = [("time", pa.int64()), ("seqno", pa.int32()), ("rba", pa.int64())]
    return pa.struct([("records", pa.int64()), ("bytes", pa.int64()), ("tables", tables), *place])


def _piece(pa: Any) -> Any:
    part = _transaction(pa, pa.list_(pa.field("element", pa.string())))
    largest = pa.list_(pa.field("element", _transaction(pa, pa.int64())))
    names = ("suppressed", "transactions", "table_visits")
    numbers = [("ended", pa.bool_()), *((name, pa.int64()) for name in names)]
    return pa.struct([("first", part), *numbers, ("open", part), ("largest", largest)])


PIECE = ColumnType(_PIECE, _piece)
"""The transactions of a slice, in a form that can be joined with those of other slices: the part of the transaction
with which the slice begins, and whether it ended there; the number of records dropped by ``where``; the number of
transactions that began and ended after that first one, and of the tables they touched; the part of the one that is open
at the end; the largest transactions. Times are Julian microseconds."""

SUMMARY_COLUMNS: tuple[RowColumn, ...] = (
    RowColumn("file", STRING, "Path of the trail file"),
    RowColumn("seqno", INT, "Its sequence number; null where its name has none"),
    RowColumn("start_rba", BIGINT, "Where the part of the file begins that one task read; sums go over all parts"),
    RowColumn("table", STRING, "Name of the table; null where there is none"),
    RowColumn("partition", INT, "Partition; null for a file header"),
    RowColumn("op", STRING, "Operation of the records; `FileHeader`"),
    RowColumn("op_code", INT, "IOType; null for a file header"),
    RowColumn("before_after", STRING, "`B` or `A`"),
    RowColumn("records", BIGINT, "Number of records"),
    RowColumn("bytes", BIGINT, "Bytes of their data, as in COUNT"),
    RowColumn("length", BIGINT, "Their bytes in the file"),
    RowColumn("first_rba", BIGINT, "RBA of the first"),
    RowColumn("last_rba", BIGINT, "RBA of the last"),
    RowColumn("first_time", TIMESTAMP, "The earliest IO Time"),
    RowColumn("last_time", TIMESTAMP, "The latest"),
    RowColumn("first_csn", STRING, "LOGCSN of the first record's transaction", Reads.PARTS),
    RowColumn("last_csn", STRING, "LOGCSN of the last record's transaction", Reads.PARTS),
    RowColumn("transactions", BIGINT, "Transactions that end with one of them"),
    RowColumn(
        "piece", PIECE, "Transactions of the part of the file, on its first row: for `logdump.spark.jobs.counting`"
    ),
    RowColumn(
        CORRUPT,
        STRING,
        "Why the bytes from `first_rba` on are no sound record; with `length` 0, why it is not known of changes up to "
        "`last_rba` whether they pass (PERMISSIVE); `records` is 0",
    ),
)
LEAN_SUMMARY: tuple[RowColumn, ...] = tuple(
    column for column in SUMMARY_COLUMNS if column.name not in ("first_csn", "last_csn", "piece")
)
"""Columns of the summary for which one pass of a kernel is enough."""


def offered(options: Options) -> tuple[RowColumn, ...]:
    """Return the columns available with these options."""
    if options.analysis is not None:
        return options.analysis.columns
    if options.summary:
        return SUMMARY_COLUMNS
    return (*COLUMNS, *ENDING_COLUMNS) if options.endings else COLUMNS


ALL, HEADER = "all", "header"
"""Words of the option ``columns`` that each mean several columns."""


def default_ddl(options: Options) -> str:
    """Return the schema of a read that gives none: the columns that cost little, or those of the option ``columns``.

    Without a path it is the schema of an SQL table, with all columns.

    Raises:
        BadOption: ``columns`` has a name that does not exist.
    """
    has_path = options.path is not None or options.paths
    if options.columns is None and options.analysis is None:
        options = replace(options, columns=(HEADER if has_path else ALL,))
    return ddl_of(_by_name(options), options)


def ddl_of(columns: Mapping[str, RowColumn], options: Options) -> str:
    """Return the schema of these columns, limited by the option ``columns``. Raises like default_ddl."""
    if options.columns is None:
        chosen = list(columns.items())
    else:
        names = _named(columns, options)
        chosen = [(name, look_up(columns, name, "option columns")) for name in names]
    return ", ".join(f"`{name.replace('`', '``')}` {column.type.ddl}" for name, column in chosen)


def select(schema: StructType, options: Options) -> tuple[Selected, ...]:
    """Return the columns for the fields of a schema; with the option ``columns``, the others stay null.

    Raises:
        BadSchema: a field does not exist, has another type or occurs twice.
        BadOption: ``columns`` has a name that is not in the schema.
    """
    return select_among(schema, _by_name(options), options)


def select_among(schema: StructType, columns: Mapping[str, RowColumn], options: Options) -> tuple[Selected, ...]:
    """Return the columns for the fields of a schema, given all columns by name. Raises like select."""
    selected = tuple(Selected(field.name, _checked(field, columns)) for field in schema.fields)
    _refuse_twice([chosen.column.name for chosen in selected])
    if options.columns is None:
        return selected
    words = {word.lower() for word in options.columns} & {ALL, HEADER}
    several = {columns[name].name for name in _named(columns, replace(options, columns=tuple(words)))}
    named = {look_up(columns, name, "option columns").name for name in options.columns if name.lower() not in words}
    wanted = named | (several & {chosen.column.name for chosen in selected})
    if missing := sorted(wanted - {chosen.column.name for chosen in selected}):
        raise BadOption(f"option columns names {', '.join(missing)}, which is not in the schema of this read")
    return tuple(chosen._replace(is_wanted=chosen.column.name in wanted) for chosen in selected)


def _named(columns: Mapping[str, RowColumn], options: Options) -> list[str]:
    """Return the names in the option ``columns``, each once, with ``all`` and ``header`` expanded."""
    lean = {column.name for column in _lean(options)}
    several = {ALL: [*columns], HEADER: [name for name, column in columns.items() if column.name in lean]}
    names = [name for word in options.columns or () for name in several.get(word.lower(), [word])]
    return [
        name for index, name in enumerate(names) if name.lower() not in {earlier.lower() for earlier in names[:index]}
    ]


def _lean(options: Options) -> tuple[RowColumn, ...]:
    """Return the columns that cost little."""
    if options.analysis is not None or options.rows_of is not None:
        return ()
    if options.summary:
        return LEAN_SUMMARY
    return (*HEADER_COLUMNS, *ENDING_COLUMNS)


def _by_name(options: Options) -> dict[str, RowColumn]:
    renamed = {CORRUPT: options.column_name_of_corrupt_record}
    return {renamed.get(column.name, column.name): column for column in offered(options)}


def look_up(columns: Mapping[str, RowColumn], name: str, where: str) -> RowColumn:
    """Return the column of this name; case is ignored. Messages begin with ``where``, the place of the name.

    Raises:
        BadOption: there is no such column, and ``where`` begins with ``option``.
        BadSchema: there is no such column otherwise.
    """
    by_lower = {spelling.lower(): column for spelling, column in columns.items()}
    if column := by_lower.get(name.lower()):
        return column
    near = [
        spelling for spelling in columns if spelling.lower() in difflib.get_close_matches(name.lower(), by_lower, n=1)
    ]
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(columns)}"
    error = BadOption if where.startswith("option") else BadSchema
    raise error(f"{where}: there is no column {name[:80]}; {hint}")


def _checked(field: Any, columns: Mapping[str, RowColumn]) -> RowColumn:
    column = look_up(columns, field.name, "schema")
    given = field.dataType.simpleString()
    if given != column.type.ddl:
        raise BadSchema(f"schema: column {field.name} is {column.type.ddl}, not {given[:200]}")
    if not field.nullable or not _takes_nulls(field.dataType.jsonValue()):
        raise BadSchema(f"schema: column {field.name} can be null, all through; do not declare NOT NULL")
    return column


def _takes_nulls(shape: Any) -> bool:
    """Return whether all parts of a type, given as JSON, can be null."""
    if isinstance(shape, list):
        return all(_takes_nulls(part) for part in shape)
    if not isinstance(shape, dict):
        return True
    flags = ("nullable", "containsNull", "valueContainsNull")
    return all(shape.get(flag, True) for flag in flags) and all(_takes_nulls(part) for part in shape.values())


def _refuse_twice(names: Sequence[str]) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadSchema(f"schema: {', '.join(twice)} occurs twice")
