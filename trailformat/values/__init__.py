"""The meaning of a column's bytes, by its definition: one decoder per data type, one module per family.

A column's bytes begin with a 2-byte indicator, ``0000`` present or ``ffff`` NULL. What follows depends on the type
code; docs/values.md lists the codes, what each decodes to and how sure that is.
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
    """The value of a column, by its definition. Never raises: a value that does not decode says why.

    Args:
        column: the column of an image.
        definition: that of the column; None where there is none.
        order: byte order of the file.
        charset: the codec of text in the character set of the database, for columns that name no other.
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
        raise BadData("how it is stored is not known")
    return data_type.decode


def encode_value(value: Plain, definition: ColumnDefinition, order: ByteOrder, charset: str = UTF_8) -> bytes:
    """Return the bytes of a value after the indicator: the inverse of :func:`decode_value`.

    Raises:
        CannotWrite: the type is not known, or the value does not fit it.
    """
    encode = data_type_of(definition).encode
    if encode is None:
        raise CannotWrite(f"data type {definition.data_type} cannot be written: how it is stored is not known")
    return encode(value, definition, order, charset)
