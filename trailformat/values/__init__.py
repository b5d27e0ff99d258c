"""Values of columns, decoded by their definitions: one decoder per data type, one module per family.

A column's bytes begin with a 2-byte indicator, ``0000`` present or ``ffff`` NULL. The bytes after it depend on the type
code; docs/values.md lists the codes, their values and how certain each is.
"""

from __future__ import annotations

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.charsets import UTF_8
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.errors import BadData, CannotWrite, TrailError
from trailformat.records.columns import PRESENT, Column
from trailformat.values.data_types import CHAR, DATA_TYPES, DATETIME, VARCHAR, DataType, Family, data_type_of, sql_type
from trailformat.values.value import Decode, Plain, Value, decoded_text, plain_text

__all__ = [
    "CHAR",
    "DATA_TYPES",
    "DATETIME",
    "VARCHAR",
    "DataType",
    "Family",
    "Plain",
    "Value",
    "data_type_of",
    "decode_value",
    "decoded_text",
    "encode_value",
    "plain_text",
    "sql_type",
]


def decode_value(column: Column, definition: ColumnDefinition | None, order: ByteOrder, charset: str = UTF_8) -> Value:
    """Decode a column. Never raises: a value that cannot be decoded has the reason in ``problem``.

    Args:
        column: the column of an image.
        definition: the definition of the column, or None.
        order: byte order of the file.
        charset: the codec of the database, for columns without a character set of their own.
    """
    data = column.value
    if column.is_null:
        return Value(data, is_null=True)
    if column.raw[:2] != PRESENT:
        return Value(data, problem=f"indicator {column.raw[:2].hex() or 'missing'}, expected 0000 or ffff")
    if definition is None:
        return Value(data, problem="no definition of this column")
    data_type = data_type_of(definition)
    try:
        return Value(data, _decoder(data_type)(data, definition, order, charset))
    except TrailError as error:
        return Value(data, problem=f"{data_type.name}: {error}")


def _decoder(data_type: DataType) -> Decode:
    if data_type.decode is None:
        raise BadData("its storage format is not known")
    return data_type.decode


def encode_value(value: Plain, definition: ColumnDefinition, order: ByteOrder, charset: str = UTF_8) -> bytes:
    """Return the bytes of a value after the indicator: the inverse of :func:`decode_value`.

    Raises:
        CannotWrite: the storage of the type is not known, or the value does not fit it.
    """
    encode = data_type_of(definition).encode
    if encode is None:
        raise CannotWrite(f"data type {definition.data_type} cannot be written: its storage format is not known")
    return encode(value, definition, order, charset)
