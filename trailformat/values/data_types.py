"""The data types of definitions files: name, decoder, encoder and SQL type of each.

Codes and names are from the header file for user exits that comes with GoldenGate (``sqldatatypes.h``), which are those
of NonStop SQL; 0, 64, 132, 134 and 192 were seen in trails. docs/values.md lists how certain each is. The family
determines the type of a column as an array (:mod:`trailformat.arrays.array_types`).

A definition limits the sizes of the values too: Replicat stops at a value that is longer than its column (OGG-01163).
Lengths are checked where the definition is sure to give one: of columns of characters, not of LOBs and others, whose
definitions may hold the length of a buffer.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from trailformat.errors import BadData
from trailformat.records.columns import NULL, PRESENT, Column
from trailformat.values import characters, datetimes, intervals, numbers
from trailformat.values.value import Decode, Encode, sub_type

if TYPE_CHECKING:
    from trailformat.codec.byte_order import ByteOrder
    from trailformat.definitions.metadata import ColumnDefinition


class Family(enum.Enum):
    """Data types with the same kind of values; UNKNOWN: the meaning of the bytes is not known."""

    TEXT = enum.auto()
    INTEGER = enum.auto()
    REAL = enum.auto()
    DECIMAL = enum.auto()
    DATETIME = enum.auto()
    INTERVAL = enum.auto()
    UNKNOWN = enum.auto()


class DataType(NamedTuple):
    """One data type.

    Attributes:
        name: its name.
        family: the kind of its values.
        decode: the decoder of its bytes (after the indicator); ``encode``: the inverse; ``sql``: the standard SQL type
            of a column. None if the meaning of the bytes is not known.
        size: bytes of a number; 0 if the definition has the size.
        is_signed: True if numbers may be negative.
        is_variable: True if a length precedes the value.
        has_byte_length: True if the lengths of a definition are surely those of the values in bytes.
    """

    name: str
    family: Family = Family.UNKNOWN
    decode: Decode | None = None
    encode: Encode | None = None
    sql: Callable[[ColumnDefinition], str] | None = None
    size: int = 0
    is_signed: bool = True
    is_variable: bool = False
    has_byte_length: bool = False


_SQL_INTEGERS = {2: "SMALLINT", 4: "INTEGER", 8: "BIGINT"}
_DIGITS = {2: 4, 4: 9, 8: 18}
_UNSIGNED_DIGITS = {2: 5, 4: 10, 8: 20}
_SQL_REALS = {4: "REAL", 8: "DOUBLE PRECISION"}
_DAY, _HOUR = 2, 3
"""Date-time fields: 0 year, 1 month, 2 day, 3 hour, 4 minute, 5 second, 6 fraction."""


def _sql_integer(size: int, column: ColumnDefinition, *, is_signed: bool) -> str:
    """Return the SQL type of an integer of ``size`` bytes; a decimal if it has a scale or no sign."""
    if is_signed and not column.scale:
        return _SQL_INTEGERS[size]
    digits = _DIGITS if is_signed else _UNSIGNED_DIGITS
    return f"NUMERIC({digits[size]},{column.scale})"


def _sql_real(size: int, _column: ColumnDefinition) -> str:
    return _SQL_REALS[size]


def _sql_zoned(column: ColumnDefinition, *, has_own_sign: bool) -> str:
    """Return the SQL type of a decimal with one digit per byte; ``has_own_sign``: one byte is the sign."""
    return f"DECIMAL({max(column.internal_length - has_own_sign, 1)},{column.scale})"


def _sql_packed(column: ColumnDefinition) -> str:
    """Return the SQL type of a decimal with two digits per byte, except that the last one is the sign."""
    return f"DECIMAL({max(2 * column.internal_length - 1, 1)},{column.scale})"


def _sql_datetime(column: ColumnDefinition) -> str:
    if column.most_significant >= _HOUR:
        return "TIME"
    return "TIMESTAMP" if column.least_significant > _DAY else "DATE"


def _sql_characters(column: ColumnDefinition, *, is_variable: bool) -> str:
    """Return the SQL type of text, a number or bytes, by the sub data type."""
    kind = sub_type(column.sub_data_type)
    if kind.is_number:
        return "NUMERIC"
    varying = "VAR" if is_variable else ""
    if kind.is_binary:
        return f"{varying}BINARY({column.internal_length})"
    return f"{varying}CHAR({column.character_length or column.internal_length})"


def _text(name: str, *, has_byte_length: bool = True) -> DataType:
    sql = partial(_sql_characters, is_variable=False)
    codec = characters.decode_fixed, characters.encode_fixed
    return DataType(name, Family.TEXT, *codec, sql, has_byte_length=has_byte_length)


def _variable_text(name: str, *, has_byte_length: bool = True) -> DataType:
    sql = partial(_sql_characters, is_variable=True)
    codec = characters.decode_variable, characters.encode_variable
    return DataType(name, Family.TEXT, *codec, sql, is_variable=True, has_byte_length=has_byte_length)


def _integer(size: int, *, is_signed: bool) -> DataType:
    decode, encode = partial(numbers.decode, size, signed=is_signed), partial(numbers.encode, size, signed=is_signed)
    sql = partial(_sql_integer, size, is_signed=is_signed)
    name = f"{'' if is_signed else 'U'}INT{8 * size}"
    return DataType(name, Family.INTEGER, decode, encode, sql, size, is_signed)


def _real(name: str, size: int, decode: Decode, encode: Encode) -> DataType:
    return DataType(name, Family.REAL, decode, encode, partial(_sql_real, size), size)


def _zoned(name: str, sign: numbers.Sign) -> DataType:
    has_own_sign = sign in (numbers.Sign.LEADING_SEPARATE, numbers.Sign.TRAILING_SEPARATE)
    sql = partial(_sql_zoned, has_own_sign=has_own_sign)
    decode, encode = partial(numbers.decode_zoned, sign), partial(numbers.encode_zoned, sign)
    return DataType(name, Family.DECIMAL, decode, encode, sql)


def _interval(fields: str) -> DataType:
    name = f"INTERVAL {fields}"
    decode, encode = partial(intervals.decode, fields), partial(intervals.encode, fields)
    return DataType(name, Family.INTERVAL, decode, encode, lambda _: name)


CHAR = 0
VARCHAR = 64
DATETIME = 192
DATA_TYPES: dict[int, DataType] = {
    CHAR: _text("CHAR"),
    1: _text("CHAR UPSHIFT"),
    2: _text("DOUBLE CHAR", has_byte_length=False),
    VARCHAR: _variable_text("VARCHAR"),
    65: _variable_text("VARCHAR UPSHIFT"),
    66: _variable_text("DOUBLE VARCHAR", has_byte_length=False),
    130: _integer(2, is_signed=True),
    131: _integer(2, is_signed=False),
    132: _integer(4, is_signed=True),
    133: _integer(4, is_signed=False),
    134: _integer(8, is_signed=True),
    135: _integer(8, is_signed=False),
    140: _real("TANDEM REAL", 4, partial(numbers.decode_tandem, 4), partial(numbers.encode_tandem, 4)),
    141: _real("TANDEM DOUBLE", 8, partial(numbers.decode_tandem, 8), partial(numbers.encode_tandem, 8)),
    142: _real("REAL", 4, partial(numbers.decode_ieee, 4), partial(numbers.encode_ieee, 4)),
    143: _real("DOUBLE", 8, partial(numbers.decode_ieee, 8), partial(numbers.encode_ieee, 8)),
    150: _zoned("DECIMAL UNSIGNED", numbers.Sign.NONE),
    151: _zoned("DECIMAL LSS", numbers.Sign.LEADING_SEPARATE),
    152: _zoned("DECIMAL LSE", numbers.Sign.LEADING),
    153: _zoned("DECIMAL TSS", numbers.Sign.TRAILING_SEPARATE),
    154: _zoned("DECIMAL TSE", numbers.Sign.TRAILING),
    155: DataType("BIGNUM UNSIGNED"),
    156: DataType("BIGNUM"),
    189: DataType("DECIMAL PACKED", Family.DECIMAL, numbers.decode_packed, numbers.encode_packed, _sql_packed),
    191: DataType(
        "DATETIME VARYING",
        Family.DATETIME,
        datetimes.decode_variable,
        datetimes.encode_variable,
        _sql_datetime,
        is_variable=True,
    ),
    DATETIME: DataType("DATETIME", Family.DATETIME, datetimes.decode, datetimes.encode, _sql_datetime),
    195: _interval("YEAR"),
    196: _interval("MONTH"),
    197: _interval("YEAR TO MONTH"),
    198: _interval("DAY"),
    199: _interval("HOUR"),
    200: _interval("DAY TO HOUR"),
    201: _interval("MINUTE"),
    202: _interval("HOUR TO MINUTE"),
    203: _interval("DAY TO MINUTE"),
    204: _interval("SECOND"),
    205: _interval("MINUTE TO SECOND"),
    206: _interval("HOUR TO SECOND"),
    207: _interval("DAY TO SECOND"),
    208: _interval("FRACTION"),
    209: _interval("SECOND TO FRACTION"),
    210: _interval("MINUTE TO FRACTION"),
    211: _interval("HOUR TO FRACTION"),
    212: _interval("DAY TO FRACTION"),
}
"""Data types by code."""


def data_type_of(column: ColumnDefinition) -> DataType:
    """Return the data type of a column; for an unknown code it has only a name."""
    return DATA_TYPES.get(column.data_type) or DataType(f"data type {column.data_type}")


def sql_type(column: ColumnDefinition) -> str | None:
    """Return the standard SQL type for the values of a column; None if the meaning of its bytes is not known."""
    sql = data_type_of(column).sql
    return sql(column) if sql is not None else None


LARGEST_COLUMN = 1 << 16
"""Larger than any column, in bytes."""
_INDICATOR, _PREFIX = 2, 2
"""Sizes of the indicator and of the length before a value."""
_MOST_KEPT = 1 << 14
_UNBOUNDED_SUB_TYPES = frozenset({1, 9, 10, 11, 12})
"""UTF-16, PERIOD, XML, ANYDATA, HTML: what their lengths count was never seen."""
_UNBOUNDED_NATIVE_TYPES = frozenset(
    {8, 24, 108, 109, 110, 112, 113, 114, 115, 119}  # Oracle: LONG, LONG RAW, objects, REF, LOBs, BFILE, JSON
    | {245, 249, 250, 251, 252, 255}  # MySQL: JSON, BLOB and TEXT, GEOMETRY
    | {-1, -4, -8, -9, -10, -152}  # ODBC: LONGVARCHAR, LONGVARBINARY, wide characters, XML
)
_BYTES_OF_CHARACTER = 4
"""Maximum number of bytes of a character."""


class ColumnLimit(NamedTuple):
    """What a column of an image may be.

    Attributes:
        least, most: the sizes in bytes of a value with its indicator.
        is_prefixed: True if a 2-byte length precedes the value.
        is_strict: True if the indicator must be 0000 or ffff; that of a LOB may be another one.
    """

    least: int
    most: int
    is_prefixed: bool = False
    is_strict: bool = True

    def check(self, column: Column, order: ByteOrder) -> None:
        """Check a column of a record in this byte order.

        Raises:
            BadData: it does not keep to the limit.
        """
        if column.is_null:
            return
        if column.raw[:_INDICATOR] != PRESENT:
            if self.is_strict:
                indicator = column.raw[:_INDICATOR].hex() or "no bytes"
                raise BadData("wrong indicator", expected=f"{PRESENT.hex()} or {NULL.hex()}", found=indicator)
            return
        if self.is_prefixed:
            characters.without_length(column.value, order)
        size = len(column.raw)
        if not self.least <= size <= self.most:
            other = _INDICATOR + (_PREFIX if self.is_prefixed else 0)
            problem, expected = "value is longer than its column", f"at most {self.most - other} bytes"
            if self.least == self.most:
                problem, expected = "value has another size than its data type", f"{self.most - other} bytes"
            raise BadData(problem, expected=expected, found=f"{size - other} bytes")


@lru_cache(_MOST_KEPT)
def limit_of(definition: ColumnDefinition) -> ColumnLimit:
    """Return the limit that a definition sets."""
    data_type = data_type_of(definition)
    if data_type.decode is None or (data_type.family is Family.TEXT and _is_unbounded(definition)):
        return ColumnLimit(0, LARGEST_COLUMN, is_strict=False)
    least = _INDICATOR + (_PREFIX if data_type.is_variable else 0)
    if data_type.size:
        return ColumnLimit(least + data_type.size, least + data_type.size)
    most = LARGEST_COLUMN
    if data_type.has_byte_length:
        most = least + (_longest(definition) if data_type.is_variable else definition.internal_length)
    return ColumnLimit(least, most, data_type.is_variable)


def _is_unbounded(definition: ColumnDefinition) -> bool:
    return (
        definition.sub_data_type in _UNBOUNDED_SUB_TYPES
        or definition.native_type in _UNBOUNDED_NATIVE_TYPES
        or not _longest(definition)
    )


def _longest(definition: ColumnDefinition) -> int:
    """Return the maximum length of a value of characters in bytes; 0 if the definition gives none."""
    lengths = definition.internal_length, definition.external_length, definition.binary_length
    return max(*lengths, _BYTES_OF_CHARACTER * definition.character_length)
