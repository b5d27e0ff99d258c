"""The columns of records and their types, from which docs/spark.md is generated, and selections of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from typing import Any, NamedTuple

ArrowType = Any


class ColumnType(NamedTuple):
    """A type in Spark (DDL) and Arrow; ``arrow`` gets the module pyarrow, which is loaded only to build rows."""

    ddl: str
    arrow: Callable[[Any], ArrowType]


def _image(pa: Any) -> ArrowType:
    stored = [("index", pa.int32()), ("name", pa.string()), ("bytes", pa.binary()), ("is_null", pa.bool_())]
    parts = [*stored, ("value", pa.string())]
    return pa.list_(pa.field("element", pa.struct(parts)))


def struct(types: Mapping[str, ColumnType]) -> ColumnType:
    """Return the type of a struct."""
    ddl = ",".join(f"{name}:{kind.ddl}" for name, kind in types.items())
    return ColumnType(f"struct<{ddl}>", lambda pa: pa.struct([(name, kind.arrow(pa)) for name, kind in types.items()]))


def mapping(key: ColumnType, value: ColumnType) -> ColumnType:
    """Return the type of a map."""
    return ColumnType(f"map<{key.ddl},{value.ddl}>", lambda pa: pa.map_(key.arrow(pa), value.arrow(pa)))


def array(item: ColumnType) -> ColumnType:
    """Return the type of an array."""
    return ColumnType(f"array<{item.ddl}>", lambda pa: pa.list_(pa.field("element", item.arrow(pa))))


def decimal(digits: int, scale: int) -> ColumnType:
    """Return the type of a decimal of ``digits`` digits."""
    return ColumnType(f"decimal({digits},{scale})", lambda pa: pa.decimal128(digits, scale))


def _problems(pa: Any) -> ArrowType:
    parts = [("column", pa.string()), ("image", pa.string()), ("bytes", pa.binary()), ("reason", pa.string())]
    return pa.list_(pa.field("element", pa.struct(parts)))


BOOLEAN = ColumnType("boolean", lambda pa: pa.bool_())
SMALLINT = ColumnType("smallint", lambda pa: pa.int16())
INT = ColumnType("int", lambda pa: pa.int32())
BIGINT = ColumnType("bigint", lambda pa: pa.int64())
UNSIGNED = decimal(20, 0)
DOUBLE = ColumnType("double", lambda pa: pa.float64())
STRING = ColumnType("string", lambda pa: pa.string())
BINARY = ColumnType("binary", lambda pa: pa.binary())
DATE = ColumnType("date", lambda pa: pa.date32())
TIMESTAMP = ColumnType("timestamp", lambda pa: pa.timestamp("us", tz="UTC"))
TIMESTAMP_NTZ = ColumnType("timestamp_ntz", lambda pa: pa.timestamp("us"))
STRINGS = array(STRING)
TEXTS = mapping(STRING, STRING)
BYTES = mapping(STRING, BINARY)
IMAGE = ColumnType("array<struct<index:int,name:string,bytes:binary,is_null:boolean,value:string>>", _image)
PROBLEMS = ColumnType("array<struct<column:string,image:string,bytes:binary,reason:string>>", _problems)


CORRUPT = "_corrupt_record"


class Reads(Enum):
    """The data that a column of records, or of their summary, needs in addition to a scan.

    Attributes:
        NOTHING: nothing.
        PARTS: bytes of some records.
        RECORDS: parsed records, which is expensive.
    """

    NOTHING = 0
    PARTS = 1
    RECORDS = 2


class RowColumn(NamedTuple):
    """A column that the data source offers."""

    name: str
    type: ColumnType
    meaning: str
    reads: Reads = Reads.NOTHING


COLUMNS: tuple[RowColumn, ...] = (
    RowColumn("file", STRING, "Path of the trail file"),
    RowColumn("seqno", INT, "Its sequence number; null where its name has none"),
    RowColumn(
        "file_order", INT, "Place of the file among those of the read, trail after trail as written; not in a stream"
    ),
    RowColumn("rba", BIGINT, "Byte offset of the record in its file"),
    RowColumn("length", BIGINT, "Bytes of the whole record, trailer included"),
    RowColumn("op", STRING, "Operation, as in Logdump's record line: `Insert`, `FieldComp`; `FileHeader`"),
    RowColumn("op_code", INT, "IOType, its number; null for a file header"),
    RowColumn("table", STRING, "Name of the table, resolved by its index; null where there is none"),
    RowColumn("catalog", STRING, "The part of the name before the schema, if it has three parts"),
    RowColumn("schema", STRING, "The part before the last one"),
    RowColumn("name", STRING, "The last part"),
    RowColumn("time", TIMESTAMP, "IO Time; null outside the years 1 to 9999"),
    RowColumn("trans_ind", INT, "TransInd: 0 first record of a transaction, 1 middle, 2 last, 3 only one"),
    RowColumn("before_after", STRING, "`B` or `A`: which image the header announces"),
    RowColumn("csn", STRING, "LOGCSN of the record's transaction; null if unknown", Reads.PARTS),
    RowColumn("xid", STRING, "TRANID of the transaction; null if unknown", Reads.PARTS),
    RowColumn("row_id", STRING, "ORAROWID, 18 characters", Reads.RECORDS),
    RowColumn("audit_rba", BIGINT, "AuditRBA; null on metadata, which keeps its indexes there"),
    RowColumn("audit_pos", UNSIGNED, "AuditPos, unsigned 64 bits"),
    RowColumn("tdr_index", INT, "Index of the table definition, where the header holds one", Reads.PARTS),
    RowColumn("partition", INT, "Partition, a set of bits: 4 list of columns, 8 name by index"),
    RowColumn("record_length", BIGINT, "Bytes of data, as Logdump prints `Len` and COUNT adds up"),
    RowColumn(
        "before",
        IMAGE,
        "Columns before; null: no such image. `bytes` is the stored value, `value` its text; null for NULL",
        Reads.RECORDS,
    ),
    RowColumn(
        "after",
        IMAGE,
        "Columns after; `name` and `value` need a table definition in the trail, or `sourceDefs`",
        Reads.RECORDS,
    ),
    RowColumn(
        "gg_tokens", BYTES, "GGS tokens by name (`LOGCSN`, `TRANID`, …), unknown ones by id (`x7a`)", Reads.RECORDS
    ),
    RowColumn("user_tokens", TEXTS, "User tokens", Reads.RECORDS),
    RowColumn("ddl", TEXTS, "Items of a DDL record: `operation`, `owner`, `object`, `statement`, …", Reads.RECORDS),
    RowColumn("raw", BINARY, "The whole record, byte for byte", Reads.RECORDS),
    RowColumn(
        "problems", STRINGS, "Parts of the record that cannot be decoded, and why; null where all can", Reads.RECORDS
    ),
    RowColumn(CORRUPT, STRING, "Why these bytes are not a sound record (PERMISSIVE); null for a record"),
)
"""The columns of a read, which has one row per record, in their default order."""
HEADER_COLUMNS: tuple[RowColumn, ...] = tuple(column for column in COLUMNS if column.reads is not Reads.RECORDS)
"""The columns that are cheap, because no record is parsed for them."""
ENDING_COLUMNS: tuple[RowColumn, ...] = (
    RowColumn("ended", STRING, "How its transaction ended: `last`, `cut`, `overtaken`, `file_end`, `damage`"),
    RowColumn("cut", BOOLEAN, "True if the transaction ended without its last record"),
    RowColumn(
        "is_effective", BOOLEAN, "Whether a Replicat applies it: a whole transaction, of several copies the first"
    ),
)
"""Facts about a record from other records of the trail; null if it is not a row of a transaction."""


class Selected(NamedTuple):
    """A selected column, with the name that the user gives it; if not ``is_wanted``, it is null."""

    alias: str
    column: RowColumn
    is_wanted: bool = True


_NUMBERED = frozenset(["file", "op", "table", "catalog", "schema", "name", "before_after", "csn", "xid", "ended"])
"""Columns that are built as dictionaries, because many rows have the same text."""


def arrow_schema(selected: Iterable[Selected], *, is_numbered: bool = False) -> Any:
    """Return the ``pyarrow.Schema`` of the batches; ``is_numbered``: texts that many rows share are dictionaries."""
    import pyarrow as pa  # noqa: PLC0415 - a quarter of a second

    texts = pa.dictionary(pa.int32(), pa.string())
    of_texts = _NUMBERED if is_numbered else frozenset[str]()
    return pa.schema(
        [
            pa.field(chosen.alias, texts if chosen.column.name in of_texts else chosen.column.type.arrow(pa))
            for chosen in selected
        ]
    )
