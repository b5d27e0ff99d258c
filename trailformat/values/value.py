"""A value of a column: what it is, and how it is written as text."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple

Plain = str | int | Decimal | float | bytes | date | datetime | time | timedelta | None
"""What a decoder makes of bytes; text too for a date or an interval that Python has no type for."""

_DAY = 86_400


class Value(NamedTuple):
    """What a column holds.

    Attributes:
        data: the bytes as in the trail, behind the indicator.
        value: the decoded value; None for NULL, and when it is not decoded.
        is_null: whether the column is NULL.
        problem: why it is not decoded; then it is shown as hex.
    """

    data: bytes
    value: Plain = None
    is_null: bool = False
    problem: str | None = None

    @property
    def text(self) -> str:
        """The value as text: numbers with all digits, dates in ISO 8601, bytes as hex, ``NULL`` for NULL."""
        if self.is_null:
            return "NULL"
        return self.data.hex() if self.problem is not None else plain_text(self.value)


def plain_text(value: Plain) -> str:
    """A decoded value as text."""
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, timedelta):
        return interval_text(value)
    return str(value)


def interval_text(interval: timedelta) -> str:
    """``-3 04:05:06.5``: sign, days, time of day."""
    sign, size = ("-", -interval) if interval < timedelta(0) else ("", interval)
    fraction = f".{size.microseconds:06d}".rstrip("0") if size.microseconds else ""
    minutes, seconds = divmod(size.seconds % _DAY, 60)
    return f"{sign}{size.days} {minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}{fraction}"
