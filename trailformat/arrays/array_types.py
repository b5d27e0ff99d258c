"""The Arrow type of a column, by its definition, and the decode path from its values to an array.

| column | Arrow type |
|---|---|
| integers | int16, int32, int64, uint16, uint32, uint64; with a scale decimal128 of as many digits as fit |
| text | string |
| text that is a number of fixed scale (sub type FIXED), zoned and packed decimals | decimal128(38, scale) |
| text that is any number (NUMBER without precision) | string, the stored digits |
| REAL, DOUBLE | float64 |
| dates | date32, time64[us], timestamp[us]; of zoned types timestamp[us, UTC] |
| intervals | string |
| everything else | binary, the stored bytes |
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from trailformat.codec import charsets
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.values import DATA_TYPES, DataType, Family, data_type_of
from trailformat.values.value import sub_type

_DIGITS = {2: 5, 4: 10, 8: 20}
_MOST_DIGITS = 38
_WITH_ZONE = frozenset({188, 231, 232})
"""Native types of Oracle (OCI numbers) that are TIMESTAMP WITH TIME ZONE or WITH LOCAL TIME ZONE."""
_DOUBLE = 143
"""IEEE 754 double, 8 bytes: the only floating-point type that is copied as stored."""
_MOST_KEPT = 1 << 14
_HOUR, _DAY = 3, 2
"""Fields of a date as MostSignificant and LeastSignificant number them: YEAR is 0."""


ANY_SIZE = 1 << 16
"""Larger than any value, in bytes."""
_DECIMAL = "decimal128"


class DecodePath(enum.Enum):
    """The decode path from bytes to an array; SLOW decodes each value in Python, ASCII only values with other bytes."""

    TEXT = enum.auto()
    ASCII = enum.auto()
    NUMBER = enum.auto()
    DECIMAL = enum.auto()
    INTEGER = enum.auto()
    MOMENT = enum.auto()
    DATE = enum.auto()
    BYTES = enum.auto()
    SLOW = enum.auto()


class ArrowType(NamedTuple):
    """An Arrow type: the name of the pyarrow function that makes it, and its arguments."""

    name: str
    arguments: tuple[int | str, ...] = ()

    @property
    def is_decimal(self) -> bool:
        """True if values are decimals of a fixed scale."""
        return self.name == _DECIMAL

    @property
    def scale(self) -> int:
        """The scale of decimals; 0 for other types."""
        return int(self.arguments[1]) if self.is_decimal else 0

    @property
    def is_signed(self) -> bool:
        """True if values may be negative."""
        return not self.name.startswith("uint")

    @property
    def has_zone(self) -> bool:
        """True if values are timestamps with a time zone."""
        return self == ZONED_MOMENTS


class ArrayType(NamedTuple):
    """A column as an array: its Arrow type, and the fastest decode path that is exact.

    Attributes:
        type: the Arrow type.
        path: decode path of most values; unusual values are decoded one by one on any path.
        width: size of an integer in bytes.
        is_prefixed: whether a length precedes the value.
        most: maximum size of a value in bytes, without that length.
    """

    type: ArrowType
    path: DecodePath
    width: int = 0
    is_prefixed: bool = False
    most: int = ANY_SIZE


BINARY, STRING = ArrowType("binary"), ArrowType("string")
DATES, TIMES, DOUBLES = ArrowType("date32"), ArrowType("time64", ("us",)), ArrowType("float64")
MOMENTS, ZONED_MOMENTS = ArrowType("timestamp", ("us",)), ArrowType("timestamp", ("us", "UTC"))


@lru_cache(_MOST_KEPT)
def array_type(definition: ColumnDefinition, codec: str) -> ArrayType:
    """The type of a column; ``codec`` decodes text in the character set of the database."""
    data_type = data_type_of(definition)
    return _FAMILIES[data_type.family](data_type, definition, codec)


def _unknown(_type: DataType, definition: ColumnDefinition, _codec: str) -> ArrayType:
    return ArrayType(BINARY, DecodePath.SLOW if definition.data_type in DATA_TYPES else DecodePath.BYTES)


def _integer(data_type: DataType, definition: ColumnDefinition, _codec: str) -> ArrayType:
    width, is_signed = data_type.size, data_type.is_signed
    if definition.scale:
        path = DecodePath.INTEGER if is_signed and 0 < definition.scale <= _MOST_DIGITS else DecodePath.SLOW
        return ArrayType(_decimal(_DIGITS[width], definition.scale), path, width)
    plain = ArrowType(f"{'' if is_signed else 'u'}int{8 * width}")
    return ArrayType(plain, DecodePath.INTEGER, width)


def _text(data_type: DataType, definition: ColumnDefinition, codec: str) -> ArrayType:
    is_prefixed = data_type.is_variable
    most = ANY_SIZE if is_prefixed else definition.internal_length
    subtype = sub_type(definition.sub_data_type)
    if subtype.is_binary:
        return ArrayType(BINARY, DecodePath.BYTES, is_prefixed=is_prefixed, most=most)
    own = subtype.codec or charsets.codec_of(definition.charset, codec)
    kind, path = STRING, DecodePath.TEXT if own == charsets.UTF_8 else DecodePath.ASCII
    if subtype.is_number:
        is_fixed = definition.scale > 0
        kind = _decimal(_MOST_DIGITS, definition.scale) if is_fixed else kind
        path = DecodePath.DECIMAL if kind.is_decimal else DecodePath.SLOW if is_fixed else DecodePath.NUMBER
    return ArrayType(kind, path if charsets.keeps_ascii(own) else DecodePath.SLOW, is_prefixed=is_prefixed, most=most)


def _date(data_type: DataType, definition: ColumnDefinition, _codec: str) -> ArrayType:
    is_prefixed = data_type.is_variable
    most, least = definition.most_significant, definition.least_significant
    if most >= _HOUR:
        return ArrayType(TIMES, DecodePath.SLOW)
    if 0 < least <= _DAY:
        return ArrayType(DATES, DecodePath.DATE, is_prefixed=is_prefixed)
    if definition.native_type in _WITH_ZONE:
        return ArrayType(ZONED_MOMENTS, DecodePath.MOMENT, is_prefixed=is_prefixed)
    return ArrayType(MOMENTS, DecodePath.MOMENT, is_prefixed=is_prefixed)


def _real(_type: DataType, definition: ColumnDefinition, _codec: str) -> ArrayType:
    return ArrayType(DOUBLES, DecodePath.INTEGER if definition.data_type == _DOUBLE else DecodePath.SLOW, 8)


def _written_decimal(_type: DataType, definition: ColumnDefinition, _codec: str) -> ArrayType:
    return ArrayType(_decimal(_MOST_DIGITS, definition.scale), DecodePath.SLOW)


def _interval(_type: DataType, _definition: ColumnDefinition, _codec: str) -> ArrayType:
    return ArrayType(STRING, DecodePath.SLOW)


def _decimal(digits: int, scale: int) -> ArrowType:
    return ArrowType(_DECIMAL, (min(max(digits, scale), _MOST_DIGITS), scale)) if 0 <= scale <= _MOST_DIGITS else STRING


_FAMILIES: dict[Family, Callable[[DataType, ColumnDefinition, str], ArrayType]] = {
    Family.TEXT: _text,
    Family.INTEGER: _integer,
    Family.REAL: _real,
    Family.DECIMAL: _written_decimal,
    Family.DATETIME: _date,
    Family.INTERVAL: _interval,
    Family.UNKNOWN: _unknown,
}
