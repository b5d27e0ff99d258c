"""The columns of the data source: one table for records, which docs/spark.md is made from, and what a user selects."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from logdump.spark.column_types import (
    BIGINT,
    BINARY,
    BYTES,
    IMAGE,
    INT,
    STRING,
    STRINGS,
    TEXTS,
    TIMESTAMP,
    UNSIGNED,
)
from logdump.spark.errors import BadOption, BadSchema
from logdump.spark.offered import CORRUPT, Column
from logdump.spark.options import Options
from logdump.spark.summary_columns import SUMMARY_COLUMNS

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

COLUMNS: tuple[Column, ...] = (
    Column("file", STRING, "Path of the trail file"),
    Column("seqno", INT, "Its sequence number; null where its name has none"),
    Column(
        "file_order", INT, "Place of the file among those of the read, trail after trail as written; not in a stream"
    ),
    Column("rba", BIGINT, "Byte offset of the record in its file"),
    Column("length", BIGINT, "Bytes of the whole record, trailer included"),
    Column("op", STRING, "What the record does, as in Logdump's record line: `Insert`, `FieldComp`; `FileHeader`"),
    Column("op_code", INT, "IOType, the number behind it; null for a file header"),
    Column("table", STRING, "Name of the table, resolved by its index; null where there is none"),
    Column("catalog", STRING, "The part of it before the schema, where there are three"),
    Column("schema", STRING, "The part of it before the name"),
    Column("name", STRING, "The last part of it"),
    Column("time", TIMESTAMP, "IO Time; null outside the years 1 to 9999"),
    Column("trans_ind", INT, "TransInd: 0 first record of a transaction, 1 middle, 2 last, 3 only one"),
    Column("before_after", STRING, "`B` or `A`: which image the header announces"),
    Column("csn", STRING, "LOGCSN of the record's transaction; null where no record tells it"),
    Column("xid", STRING, "TRANID, likewise"),
    Column("row_id", STRING, "ORAROWID, 18 characters"),
    Column("audit_rba", BIGINT, "AuditRBA; null on metadata, which keeps its indexes there"),
    Column("audit_pos", UNSIGNED, "AuditPos, unsigned 64 bits"),
    Column("tdr_index", INT, "Index of the table definition, where the header holds one"),
    Column("partition", INT, "Partition, a set of bits: 4 list of columns, 8 name by index"),
    Column("record_length", BIGINT, "Bytes of data, as Logdump prints `Len` and COUNT adds up"),
    Column(
        "before",
        IMAGE,
        "Columns before; null: no such image. `bytes` is the stored value, `value` its text; null for NULL",
    ),
    Column(
        "after",
        IMAGE,
        "Columns after, likewise; `name` and `value` need a table definition in the trail, or `sourceDefs`",
    ),
    Column("gg_tokens", BYTES, "GGS tokens by name (`LOGCSN`, `TRANID`, …), unknown ones by id (`x7a`)"),
    Column("user_tokens", TEXTS, "User tokens"),
    Column("ddl", TEXTS, "Items of a DDL record: `operation`, `owner`, `object`, `statement`, …"),
    Column("raw", BINARY, "The whole record, byte for byte"),
    Column("problems", STRINGS, "Parts of the record that cannot be decoded, and why; null where all can"),
    Column(CORRUPT, STRING, "Why these bytes are no sound record (PERMISSIVE); null for a record"),
)
"""One row per record, in the order of a default read."""


class Selected(NamedTuple):
    """A column of the rows that are asked for: the name the user gives it, and whether it is to be filled."""

    alias: str
    column: Column
    is_wanted: bool = True


def offered(options: Options) -> tuple[Column, ...]:
    """The columns for these options."""
    if options.summary:
        return SUMMARY_COLUMNS
    return COLUMNS


def default_ddl(options: Options) -> str:
    """The schema of a read that gives none: all columns, or those of the option ``columns``.

    Raises:
        BadOption: ``columns`` has a name that there is not.
    """
    return ddl_of(_by_name(options), options)


def ddl_of(found: Mapping[str, Column], options: Options) -> str:
    """The schema of columns by their names. Raises like default_ddl."""
    if options.columns is None:
        chosen = list(found.items())
    else:
        chosen = [(name, _look_up(found, name, "option columns")) for name in options.columns]
    return ", ".join(f"`{name.replace('`', '``')}` {column.type.ddl}" for name, column in chosen)


def select(schema: StructType, options: Options) -> tuple[Selected, ...]:
    """What the fields of a schema ask for; with the option ``columns``, the others stay null.

    Raises:
        BadSchema: a field that there is not, or whose type is another.
        BadOption: ``columns`` has a name that is not in the schema.
    """
    return select_among(schema, _by_name(options), options)


def select_among(schema: StructType, found: Mapping[str, Column], options: Options) -> tuple[Selected, ...]:
    """What the fields of a schema ask for among the columns ``found``, by their names. Raises like select."""
    asked = tuple(Selected(field.name, _checked(field, found)) for field in schema.fields)
    _refuse_twice([one.column.name for one in asked])
    if options.columns is None:
        return asked
    wanted = {_look_up(found, name, "option columns").name for name in options.columns}
    if missing := sorted(wanted - {one.column.name for one in asked}):
        raise BadOption(f"option columns names {', '.join(missing)}, which the schema of this read has not")
    return tuple(one._replace(is_wanted=one.column.name in wanted) for one in asked)


def arrow_schema(selected: Iterable[Selected]) -> Any:
    """The ``pyarrow.Schema`` of the batches."""
    import pyarrow as pa  # noqa: PLC0415 - a quarter of a second

    return pa.schema([pa.field(one.alias, one.column.type.arrow(pa)) for one in selected])


def _by_name(options: Options) -> dict[str, Column]:
    renamed = {CORRUPT: options.column_name_of_corrupt_record}
    return {renamed.get(column.name, column.name): column for column in offered(options)}


def _look_up(found: Mapping[str, Column], name: str, where: str) -> Column:
    by_lower = {one.lower(): column for one, column in found.items()}
    if column := by_lower.get(name.lower()):
        return column
    near = [one for one in found if one.lower() in difflib.get_close_matches(name.lower(), by_lower, n=1)]
    hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(found)}"
    error = BadOption if where.startswith("option") else BadSchema
    raise error(f"{where}: there is no column {name[:80]}; {hint}")


def _checked(field: Any, found: Mapping[str, Column]) -> Column:
    column = _look_up(found, field.name, "schema")
    given = field.dataType.simpleString()
    if given != column.type.ddl:
        raise BadSchema(f"schema: column {field.name} is {column.type.ddl}, not {given[:200]}")
    if not field.nullable or not _takes_nulls(field.dataType.jsonValue()):
        raise BadSchema(f"schema: column {field.name} can be null, all through; do not declare NOT NULL")
    return column


def _takes_nulls(shape: Any) -> bool:
    """Whether nothing inside a type, as JSON, is declared without nulls."""
    if isinstance(shape, list):
        return all(_takes_nulls(one) for one in shape)
    if not isinstance(shape, dict):
        return True
    flags = ("nullable", "containsNull", "valueContainsNull")
    return all(shape.get(flag, True) for flag in flags) and all(_takes_nulls(one) for one in shape.values())


def _refuse_twice(names: Sequence[str]) -> None:
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise BadSchema(f"schema: {', '.join(twice)} stands there twice")
