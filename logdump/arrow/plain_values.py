"""Values of Arrow columns as Python values, and those as JSON has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from math import isfinite
from typing import Any

from trailformat.codec.on_demand import on_demand

with on_demand:
    import pyarrow as pa


def python_values(column: Any) -> list[Any]:
    """Return the values of an Arrow column; a map becomes a dictionary, or a list of pairs if a key repeats."""
    values: list[Any] = column.to_pylist()
    if not pa.types.is_map(column.type):
        return values
    return [dict(pairs) if pairs is not None and len(dict(pairs)) == len(pairs) else pairs for pairs in values]


def plain(value: Any) -> Any:
    """Return the JSON form of a value; a number that JSON cannot represent exactly becomes text."""
    if value is None:
        return None
    convert: Callable[[Any], Any] = _PLAIN.get(type(value), _other)
    return convert(value)


def named(names: Iterable[str], values: Sequence[Any]) -> dict[str, Any]:
    """Return a JSON object; repeated names are numbered: ``op``, ``op_2``."""
    members: dict[str, Any] = {}
    for name, value in zip(names, values, strict=True):
        free, number = name, 1
        while free in members:
            number += 1
            free = f"{name}_{number}"
        members[free] = plain(value)
    return members


def _list_or_map(values: list[Any]) -> Any:
    """Return the JSON form of a list, or of a map, which may be a list of pairs with repeated keys."""
    if values and all(type(item) is tuple for item in values):
        return named((str(key) for key, _ in values), [value for _, value in values])
    return [plain(item) for item in values]


def _other(value: Any) -> str:
    """Return the text of a value of any other type; pyarrow, which need not be loaded, has one for intervals."""
    return _interval(*value) if type(value).__name__ == "MonthDayNano" else str(value)


def _duration(value: timedelta) -> str:
    return _interval(0, value.days, (value.seconds * 1_000_000 + value.microseconds) * 1000)


def _interval(months: int, days: int, nanoseconds: int) -> str:
    """Return an interval as DuckDB shows it: ``1 year 2 months 3 days -04:05:06.7``."""
    sign = -1 if months < 0 else 1
    years, months = (sign * count for count in divmod(abs(months), 12))
    units = ((years, "year"), (months, "month"), (days, "day"))
    parts = [f"{count} {unit}{'s' * (abs(count) != 1)}" for count, unit in units if count]
    seconds, fraction = divmod(abs(nanoseconds) // 1000, 1_000_000)
    if seconds or fraction or not parts:
        rest = f".{fraction:06}".rstrip("0") if fraction else ""
        clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}{rest}"
        parts.append(f"{'-' * (nanoseconds < 0)}{clock}")
    return " ".join(parts)


def _moment(value: datetime) -> str:
    """Return a timestamp in ISO 8601: TIMESTAMP of Spark in UTC with Z, TIMESTAMP_NTZ without a zone."""
    has_zone = value.tzinfo is not None
    wall = value.astimezone(UTC).replace(tzinfo=None) if has_zone else value
    return wall.isoformat(timespec="microseconds") + ("Z" if has_zone else "")


_PLAIN: dict[type, Callable[[Any], Any]] = {
    bool: bool,
    int: int,
    str: str,
    float: lambda value: value if isfinite(value) else str(value),
    bytes: bytes.hex,
    Decimal: lambda value: int(value) if value == value.to_integral_value() else str(value),
    datetime: _moment,
    date: date.isoformat,
    timedelta: _duration,
    dict: lambda value: {name: plain(item) for name, item in value.items()},
    list: _list_or_map,
}
"""Conversions to JSON by the Python type that Arrow gives a value."""
