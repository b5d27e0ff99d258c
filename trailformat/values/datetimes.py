"""Dates and times, which stand in a trail as text.

    0000 313939342d30392d33303a31353a33333a3030     1994-09-30:15:33:00
    0000 323032322d31322d3232                       2022-12-22

A moment that Python has no type for (before Christ, nanoseconds, infinity, 0000-00-00) stays text.
"""

from __future__ import annotations

import re
from datetime import date, datetime, time

from trailformat.byte_order import ByteOrder
from trailformat.column_definition import ColumnDefinition
from trailformat.errors import BadData
from trailformat.values.value import Plain

_DATE = r"(\d{4})-(\d\d)-(\d\d)"
_TIME = r"(\d\d):(\d\d):(\d\d)(?:\.(\d{1,9}))?"
_FORM = re.compile(rf"(?:{_DATE})?(?:(?<=\d)[: T](?=\d))?(?:{_TIME})?", re.ASCII)


def decode(data: bytes, _definition: ColumnDefinition, _order: ByteOrder, _charset: str) -> Plain:
    """The date, time or moment; text where Python has no such value."""
    try:
        text = data.decode("ascii").rstrip(" \0")
    except UnicodeDecodeError:
        raise BadData("date is not ASCII text") from None
    found = _FORM.fullmatch(text)
    if not found or not text:
        return text
    try:
        return _typed(*found.groups())
    except ValueError:
        return text


def _typed(*parts: str | None) -> date | datetime | time:
    year, month, day, hour, minute, second, fraction = parts
    microseconds = (fraction or "").ljust(9, "0")
    if microseconds[6:] != "000":
        raise ValueError("nanoseconds")
    if hour is None:
        return date(int(year or 0), int(month or 0), int(day or 0))
    clock = time(int(hour), int(minute or 0), int(second or 0), int(microseconds[:6]))
    return datetime.combine(date(int(year), int(month or 0), int(day or 0)), clock) if year else clock


def encode(value: Plain, _definition: ColumnDefinition, _order: ByteOrder, _charset: str) -> bytes:
    """The text, date and time joined by a colon."""
    if isinstance(value, datetime):
        return value.isoformat(sep=":").encode()
    return str(value).encode()
