"""Values that become numbers: integers, decimals, dates. Numba's kernels; see ``byte_kernels`` for what they take."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from trailformat.arrays.byte_kernels import unprefixed
from trailformat.arrays.kernels import CACHE, UNDECIDED
from trailformat.scan.kernels.loads import u8, u16, u32, u64

_DAY = 86_400_000_000
_NO_DATE = -(1 << 40)
_MINUTE = 60_000_000
_FIRST_DAY, _LAST_DAY = -719_162 + 1, 2_932_896 - 1
"""Days that any offset leaves within the years 1 to 9999."""
_MOST_DIGITS = 18
_COLON, _BLANK, _T, _PLUS, _MINUS, _POINT = 58, 32, 84, 43, 45, 46


@njit(cache=CACHE, nogil=True)
def gather_integers(data: int, starts: Any, sizes: Any, width: int, out: Any, valid: Any) -> Any:
    """Big-endian integers of ``width`` bytes, into an array of signed ones."""
    missing: Any = 0
    undecided: Any = 0
    for row in range(len(starts)):
        out[row] = 0
        if sizes[row] != width:
            missing += 1
            undecided += sizes[row] >= 0 or sizes[row] == UNDECIDED
            continue
        valid[row >> 3] |= 1 << (row & 7)
        start = np.int64(starts[row])
        if width == 8:
            out[row] = np.int64(u64(data, start, 0))
        else:
            out[row] = u32(data, start, 0) if width == 4 else u16(data, start, 0)
    return missing, undecided


@njit(cache=CACHE, nogil=True)
def _decimal(data: int, at: int, end: int, scale: int) -> Any:
    """Whether ``[-]digits[.digits]`` stands there, and its value by 10 to the power of ``scale``."""
    is_minus = at < end and u8(data, at) == _MINUS
    at += is_minus
    number: Any = np.int64(0)
    digits, behind = 0, -1
    while at < end:
        byte = u8(data, at)
        if byte == _POINT and behind < 0:
            behind = 0
        elif byte < 48 or byte > 57 or digits == _MOST_DIGITS:
            return False, number
        else:
            number = 10 * number + (byte - 48)
            digits += 1
            behind += behind >= 0
        at += 1
    more = scale - max(behind, 0)
    if digits == 0 or more < 0 or digits + more > _MOST_DIGITS:
        return False, number
    for _ in range(more):
        number *= 10
    return True, -number if is_minus else number


@njit(cache=CACHE, nogil=True)
def gather_decimals(data: int, starts: Any, sizes: Any, little: Any, rules: Any, out: Any, valid: Any) -> Any:
    """Numbers of a fixed scale that are written as text, as 128 bits in two words each; long ones are odd.

    ``rules``: whether values are prefixed, how many bytes one has at most, and the scale.
    """
    is_prefixed, most, scale = rules
    missing: Any = 0
    undecided: Any = 0
    for row in range(len(starts)):
        start, size = unprefixed(data, starts, sizes, little, is_prefixed, row)
        out[row, 0] = out[row, 1] = 0
        if 0 <= size <= most:
            is_good, number = _decimal(data, start, start + size, scale)
            if is_good:
                out[row, 0], out[row, 1] = number, number >> 63
                valid[row >> 3] |= 1 << (row & 7)
                continue
            size = UNDECIDED
        missing += 1
        undecided += size >= 0 or size == UNDECIDED
    return missing, undecided


@njit(cache=CACHE, nogil=True)
def _digits(data: int, at: int, count: int) -> Any:
    """The number that ``count`` digits write, or -1."""
    number = 0
    for place in range(count):
        digit = u8(data, at + place) - 48
        if digit < 0 or digit > 9:
            return -1
        number = 10 * number + digit
    return number


@njit(cache=CACHE, nogil=True)
def _days(year: int, month: int, day: int) -> Any:
    """Days from 1970-01-01 in the Gregorian calendar."""
    shifted = year - (1 if month <= 2 else 0)
    era = shifted // 400
    of_era = shifted - era * 400
    of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    return era * 146097 + of_era * 365 + of_era // 4 - of_era // 100 + of_year - 719468


@njit(cache=CACHE, nogil=True)
def _date(data: int, at: int) -> Any:
    """Days of ``1994-09-30`` from 1970-01-01; a large negative number when it is no date."""
    year, month, day = _digits(data, at, 4), _digits(data, at + 5, 2), _digits(data, at + 8, 2)
    if year < 1 or month < 1 or month > 12 or day < 1 or u8(data, at + 4) != _MINUS or u8(data, at + 7) != _MINUS:
        return _NO_DATE
    is_leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    most = 30 + (month + (month > 7)) % 2 - (month == 2) * (1 if is_leap else 2)
    return _days(year, month, day) if day <= most else _NO_DATE


@njit(cache=CACHE, nogil=True)
def _clock(data: int, at: int, size: int) -> Any:
    """Microseconds of ``15:33:00`` or ``15:33:00.123456``, or -1; nanoseconds only when they are zeros."""
    if size < 8 or u8(data, at + 2) != _COLON or u8(data, at + 5) != _COLON:
        return -1
    hour, minute, second = _digits(data, at, 2), _digits(data, at + 3, 2), _digits(data, at + 6, 2)
    if min(hour, minute, second) < 0 or hour > 23 or minute > 59 or second > 59:
        return -1
    fraction, scale = np.int64(0), np.int64(1_000_000)
    if size > 8:
        if size == 9 or size > 18 or u8(data, at + 8) != _POINT:
            return -1
        for place in range(9, size):
            digit = _digits(data, at + place, 1)
            if digit < 0 or (scale == 1 and digit > 0):
                return -1
            if scale > 1:
                fraction, scale = fraction * 10 + digit, scale // 10
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction * scale


@njit(cache=CACHE, nogil=True)
def _offset(data: int, at: int, size: int) -> Any:
    """Minutes of ``+05:30``, or more than any offset has."""
    sign = u8(data, at)
    hours, minutes = _digits(data, at + 1, 2), _digits(data, at + 4, 2)
    is_good = size == 6 and sign in (_PLUS, _MINUS) and u8(data, at + 3) == _COLON
    if not is_good or min(hours, minutes) < 0 or hours > 23 or minutes > 59:
        return 1 << 20
    return (60 * hours + minutes) * (1 if sign == _PLUS else -1)


@njit(cache=CACHE, nogil=True)
def _moment(data: int, at: int, size: int, has_zone: int) -> Any:
    """Whether a date with a time stands there, and its microseconds from 1970-01-01, in UTC where it has a zone."""
    if size < 19 or u8(data, at + 10) not in (_COLON, _BLANK, _T):
        return False, np.int64(0)
    shift = 0
    if has_zone:
        shift = _offset(data, at + size - 6, 6) if size >= 26 else 1 << 20
        size -= 7 if u8(data, at + size - 7) == _BLANK else 6
    day, clock = _date(data, at), _clock(data, at + 11, size - 11)
    if day <= _NO_DATE or clock < 0 or shift == 1 << 20 or (has_zone and not _FIRST_DAY <= day <= _LAST_DAY):
        return False, np.int64(0)
    return True, day * _DAY + clock - shift * _MINUTE


@njit(cache=CACHE, nogil=True)
def gather_moments(data: int, starts: Any, sizes: Any, little: Any, rules: Any, out: Any, valid: Any) -> Any:
    """Microseconds from 1970-01-01 of dates with a time; any other text is odd.

    ``rules``: whether values are prefixed, and whether they have a zone as an offset.
    """
    is_prefixed, has_zone = rules
    missing: Any = 0
    undecided: Any = 0
    for row in range(len(starts)):
        start, size = unprefixed(data, starts, sizes, little, is_prefixed, row)
        is_good, moment = _moment(data, start, size, has_zone)
        out[row] = moment
        if is_good:
            valid[row >> 3] |= 1 << (row & 7)
        else:
            missing += 1
            undecided += size >= 0 or size == UNDECIDED
    return missing, undecided


@njit(cache=CACHE, nogil=True)
def gather_dates(data: int, starts: Any, sizes: Any, little: Any, is_prefixed: int, out: Any, valid: Any) -> Any:
    """Days from 1970-01-01 of dates without a time; any other text is odd."""
    missing: Any = 0
    undecided: Any = 0
    for row in range(len(starts)):
        start, size = unprefixed(data, starts, sizes, little, is_prefixed, row)
        day = _date(data, start) if size == 10 else _NO_DATE
        out[row] = max(day, -(1 << 30))
        if day > _NO_DATE:
            valid[row >> 3] |= 1 << (row & 7)
        else:
            missing += 1
            undecided += size >= 0 or size == UNDECIDED
    return missing, undecided
