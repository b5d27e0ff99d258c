"""The standard SQL type that holds what a column holds: ``NUMERIC(18,2)``, ``VARCHAR(30)``, ``TIMESTAMP``."""

from __future__ import annotations

from trailformat.definitions.column import ColumnDefinition
from trailformat.values.data_types import DATA_TYPES, DATETIME, DATETIME_VARYING, INTEGERS, UNSIGNED
from trailformat.values.sub_types import sub_type

_INTEGERS = {2: "SMALLINT", 4: "INTEGER", 8: "BIGINT"}
_DIGITS = {2: 4, 4: 9, 8: 18}
_UNSIGNED_DIGITS = {2: 5, 4: 10, 8: 20}
_FLOATS = {140: "REAL", 141: "DOUBLE PRECISION", 142: "REAL", 143: "DOUBLE PRECISION"}
_ZONED = {150: 0, 151: 1, 152: 0, 153: 1, 154: 0}
"""Bytes that are no digits."""
_PACKED = 189
_DAY, _HOUR = 2, 3
"""Date-time fields: 0 year, 1 month, 2 day, 3 hour, 4 minute, 5 second, 6 fraction."""


def sql_type(column: ColumnDefinition) -> str | None:
    """The type; None for a data type that is not known, or whose values are not."""
    code, size = column.data_type, column.internal_length
    data_type = DATA_TYPES.get(code)
    if data_type is None or data_type.decode is None:
        return None
    if code in INTEGERS or code in UNSIGNED:
        return _integer(column)
    if code in _ZONED:
        return f"DECIMAL({max(size - _ZONED[code], 1)},{column.scale})"
    if code == _PACKED:
        return f"DECIMAL({max(2 * size - 1, 1)},{column.scale})"
    if code in (DATETIME, DATETIME_VARYING):
        return _datetime(column)
    return _FLOATS.get(code) or (data_type.name if data_type.name.startswith("INTERVAL") else _characters(column))


def _integer(column: ColumnDefinition) -> str:
    size = INTEGERS.get(column.data_type)
    if size and not column.scale:
        return _INTEGERS[size]
    digits = _DIGITS[size] if size else _UNSIGNED_DIGITS[UNSIGNED[column.data_type]]
    return f"NUMERIC({digits},{column.scale})"


def _datetime(column: ColumnDefinition) -> str:
    most, least = column.most_significant, column.least_significant
    if most >= _HOUR:
        return "TIME"
    return "TIMESTAMP" if least > _DAY else "DATE"


def _characters(column: ColumnDefinition) -> str:
    kind = sub_type(column.sub_data_type)
    if kind.is_number:
        return "NUMERIC"
    varying = "VAR" if DATA_TYPES[column.data_type].is_variable else ""
    if kind.is_binary:
        return f"{varying}BINARY({column.internal_length})"
    return f"{varying}CHAR({column.character_length or column.internal_length})"
