"""The types of the columns: as Spark's DDL writes them, and as Arrow builds them. Everything can be null."""

from __future__ import annotations

from collections.abc import Callable
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


INT = ColumnType("int", lambda pa: pa.int32())
BIGINT = ColumnType("bigint", lambda pa: pa.int64())
UNSIGNED = ColumnType("decimal(20,0)", lambda pa: pa.decimal128(20, 0))
STRING = ColumnType("string", lambda pa: pa.string())
BINARY = ColumnType("binary", lambda pa: pa.binary())
TIMESTAMP = ColumnType("timestamp", lambda pa: pa.timestamp("us", tz="UTC"))
STRINGS = ColumnType("array<string>", lambda pa: pa.list_(pa.field("element", pa.string())))
TEXTS = ColumnType("map<string,string>", lambda pa: pa.map_(pa.string(), pa.string()))
BYTES = ColumnType("map<string,binary>", lambda pa: pa.map_(pa.string(), pa.binary()))
IMAGE = ColumnType("array<struct<index:int,name:string,bytes:binary,is_null:boolean,value:string>>", _image)
