"""The data types of definitions files: name, decoder, encoder and SQL type of each.

Codes and names are from the header file for user exits that comes with GoldenGate (``sqldatatypes.h``), which are those
of NonStop SQL; 0, 64, 132, 134 and 192 were seen in trails. docs/values.md lists how certain each is. The family
determines the type of a column as an array (:mod:`trailformat.arrays.array_types`).
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from trailformat.values import characters, datetimes, intervals, numbers
from trailformat.values.value import Decode, Encode, sub_type

if TYPE_CHECKING:
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
    """

    name: str
    family: Family = Family.UNKNOWN
    decode: Decode | None = None
    encode: Encode | None = None
    sql: Callable[[ColumnDefinition], str] | None = None
    size: int = 0
    is_signed: bool = True
    is_variable: bool = False


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


def _text(name: str) -> DataType:
    sql = partial(_sql_characters, is_variable=False)
    return DataType(name, Family.TEXT, characters.decode_fixed, characters.encode_fixed, sql)


def _variable_text(name: str) -> DataType:
    sql = partial(_sql_characters, is_variable=True)
    return DataType(name, Family.TEXT, characters.decode_variable, characters.encode_variable, sql, is_variable=True)


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
    2: _text("DOUBLE CHAR"),
    VARCHAR: _variable_text("VARCHAR"),
    65: _variable_text("VARCHAR UPSHIFT"),
    66: _variable_text("DOUBLE VARCHAR"),
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
