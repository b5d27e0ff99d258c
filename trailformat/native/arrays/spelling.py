"""Kernels that spell values: numbers and dates as Python does, bytes in hex, texts as stored or with quotes doubled.

The texts around each value, and which values are undecided, are part of the description in :mod:`.arguments`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.arrays.arguments import (
    C_DATA,
    C_MOST,
    C_ROWS,
    FOUND_HIGH,
    FOUND_MISSING,
    FOUND_UNDECIDED,
    P_CLOSING,
    P_DOUBLES_QUOTES,
    P_FORM,
    P_IS_SIGNED,
    P_IS_UPPER,
    P_MOST,
    P_ODD,
    P_OPENING,
    P_OTHER_CLOSING,
    P_OTHER_OPENING,
    P_SCALE,
    P_TEXTS,
    P_WIDTH,
    SPARE,
    SPELL_BYTES,
    SPELL_DATES,
    SPELL_INTEGERS,
    SPELL_MOMENTS,
    SPELL_NUMBERS,
)
from trailformat.native.arrays.bytes import described, is_number, set_bit, value_of
from trailformat.native.arrays.written import DAY, NO_DATE, date_at, moment_at
from trailformat.native.loads import i64, inlined, load64, put64, store8, store32, store64, u8, u16, u32, u64
from trailformat.native.scan.arguments import UNDECIDED

_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_QUOTES, _BACKSLASHES = np.uint64(0x2727272727272727), np.uint64(0x5C5C5C5C5C5C5C5C)
_DELETES, _BLANKS = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x2020202020202020)
_QUOTE, _MINUS, _POINT, _ZERO, _BLANK = 39, 45, 46, 48, 32
_TEN = np.uint64(10)
_DATE_SIZE, _CLOCK_SIZE, _SECOND, _DECIMALS = 10, 8, 1_000_000, 6
LETTERS, CAPITALS = 87, 55
"""Added to a digit of 10 or more to get its letter."""


@inlined
def _zeros(word: Any) -> Any:
    """Return a word that is not 0 if a byte of ``word`` is 0."""
    return (word - _ONES) & ~word & _HIGHS


@inlined
def around(spelling: int, place: int, out: int, to: int) -> Any:
    """Copy a text of the spelling; return the end."""
    texts, offset, size = i64(spelling, 8 * P_TEXTS), i64(spelling, 8 * place), i64(spelling, 8 * place + 8)
    for done in range(0, size, SPARE):
        put64(out, to + done, load64(texts, offset + done))
    return to + size


@inlined
def _copied(data: int, offset: int, size: int, out: int, to: int) -> Any:
    """Copy bytes that may be the last of the data; return the end."""
    done = 0
    while done + SPARE <= size:
        put64(out, to + done, load64(data, offset + done))
        done += SPARE
    while done < size:
        store8(out, to + done, u8(data, offset + done))
        done += 1
    return to + size


@inlined
def bits_of(data: int, offset: int, size: int) -> Any:
    """Return the OR of bytes, in the bytes of a word."""
    bits, done = np.uint64(0), 0
    while done + SPARE <= size:
        bits |= load64(data, offset + done)
        done += SPARE
    while done < size:
        bits |= np.uint64(u8(data, offset + done))
        done += 1
    return bits


@inlined
def written_text(data: int, offset: int, size: int, spelling: int, out: int, to: int) -> Any:
    """Write a text; return the end, or -1 if one of its characters is odd."""
    odd, doubles_quotes, end = i64(spelling, 8 * P_ODD), i64(spelling, 8 * P_DOUBLES_QUOTES), offset + size
    if odd == 0 and doubles_quotes == 0:
        return _copied(data, offset, size, out, to)
    while offset < end:
        if offset + SPARE <= end:
            word = load64(data, offset)
            strange = _zeros(word ^ _QUOTES) | _zeros(word ^ _BACKSLASHES) | _zeros(word ^ _DELETES)
            if strange | ((word - _BLANKS) & ~word & _HIGHS) == np.uint64(0):
                put64(out, to, word)
                offset += SPARE
                to += SPARE
                continue
        byte = u8(data, offset)
        if odd and u8(odd, byte):
            return np.int64(-1)
        store8(out, to, byte)
        offset += 1
        to += 1
        if byte == _QUOTE and doubles_quotes:
            store8(out, to, byte)
            to += 1
    return to


@inlined
def written_hex(data: int, offset: int, size: int, letters: int, out: int, to: int) -> Any:
    """Write bytes in hex; return the end."""
    for place in range(offset, offset + size):
        byte = u8(data, place)
        high, low = byte >> 4, byte & 15
        store8(out, to, high + (_ZERO if high < 10 else letters))
        store8(out, to + 1, low + (_ZERO if low < 10 else letters))
        to += 2
    return to


@inlined
def _number(number: Any, is_minus: int, scale: int, out: int, to: int) -> Any:
    """Write a number times 10 to the power of ``-scale``; return the end."""
    if is_minus:
        store8(out, to, _MINUS)
        to += 1
    digits, rest = 1, number // _TEN
    while rest != np.uint64(0):
        digits += 1
        rest //= _TEN
    digits = max(digits, scale + 1)
    for place in range(digits):
        rest = number // _TEN
        offset = to + digits - 1 - place + (1 if place < scale else 0)
        store8(out, offset, _ZERO + np.int64(number - rest * _TEN))
        number = rest
    if scale:
        store8(out, to + digits - scale, _POINT)
        digits += 1
    return to + digits


@inlined
def _integer(data: int, offset: int, spelling: int, out: int, to: int) -> Any:
    """Write a big-endian integer; return the end."""
    width, is_signed = i64(spelling, 8 * P_WIDTH), i64(spelling, 8 * P_IS_SIGNED)
    if width == 8:
        number = np.int64(u64(data, offset, 0))
    else:
        number = np.int64(u32(data, offset, 0) if width == 4 else u16(data, offset, 0))
    if is_signed:
        number = (number << (64 - 8 * width)) >> (64 - 8 * width)
    is_minus = 1 if is_signed != 0 and number < 0 else 0
    magnitude = np.uint64(0) - np.uint64(number) if is_minus else np.uint64(number)
    return _number(magnitude, is_minus, i64(spelling, 8 * P_SCALE), out, to)


@inlined
def _moment(data: int, offset: int, fraction: int, out: int, to: int) -> Any:
    """Write a valid date with a time; return the end."""
    _copied(data, offset, _DATE_SIZE, out, to)
    store8(out, to + _DATE_SIZE, _BLANK)
    to = _copied(data, offset + _DATE_SIZE + 1, _CLOCK_SIZE, out, to + _DATE_SIZE + 1)
    if fraction:
        store8(out, to, _POINT)
        for place in range(_DECIMALS):
            store8(out, to + _DECIMALS - place, _ZERO + fraction % 10)
            fraction //= 10
        to += _DECIMALS + 1
    return to


@inlined
def _spelled_moment(data: int, offset: int, size: int, spelling: int, out: int, to: int) -> Any:
    """Write a moment and the texts around it; return the end, or -1 if it is invalid."""
    is_good, moment = moment_at(data, offset, size, 0)
    if not is_good:
        return np.int64(-1)
    fraction = moment % DAY % _SECOND
    to = around(spelling, P_OTHER_OPENING if fraction else P_OPENING, out, to)
    to = _moment(data, offset, fraction, out, to)
    return around(spelling, P_OTHER_CLOSING if fraction else P_CLOSING, out, to)


@inlined
def _spelled(data: int, offset: int, size: int, spelling: int, out: int, to: int) -> Any:
    """Write a value that is neither text nor a moment; return the end, or -1 if it is undecided."""
    form = i64(spelling, 8 * P_FORM)
    end: Any = np.int64(-1)
    begin = around(spelling, P_OPENING, out, to)
    if form == SPELL_BYTES:
        end = written_hex(data, offset, size, CAPITALS if i64(spelling, 8 * P_IS_UPPER) else LETTERS, out, begin)
    elif form == SPELL_INTEGERS:
        end = _integer(data, offset, spelling, out, begin) if size == i64(spelling, 8 * P_WIDTH) else np.int64(-1)
    elif form == SPELL_NUMBERS:
        end = _copied(data, offset, size, out, begin) if is_number(data, offset, offset + size) else np.int64(-1)
    elif form == SPELL_DATES and size == _DATE_SIZE and date_at(data, offset) > NO_DATE:
        end = _copied(data, offset, size, out, begin)
    return around(spelling, P_CLOSING, out, end) if end >= 0 else end


@inlined
def _spelled_text(place: Any, spelling: int, is_high: int, out: int, to: int) -> Any:
    """Write a text and the texts around it; return the end, or -1 if one of its characters is odd."""
    data, offset, size = place
    to = around(spelling, P_OTHER_OPENING if is_high else P_OPENING, out, to)
    end = written_text(data, offset, size, spelling, out, to)
    return around(spelling, P_OTHER_CLOSING if is_high else P_CLOSING, out, end) if end >= 0 else end


def spell_values(column: int, spelling: int, offsets: int, valid: int, out: int, results: int) -> Any:
    """Write values to ``out``, followed by SPARE bytes, and their ``offsets``, int32; undecided values are empty.

    ``results``, int64[3], gets the number of missing values, how many of them are undecided, to be written one by one,
    and whether texts have bytes beyond ASCII. Return the end of the last value.
    """
    about, data = described(column), i64(column, 8 * C_DATA)
    most, form = min(i64(column, 8 * C_MOST), i64(spelling, 8 * P_MOST)), i64(spelling, 8 * P_FORM)
    missing, undecided, highs = 0, 0, np.uint64(0)
    end: Any = np.int64(0)
    store32(offsets, 0, 0)
    for row in range(i64(column, 8 * C_ROWS)):
        offset, size = value_of(about, row)
        to = np.int64(-1)
        if 0 <= size <= most:
            if form < SPELL_MOMENTS:
                to = _spelled(data, offset, size, spelling, out, end)
            elif form == SPELL_MOMENTS:
                to = _spelled_moment(data, offset, size, spelling, out, end)
            else:
                high = bits_of(data, offset, size) & _HIGHS
                to = _spelled_text((data, offset, size), spelling, 1 if high != np.uint64(0) else 0, out, end)
                highs |= high if to >= 0 else np.uint64(0)
        if to >= 0:
            end = to
            set_bit(valid, row)
        else:
            missing += 1
            undecided += 1 if size >= 0 or size == UNDECIDED else 0
        store32(offsets, 4 * (row + 1), end)
    store64(results, 8 * FOUND_MISSING, missing)
    store64(results, 8 * FOUND_UNDECIDED, undecided)
    store64(results, 8 * FOUND_HIGH, 1 if highs != np.uint64(0) else 0)
    return end
