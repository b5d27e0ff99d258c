"""The value of a column, and its form as text."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from typing import NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.charsets import UTF_8
from trailformat.definitions.metadata import ColumnDefinition


class SubType(NamedTuple):
    """A sub data type: its name and the kind of its bytes.

    ``codec`` is the codec of its text; None: that of the column.
    """

    name: str
    is_number: bool = False
    is_binary: bool = False
    codec: str | None = None


PLAIN = SubType("")
SUB_TYPES: dict[int, SubType] = {
    0: PLAIN,
    1: SubType("UTF-16", codec="utf-16-be"),
    2: SubType("FLOAT", is_number=True),
    3: SubType("FIXED", is_number=True),
    4: SubType("BINARY", is_binary=True),
    5: SubType("CHAR"),
    6: SubType("MVS"),
    7: SubType("UTF-8", codec=UTF_8),
    8: SubType("GUID"),
    9: SubType("PERIOD"),
    10: SubType("XML"),
    11: SubType("ANYDATA"),
    12: SubType("HTML"),
    27: SubType("FLOAT", is_number=True, codec=UTF_8),
    37: SubType("FIXED", is_number=True, codec=UTF_8),
}
"""Sub data types by number."""


def sub_type(number: int) -> SubType:
    """Return the sub data type with this number; PLAIN, plain text, for an unknown one."""
    return SUB_TYPES.get(number, PLAIN)


Plain = str | int | Decimal | float | bytes | date | datetime | time | timedelta | None
"""A decoded value; text also for a date or an interval for which Python has no type."""

Decode = Callable[[bytes, ColumnDefinition, ByteOrder, str], Plain]
"""Decodes the bytes after the indicator, given definition, byte order of the file and codec of the database.

Raises BadData if the bytes are not such a value.
"""

Encode = Callable[[Plain, ColumnDefinition, ByteOrder, str], bytes]
"""Encodes a value, given the same. Raises CannotWrite if it does not fit."""

_MINUTE, _HOUR = 60, 3600
_AS_IT_IS = frozenset({str, int})
"""The types of most values, whose text is that of ``str``."""


class Value(NamedTuple):
    """The value of a column.

    Attributes:
        data: the bytes as in the trail, after the indicator.
        value: the decoded value; None for NULL, and if it cannot be decoded.
        is_null: True if the column is NULL.
        problem: the reason why it cannot be decoded; it is shown as hex then.
    """

    data: bytes
    value: Plain = None
    is_null: bool = False
    problem: str | None = None

    @property
    def text(self) -> str:
        """The value as text: numbers with all digits, dates in ISO 8601, bytes or undecoded data as hex, ``NULL``."""
        if self.is_null:
            return "NULL"
        return self.data.hex() if self.problem is not None else plain_text(self.value)


def decoded_text(value: Value) -> str | None:
    """Return a column's value as text; None for NULL, and if it is not decoded."""
    return None if value.value is None else plain_text(value.value)


def plain_text(value: Plain) -> str:
    """Return a decoded value as text: decimals without exponent, bytes as hex, date and time joined by a blank."""
    if type(value) in _AS_IT_IS:
        return str(value)
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes):
        return value.hex()
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, timedelta):
        return _interval_text(value)
    return str(value)


def _interval_text(interval: timedelta) -> str:
    """Return an interval as sign, days and time of day: ``-3 04:05:06.5``."""
    sign, size = ("-", -interval) if interval < timedelta(0) else ("", interval)
    fraction = f".{size.microseconds:06d}".rstrip("0") if size.microseconds else ""
    hours, seconds = divmod(size.seconds, _HOUR)
    return f"{sign}{size.days} {hours:02d}:{seconds // _MINUTE:02d}:{seconds % _MINUTE:02d}{fraction}"
