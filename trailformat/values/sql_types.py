"""The standard SQL types of families of data types: ``NUMERIC(18,2)``, ``VARCHAR(30)``, ``TIMESTAMP``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailformat.values.sub_types import sub_type

if TYPE_CHECKING:
    from trailformat.definitions.column import ColumnDefinition

_INTEGERS = {2: "SMALLINT", 4: "INTEGER", 8: "BIGINT"}
_DIGITS = {2: 4, 4: 9, 8: 18}
_UNSIGNED_DIGITS = {2: 5, 4: 10, 8: 20}
_REALS = {4: "REAL", 8: "DOUBLE PRECISION"}
_DAY, _HOUR = 2, 3
"""Date-time fields: 0 year, 1 month, 2 day, 3 hour, 4 minute, 5 second, 6 fraction."""


def integer(size: int, column: ColumnDefinition, *, is_signed: bool) -> str:
    """An integer of some bytes, or a decimal with a scale."""
    if is_signed and not column.scale:
        return _INTEGERS[size]
    digits = _DIGITS if is_signed else _UNSIGNED_DIGITS
    return f"NUMERIC({digits[size]},{column.scale})"


def real(size: int, _column: ColumnDefinition) -> str:
    """A floating-point number of some bytes."""
    return _REALS[size]


def zoned(column: ColumnDefinition, *, has_own_sign: bool) -> str:
    """A decimal of a digit a byte; ``has_own_sign``: one byte is no digit but the sign."""
    return f"DECIMAL({max(column.internal_length - has_own_sign, 1)},{column.scale})"


def packed(column: ColumnDefinition) -> str:
    """A decimal of two digits a byte, one of which is the sign."""
    return f"DECIMAL({max(2 * column.internal_length - 1, 1)},{column.scale})"


def datetime(column: ColumnDefinition) -> str:
    """A date, a time or both."""
    if column.most_significant >= _HOUR:
        return "TIME"
    return "TIMESTAMP" if column.least_significant > _DAY else "DATE"


def characters(column: ColumnDefinition, *, is_variable: bool) -> str:
    """Text, a number or bytes, by the sub data type."""
    kind = sub_type(column.sub_data_type)
    if kind.is_number:
        return "NUMERIC"
    varying = "VAR" if is_variable else ""
    if kind.is_binary:
        return f"{varying}BINARY({column.internal_length})"
    return f"{varying}CHAR({column.character_length or column.internal_length})"
