"""Operands of VALUE, converted to the types of column values; None if the conversion fails."""

from __future__ import annotations

from datetime import date, time, timedelta
from decimal import Decimal
from functools import lru_cache
from math import isnan

from trailformat import TrailError
from trailformat.values.datetimes import parse_moment
from trailformat.values.intervals import parse_interval
from trailformat.values.numbers import parse_number

_DAY_TO_FRACTION = "DAY TO FRACTION"


@lru_cache(maxsize=64)
def as_number(text: str) -> Decimal | None:
    """Return the operand as a number, infinity included."""
    try:
        number = parse_number(text)
    except TrailError:
        return None
    return None if isnan(number) else Decimal(str(number))


@lru_cache(maxsize=64)
def as_bytes(text: str) -> bytes | None:
    """Binary data, by its hex digits."""
    digits = text[2:-1] if text[:2].upper() == "X'" else text.removeprefix("0x")
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return None


@lru_cache(maxsize=64)
def as_interval(text: str) -> timedelta | None:
    """Return the operand as an interval."""
    try:
        interval = parse_interval(text.strip(), _DAY_TO_FRACTION)
    except TrailError:
        return None
    return interval if isinstance(interval, timedelta) else None


@lru_cache(maxsize=64)
def as_moment(text: str) -> date | time | None:
    """The date, the time, or both."""
    try:
        moment = parse_moment(text)
    except TrailError:
        return None
    return None if isinstance(moment, str) else moment
