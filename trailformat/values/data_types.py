"""The data types of definitions files, one code each: what it is called, and how its bytes are read and written."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from trailformat.byte_order import ByteOrder
from trailformat.column_definition import ColumnDefinition
from trailformat.values import characters, datetimes, integers
from trailformat.values.value import Plain

Decode = Callable[[bytes, ColumnDefinition, ByteOrder, str], Plain]
Encode = Callable[[Plain, ColumnDefinition, ByteOrder, str], bytes]


class DataType(NamedTuple):
    """One code: its name, the decoder of its bytes (behind the indicator) and the inverse.

    A decoder takes the bytes, the definition, the byte order of the file and the codec of text; it raises BadData when
    the bytes are not such a value. An encoder raises CannotWrite.
    """

    name: str
    decode: Decode
    encode: Encode


CHAR = 0
VARCHAR = 64
DATETIME = 192
INTEGERS = {130: 2, 132: 4, 134: 8}

DATA_TYPES: dict[int, DataType] = {
    CHAR: DataType("CHAR", characters.decode_fixed, characters.encode_fixed),
    VARCHAR: DataType("VARCHAR", characters.decode_variable, characters.encode_variable),
    **{
        code: DataType(f"INT{8 * size}", integers.decoder(size), integers.encoder(size))
        for code, size in INTEGERS.items()
    },
    DATETIME: DataType("DATETIME", datetimes.decode, datetimes.encode),
}
"""By code."""
