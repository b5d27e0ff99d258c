"""Decimals by digits, Tandem's floating-point numbers and intervals, where they stand in the bytes.

Each reader says whether it is sure: what is out of the ordinary is left to the decoder.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.scan.kernels.arguments import AT_END, AT_FRONT, MINUS, NO_DIGIT
from trailformat.scan.kernels.loads import inlined, u8, u32, u64

_MOST = 10**16
"""A number that two more digits can be added to."""
_EXPONENT_BITS, _EXPONENTS = 9, 511
_DAY, _HOUR, _MINUTE, _SECOND = 86_400_000_000, 3_600_000_000, 60_000_000, 1_000_000
_FRACTION = 4
"""The last of the fields of an interval, of which days are 0."""
_DIGITS, _MOST_DIGITS = 6, 30
_NUL, _BLANK, _PLUS, _MINUS, _POINT, _COLON = 0, 32, 43, 45, 46, 58


@inlined
def zoned_at(data: int, at: int, end: int, tables: int, sign: int, is_separate: int) -> Any:
    """Whether digits stand there, one in a byte, and their number.

    ``tables`` is the address of three, uint8[3, 256]: plain digits, digits with a sign, signs. A byte with a sign
    stands AT_FRONT or AT_END, or nowhere; with ``is_separate`` it is no digit.
    """
    special = at if sign == AT_FRONT else end - 1 if sign == AT_END else -1
    number, is_minus, digits = np.int64(0), 0, 0
    for place in range(at, end):
        table = (2 if is_separate else 1) if place == special else 0
        digit = u8(tables, 256 * table + u8(data, place))
        if digit == NO_DIGIT or number >= _MOST:
            return False, number
        if table:
            is_minus = digit & MINUS
        if table != 2:
            number = 10 * number + (digit & 15)
            digits += 1
    return digits > 0, -number if is_minus else number


@inlined
def packed_at(data: int, at: int, end: int) -> Any:
    """Whether digits stand there, two in a byte, with a sign behind them, and their number."""
    number, sign = np.int64(0), 0
    for place in range(at, end):
        byte = u8(data, place)
        digit, sign = byte >> 4, byte & 15
        if digit > 9 or number >= _MOST or (sign > 9) != (place == end - 1):
            return False, number
        number = 10 * number + digit
        if sign <= 9:
            number = 10 * number + sign
    return at < end, -number if sign in (13, 11) else number


@inlined
def tandem_at(data: int, at: int, size: int) -> Any:
    """An integer that is ordered as Tandem's numbers of 4 or 8 bytes are, 0 for zero."""
    bits = np.int64(u64(data, at, 0)) if size == 8 else (np.int64(u32(data, at, 0)) << 32) >> 32
    fraction_bits = 8 * size - 1 - _EXPONENT_BITS
    fraction = (bits >> _EXPONENT_BITS) & ((np.int64(1) << fraction_bits) - 1)
    magnitude = (bits & _EXPONENTS) << fraction_bits | fraction
    return -1 - magnitude if bits < 0 else magnitude


@inlined
def _unit(field: int) -> Any:
    if field == 0:
        return np.int64(_DAY)
    if field == 1:
        return np.int64(_HOUR)
    return np.int64(_MINUTE) if field == 2 else np.int64(_SECOND)


@inlined
def _field_at(data: int, at: int, end: int, field: int) -> Any:
    """The place behind the digits of a field, and its microseconds; -1 where it is not read here."""
    number, digits = np.int64(0), 0
    while at < end:
        digit = u8(data, at) - 48
        if digit < 0 or digit > 9:
            break
        if digits < _DIGITS:
            number = 10 * number + digit
        elif field != _FRACTION or digit or digits == _MOST_DIGITS:
            return at, np.int64(-1)
        digits += 1
        at += 1
    if digits == 0:
        return at, np.int64(-1)
    if field != _FRACTION:
        return at, number * _unit(field)
    while digits < _DIGITS:
        number *= 10
        digits += 1
    return at, number


@inlined
def interval_at(data: int, at: int, end: int, first: int, last: int) -> Any:
    """Whether an interval of the fields from ``first`` to ``last`` stands there, and its microseconds.

    The fields are days, hours, minutes, seconds, fraction; the fraction may be missing.
    """
    while at < end and (u8(data, at) == _BLANK or u8(data, at) == _NUL):
        at += 1
    while at < end and (u8(data, end - 1) == _BLANK or u8(data, end - 1) == _NUL):
        end -= 1
    sign = u8(data, at) if at < end else 0
    if sign in (_PLUS, _MINUS):
        at += 1
        while at < end and u8(data, at) == _BLANK:
            at += 1
    total, field, is_good = np.int64(0), first, at < end
    while is_good:
        at, microseconds = _field_at(data, at, end, field)
        field += 1
        total += microseconds
        if microseconds < 0 or at == end:
            is_good = microseconds >= 0 and (field > last or (last == _FRACTION and field == last and first < last))
            break
        byte = u8(data, at)
        is_good = field <= last and byte in (_BLANK, _COLON, _POINT, _MINUS)
        at += 1
    return is_good, -total if sign == _MINUS else total
