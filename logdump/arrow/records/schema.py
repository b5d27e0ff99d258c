"""The columns of records: one table, which docs/spark.md is made from, and what is selected of them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

from logdump.arrow.records.column_types import (
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
    ColumnType,
)

CORRUPT = "_corrupt_record"


class Column(NamedTuple):
    """A column that the data source offers."""

    name: str
    type: ColumnType
    meaning: str


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
    """A column of the wanted rows: the name the user gives it, and whether it is to be filled."""

    alias: str
    column: Column
    is_wanted: bool = True


def arrow_schema(selected: Iterable[Selected]) -> Any:
    """The ``pyarrow.Schema`` of the batches."""
    import pyarrow as pa  # noqa: PLC0415 - a quarter of a second

    return pa.schema([pa.field(one.alias, one.column.type.arrow(pa)) for one in selected])
