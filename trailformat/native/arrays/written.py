"""Parsing of numbers and dates in text; each parser rejects what it cannot convert exactly."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.loads import inlined, u8

DAY = 86_400_000_000
NO_DATE = -(1 << 40)
_MINUTE = 60_000_000
_FIRST_DAY, _LAST_DAY = -719_162 + 1, 2_932_896 - 1
"""Days that remain within the years 1 to 9999 with any offset."""
_MOST_DIGITS = 18
_COLON, _BLANK, _T, _PLUS, _MINUS, _POINT = 58, 32, 84, 43, 45, 46


@inlined
def decimal_at(data: int, offset: int, end: int, scale: int) -> Any:
    """Return whether the bytes are ``[-]digits[.digits]``, and the value times 10 to the power of ``scale``."""
    is_minus = offset < end and u8(data, offset) == _MINUS
    offset += is_minus
    number: Any = np.int64(0)
    digits, decimals = 0, -1
    while offset < end:
        byte = u8(data, offset)
        if byte == _POINT and decimals < 0:
            decimals = 0
        elif byte < 48 or byte > 57 or digits == _MOST_DIGITS:
            return False, number
        else:
            number = 10 * number + (byte - 48)
            digits += 1
            decimals += decimals >= 0
        offset += 1
    more = scale - max(decimals, 0)
    if digits == 0 or more < 0 or digits + more > _MOST_DIGITS:
        return False, number
    for _ in range(more):
        number *= 10
    return True, -number if is_minus else number


@inlined
def _digits(data: int, offset: int, count: int) -> Any:
    """Return the number in ``count`` digits, or -1."""
    number = 0
    for place in range(count):
        digit = u8(data, offset + place) - 48
        if digit < 0 or digit > 9:
            return -1
        number = 10 * number + digit
    return number


@inlined
def _days(year: int, month: int, day: int) -> Any:
    """Return the days since 1970-01-01 in the Gregorian calendar."""
    shifted = year - (1 if month <= 2 else 0)
    era = shifted // 400
    of_era = shifted - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@inlined
def date_at(data: int, offset: int) -> Any:
    """Return the days of ``1994-09-30`` since 1970-01-01; NO_DATE if invalid."""
    year, month, day = _digits(data, offset, 4), _digits(data, offset + 5, 2), _digits(data, offset + 8, 2)
    if (
        year < 1
        or month < 1
        or month > 12
        or day < 1
        or u8(data, offset + 4) != _MINUS
        or u8(data, offset + 7) != _MINUS
    ):
        return NO_DATE
    is_leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    most = 30 + (month + (month > 7)) % 2 - (month == 2) * (1 if is_leap else 2)
    return _days(year, month, day) if day <= most else NO_DATE


@inlined
def _clock(data: int, offset: int, size: int) -> Any:
    """Return the microseconds of ``15:33:00`` or ``15:33:00.123456``, or -1; nanoseconds must be zeros."""
    if size < 8 or u8(data, offset + 2) != _COLON or u8(data, offset + 5) != _COLON:
        return -1
    hour, minute, second = _digits(data, offset, 2), _digits(data, offset + 3, 2), _digits(data, offset + 6, 2)
    if min(hour, minute, second) < 0 or hour > 23 or minute > 59 or second > 59:
        return -1
    fraction, scale = np.int64(0), np.int64(1_000_000)
    if size > 8:
        if size == 9 or size > 18 or u8(data, offset + 8) != _POINT:
            return -1
        for place in range(9, size):
            digit = _digits(data, offset + place, 1)
            if digit < 0 or (scale == 1 and digit > 0):
                return -1
            if scale > 1:
                fraction, scale = fraction * 10 + digit, scale // 10
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction * scale


@inlined
def _offset(data: int, offset: int, size: int) -> Any:
    """Return the minutes of ``+05:30``, or 1 << 20 if invalid."""
    sign = u8(data, offset)
    hours, minutes = _digits(data, offset + 1, 2), _digits(data, offset + 4, 2)
    is_good = size == 6 and sign in (_PLUS, _MINUS) and u8(data, offset + 3) == _COLON
    if not is_good or min(hours, minutes) < 0 or hours > 23 or minutes > 59:
        return 1 << 20
    return (60 * hours + minutes) * (1 if sign == _PLUS else -1)


@inlined
def moment_at(data: int, offset: int, size: int, has_zone: int) -> Any:
    """Return whether the bytes are a date with a time, and its microseconds since 1970-01-01; in UTC with a zone."""
    if size < 19 or u8(data, offset + 10) not in (_COLON, _BLANK, _T):
        return False, np.int64(0)
    shift = 0
    if has_zone:
        shift = _offset(data, offset + size - 6, 6) if size >= 26 else 1 << 20
        size -= 7 if u8(data, offset + size - 7) == _BLANK else 6
    day, clock = date_at(data, offset), _clock(data, offset + 11, size - 11)
    if day <= NO_DATE or clock < 0 or shift == 1 << 20 or (has_zone and not _FIRST_DAY <= day <= _LAST_DAY):
        return False, np.int64(0)
    return True, day * DAY + clock - shift * _MINUTE
