"""Columns of characters: fixed (only the bytes) and variable (after a 2-byte length in the byte order of the file).

    0000 0003 434152     VARCHAR "CAR", big-endian file
    0000 0300 434152     the same, little-endian file
    0000 5741            CHAR(2) "WA"
    0000 0003 313434     VARCHAR, sub data type 2: the number 144

The sub data type is the kind of the bytes: text, a number written as text, or binary data. (Real 12.2 trail;
PostgreSQL and MySQL transcripts of 21c; binary and UTF-16 from the names of the sub data types alone.)
"""

from __future__ import annotations

from trailformat.codec import charsets
from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.values.numbers import is_finite, parse_number
from trailformat.values.value import Plain, plain_text, sub_type

_PREFIX = 2
_LONGEST = 0xFFFF


def decode_fixed(data: bytes, definition: ColumnDefinition, _order: ByteOrder, codec: str) -> Plain:
    """Return the text, trailing blanks included; a number or bytes if that is the sub data type."""
    if len(data) > definition.internal_length:
        limit = f"at most {definition.internal_length} bytes"
        raise BadData("value is longer than its column", expected=limit, found=f"{len(data)} bytes")
    return _decoded(data, definition, codec)


def decode_variable(data: bytes, definition: ColumnDefinition, order: ByteOrder, codec: str) -> Plain:
    """Decode a value after a 2-byte length."""
    has_length = int.from_bytes(data[:_PREFIX], order.word) == len(data) - _PREFIX
    return _decoded(data[_PREFIX:] if has_length else without_length(data, order), definition, codec)


def without_length(data: bytes, order: ByteOrder) -> bytes:
    """Return the bytes after a 2-byte length.

    Raises:
        BadData: the length does not match.
    """
    if len(data) < _PREFIX:
        raise BadData("the 2-byte length is missing", expected="2 bytes", found=f"{len(data)} bytes")
    length = order.decode(data[:_PREFIX])
    if length != len(data) - _PREFIX:
        raise BadData("the length does not match the data", expected=str(len(data) - _PREFIX), found=str(length))
    return data[_PREFIX:]


def _decoded(data: bytes, definition: ColumnDefinition, codec: str) -> Plain:
    kind = sub_type(definition.sub_data_type)
    if kind.is_binary:
        return data
    text = charsets.decode(data, kind.codec or charsets.codec_of(definition.charset, codec))
    return parse_number(text) if kind.is_number else text


def _codec(definition: ColumnDefinition, default: str) -> str:
    return sub_type(definition.sub_data_type).codec or charsets.codec_of(definition.charset, default)


def encode_fixed(value: Plain, definition: ColumnDefinition, _order: ByteOrder, codec: str) -> bytes:
    """Encode a value and pad it to the length of the column, with blanks, or zero bytes if it is binary.

    Raises:
        CannotWrite: the value is longer than the column or does not fit its sub data type.
    """
    data = _encoded(value, definition, codec)
    missing = definition.internal_length - len(data)
    if missing < 0:
        raise CannotWrite("value is longer than its column", expected=f"{definition.internal_length} bytes")
    blank = b"\0" if sub_type(definition.sub_data_type).is_binary else charsets.encode(" ", _codec(definition, codec))
    return data + blank * (missing // len(blank))


def encode_variable(value: Plain, definition: ColumnDefinition, order: ByteOrder, codec: str) -> bytes:
    """Encode a value after a 2-byte length. Raises CannotWrite if it does not fit."""
    return with_length(_encoded(value, definition, codec), order)


def with_length(data: bytes, order: ByteOrder) -> bytes:
    """Return bytes after their 2-byte length. Raises CannotWrite if there are more than 65535."""
    if len(data) > _LONGEST:
        raise CannotWrite("value is too long for a length of 2 bytes", found=f"{len(data)} bytes")
    return order.encode(len(data), _PREFIX) + data


def _encoded(value: Plain, definition: ColumnDefinition, codec: str) -> bytes:
    kind = sub_type(definition.sub_data_type)
    if kind.is_binary or isinstance(value, bytes):
        if not kind.is_binary or not isinstance(value, bytes):
            raise CannotWrite("a binary column takes bytes, other columns do not", found=type(value).__name__)
        return value
    if kind.is_number and not _is_number(value):
        raise CannotWrite("not a number", found=plain_text(value)[:40])
    return charsets.encode(plain_text(value), _codec(definition, codec))


def _is_number(value: Plain) -> bool:
    try:
        return is_finite(parse_number(value) if isinstance(value, str) else value)
    except BadData:
        return False
