"""The types of the columns: as Spark's DDL writes them, and as Arrow builds them. Everything can be null."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

ArrowType = Any


class ColumnType(NamedTuple):
    """A type in both systems; ``arrow`` makes it from the module pyarrow, which is loaded where rows are made."""

    ddl: str
    arrow: Callable[[Any], ArrowType]


def _image(pa: Any) -> ArrowType:
    stored = [("index", pa.int32()), ("name", pa.string()), ("bytes", pa.binary()), ("is_null", pa.bool_())]
    parts = [*stored, ("value", pa.string())]
    return pa.list_(pa.field("element", pa.struct(parts)))


def struct(types: Mapping[str, ColumnType]) -> ColumnType:
    """A struct of fields by their names."""
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
