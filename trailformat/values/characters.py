"""Text: of fixed length (CHAR, the bytes as they are) and variable (VARCHAR, a 2-byte length in file order first).

    0000 0003 434152     VARCHAR "CAR", big-endian file
    0000 0300 434152     the same, little-endian file
    0000 5741            CHAR(2) "WA"

(Real 12.2 trail; PostgreSQL and MySQL transcripts of 21c.)
"""

from __future__ import annotations

from trailformat.byte_order import ByteOrder
from trailformat.column_definition import ColumnDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.values.value import Plain, plain_text

_PREFIX = 2


def decode_fixed(data: bytes, _definition: ColumnDefinition, _order: ByteOrder, charset: str) -> str:
    """The text, trailing blanks included."""
    return decode_text(data, charset)


def decode_variable(data: bytes, _definition: ColumnDefinition, order: ByteOrder, charset: str) -> str:
    """The text behind its length."""
    return decode_text(variable_bytes(data, order), charset)


def variable_bytes(data: bytes, order: ByteOrder) -> bytes:
    """The bytes behind a 2-byte length.

    Raises:
        BadData: the length is not theirs.
    """
    if len(data) < _PREFIX:
        raise BadData("no length in front of it", expected="2 bytes", found=f"{len(data)} bytes")
    length = order.decode(data[:_PREFIX])
    if length != len(data) - _PREFIX:
        raise BadData("length is not that of the bytes", expected=str(len(data) - _PREFIX), found=str(length))
    return data[_PREFIX:]


def decode_text(data: bytes, charset: str) -> str:
    """Bytes in a character set.

    Raises:
        BadData: a sequence that the character set does not have.
    """
    try:
        return data.decode(charset)
    except UnicodeError as error:
        start = getattr(error, "start", 0)
        found = data[start : start + 4].hex()
        raise BadData(f"not {charset} at byte {start}", found=found) from None


def encode_fixed(value: Plain, definition: ColumnDefinition, _order: ByteOrder, charset: str) -> bytes:
    """Text filled up with blanks to the length of the column."""
    data = encode_text(value, charset)
    missing = definition.external_length - len(data)
    return data + encode_text(" ", charset) * missing if missing > 0 else data


def encode_variable(value: Plain, _definition: ColumnDefinition, order: ByteOrder, charset: str) -> bytes:
    """Text behind its length."""
    return with_length(encode_text(value, charset), order)


def with_length(data: bytes, order: ByteOrder) -> bytes:
    """Bytes behind their length."""
    return order.encode(len(data), _PREFIX) + data


def encode_text(value: Plain, charset: str) -> bytes:
    """A value's text in a character set.

    Raises:
        CannotWrite: a character that the character set does not have.
    """
    text = plain_text(value)
    try:
        return text.encode(charset)
    except UnicodeError as error:
        raise CannotWrite(f"text does not fit into {charset}", found=str(error)) from None
