"""Which rows hold a value in one column: the columns of an image are walked over, and that one is compared in place.

``data`` is the address of the bytes; the image of a row fills them from its start to before its end, int64 both.
Conditions and verdicts are those of :mod:`.arguments`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.scan.kernels.arguments import (
    COMPARES_BYTES,
    COMPARES_CHARACTERS,
    COMPARES_DECIMALS,
    COMPARES_FLOATS,
    COMPARES_INTEGERS,
    COMPARES_INTERVALS,
    COMPARES_MOMENTS,
    COMPARES_NULLS,
    COMPARES_PACKED,
    COMPARES_TANDEM,
    COMPARES_TEXT,
    COMPARES_ZONED,
    CONDITION_SIZE,
    EQUAL,
    GREATER,
    HELD,
    LESS,
    NO_CHARACTER,
    NOT_HELD,
    OF_RECORD,
    OF_VALUE,
    Q_BYTES,
    Q_FLIP,
    Q_HIGH,
    Q_INDEX,
    Q_KIND,
    Q_LOW,
    Q_MOST,
    Q_NEGATED,
    Q_PREFIXED,
    Q_SCALE,
    Q_SHIFT,
    Q_SIGNS,
    Q_SIZE,
)
from trailformat.scan.kernels.columns import next_column
from trailformat.scan.kernels.constants import MOST_FIELDS
from trailformat.scan.kernels.loads import i64, inlined, load64, store8, store64, u8, u16, u32, u64
from trailformat.scan.kernels.stored import interval_at, packed_at, tandem_at, zoned_at
from trailformat.scan.kernels.written import DAY, NO_DATE, date_at, decimal_at, moment_at

_ALL_BUT_SIGN = 0x7FFFFFFFFFFFFFFF
_DATE_SIZE = 10
_BLANK, _SURROGATE = 32, 0xD800


@inlined
def _in_bounds(condition: int, number: int) -> Any:
    is_inside = i64(condition, 8 * Q_LOW) <= number <= i64(condition, 8 * Q_HIGH)
    return HELD if is_inside != (i64(condition, 8 * Q_NEGATED) != 0) else NOT_HELD


@inlined
def _of_integer(data: int, condition: int, start: int, size: int) -> Any:
    if size != i64(condition, 8 * Q_SCALE):
        return NOT_HELD
    if size == 8:
        number = np.int64(u64(data, start, 0))
    else:
        number = np.int64(u32(data, start, 0) if size == 4 else u16(data, start, 0))
    shift = i64(condition, 8 * Q_SHIFT)
    return _in_bounds(condition, ((number << shift) >> shift) ^ i64(condition, 8 * Q_FLIP))


@inlined
def _of_float(data: int, condition: int, start: int, size: int) -> Any:
    """By the bits, which order floats of one sign as they order numbers."""
    if size != i64(condition, 8 * Q_SCALE):
        return NOT_HELD
    bits: Any = np.int64(u64(data, start, 0)) if size == 8 else np.int64(u32(data, start, 0)) << 32
    if bits & np.int64(_ALL_BUT_SIGN) > i64(condition, 8 * Q_FLIP):
        return NOT_HELD
    ordered = bits if bits >= 0 else bits ^ np.int64(_ALL_BUT_SIGN)
    return _in_bounds(condition, ordered >> i64(condition, 8 * Q_SHIFT))


@inlined
def _of_tandem(data: int, condition: int, start: int, size: int) -> Any:
    return _in_bounds(condition, tandem_at(data, start, size)) if size == i64(condition, 8 * Q_SCALE) else NOT_HELD


@inlined
def _of_digits(data: int, condition: int, kind: int, start: int, size: int) -> Any:
    """By a number that is read digit by digit."""
    end, scale, shift = start + size, i64(condition, 8 * Q_SCALE), i64(condition, 8 * Q_SHIFT)
    if kind == COMPARES_DECIMALS:
        is_good, number = decimal_at(data, start, end, scale)
    elif kind == COMPARES_ZONED:
        is_good, number = zoned_at(data, start, end, i64(condition, 8 * Q_BYTES), scale, shift)
    elif kind == COMPARES_PACKED:
        is_good, number = packed_at(data, start, end)
    else:
        is_good, number = interval_at(data, start, end, scale, shift)
    return _in_bounds(condition, number) if is_good else OF_VALUE


@inlined
def _of_moment(data: int, condition: int, start: int, size: int) -> Any:
    """A date alone is its midnight, where no zone is sought."""
    has_zone = i64(condition, 8 * Q_SCALE)
    if size == _DATE_SIZE and has_zone == 0:
        day = date_at(data, start)
        return _in_bounds(condition, day * DAY) if day > NO_DATE else OF_VALUE
    is_good, moment = moment_at(data, start, size, has_zone)
    return _in_bounds(condition, moment) if is_good else OF_VALUE


@inlined
def _compared(data: int, at: int, size: int, other: int, other_size: int) -> Any:
    """LESS, EQUAL or GREATER than other bytes."""
    shorter = min(size, other_size)
    place = 0
    while place + 8 <= shorter and load64(data, at + place) == load64(other, place):
        place += 8
    while place < shorter:
        byte, beside = u8(data, at + place), u8(other, place)
        if byte != beside:
            return LESS if byte < beside else GREATER
        place += 1
    if size == other_size:
        return EQUAL
    return LESS if size < other_size else GREATER


@inlined
def _is_utf_8(data: int, at: int, end: int) -> Any:
    while at < end:
        byte = u8(data, at)
        if byte < 0x80:
            at += 1
            continue
        more = 1 if byte < 0xE0 else 2 if byte < 0xF0 else 3
        if byte < 0xC2 or byte > 0xF4 or at + more >= end:
            return False
        second = u8(data, at + 1)
        lowest = 0xA0 if byte == 0xE0 else 0x90 if byte == 0xF0 else 0x80
        highest = 0x9F if byte == 0xED else 0x8F if byte == 0xF4 else 0xBF
        if second < lowest or second > highest:
            return False
        for place in range(2, more + 1):
            if u8(data, at + place) >> 6 != 2:
                return False
        at += more + 1
    return True


@inlined
def _of_text(data: int, condition: int, start: int, size: int) -> Any:
    """By the bytes of UTF-8 without the blanks at their end; what is no text holds nothing."""
    end = start + size
    while end > start and u8(data, end - 1) == _BLANK:
        end -= 1
    signs = i64(condition, 8 * Q_SIGNS)
    is_like = _compared(data, start, end - start, i64(condition, 8 * Q_BYTES), i64(condition, 8 * Q_SIZE)) & signs
    if is_like == 0:
        return NOT_HELD
    return HELD if signs == EQUAL or _is_utf_8(data, start, end) else NOT_HELD


@inlined
def _character(data: int, at: int, width: int, order: int, table: int) -> Any:
    if width == 1:
        return u16(table, 2 * u8(data, at), 1)
    character = u16(data, at, order)
    return NO_CHARACTER if character & 0xF800 == _SURROGATE else character


@inlined
def _of_characters(data: int, condition: int, start: int, size: int) -> Any:
    """By the characters without the blanks at their end; half a character is left to the decoder."""
    width, order, table = i64(condition, 8 * Q_SCALE), i64(condition, 8 * Q_SHIFT), i64(condition, 8 * Q_BYTES)
    signs, other = i64(condition, 8 * Q_SIGNS), table + i64(condition, 8 * Q_FLIP)
    count, other_count = size // width, (i64(condition, 8 * Q_SIZE) - i64(condition, 8 * Q_FLIP)) // 2
    if count * width != size:
        return OF_VALUE
    while count > 0 and _character(data, start + width * (count - 1), width, order, table) == _BLANK:
        count -= 1
    found = EQUAL
    for place in range(count):
        character = _character(data, start + width * place, width, order, table)
        if character == NO_CHARACTER:
            return OF_VALUE
        if found == EQUAL:
            beside = u16(other, 2 * place, 1) if place < other_count else -1
            if character != beside:
                found = LESS if character < beside else GREATER
                if found & signs == 0:
                    return NOT_HELD
    if found == EQUAL and count < other_count:
        found = LESS
    return HELD if found & signs else NOT_HELD


@inlined
def _of_bytes(data: int, condition: int, start: int, size: int) -> Any:
    found = _compared(data, start, size, i64(condition, 8 * Q_BYTES), i64(condition, 8 * Q_SIZE))
    return HELD if found & i64(condition, 8 * Q_SIGNS) else NOT_HELD


@inlined
def _of_number(data: int, condition: int, kind: int, start: int, size: int) -> Any:
    if kind == COMPARES_INTEGERS:
        return _of_integer(data, condition, start, size)
    if kind == COMPARES_FLOATS:
        return _of_float(data, condition, start, size)
    if kind == COMPARES_TANDEM:
        return _of_tandem(data, condition, start, size)
    return _of_digits(data, condition, kind, start, size)


@inlined
def _of_value(data: int, condition: int, start: int, size: int) -> Any:
    """What is decided by the bytes behind the indicator and the length."""
    kind = i64(condition, 8 * Q_KIND)
    if kind <= COMPARES_INTERVALS:
        return _of_number(data, condition, kind, start, size)
    if kind == COMPARES_TEXT:
        return _of_text(data, condition, start, size)
    if kind == COMPARES_CHARACTERS:
        return _of_characters(data, condition, start, size)
    if kind == COMPARES_MOMENTS:
        return _of_moment(data, condition, start, size)
    return _of_bytes(data, condition, start, size) if kind == COMPARES_BYTES else OF_VALUE


@inlined
def _of_column(data: int, condition: int, start: int, size: int, order: int) -> Any:
    indicator = u16(data, start, 0) if size >= 2 else 1
    if i64(condition, 8 * Q_KIND) == COMPARES_NULLS:
        return HELD if (indicator == 0xFFFF) != (i64(condition, 8 * Q_NEGATED) != 0) else NOT_HELD
    if indicator != 0:
        return NOT_HELD
    start, size = start + 2, size - 2
    if i64(condition, 8 * Q_PREFIXED):
        if size < 2 or u16(data, start, order) != size - 2:
            return NOT_HELD
        start, size = start + 2, size - 2
    if size > i64(condition, 8 * Q_MOST):
        return NOT_HELD
    return _of_value(data, condition, start, size)


def hold(
    data: int, starts: int, ends: int, little: int, rows: int, chosen: int, conditions: int, verdicts: int, places: int
) -> int:
    """Fill ``verdicts``, uint8[rows], by the condition chosen for each row, int64[rows]; below 0 there is none.

    Of a row whose value has to be decoded, ``places``, int64[rows, 2], gets the place and the size of the column.
    Returns how many rows these are.
    """
    values = 0
    for row in range(rows):
        which = i64(chosen, 8 * row)
        if which < 0:
            store8(verdicts, row, NOT_HELD)
            continue
        condition = conditions + 8 * CONDITION_SIZE * which
        at, stop, order = i64(starts, 8 * row), i64(ends, 8 * row), u8(little, row)
        wanted = i64(condition, 8 * Q_INDEX)
        start: Any = np.int64(0)
        size: Any = np.int64(0)
        columns, found = 0, 0
        while at < stop and columns < MOST_FIELDS:
            index, at, length = next_column(data, at, stop, order)
            if index == wanted:
                start, size = at, length
                found += 1
            at += length
            columns += 1
        verdict = np.int64(NOT_HELD)
        if at != stop or found > 1:
            verdict = np.int64(OF_RECORD)
        elif found == 1:
            verdict = np.int64(_of_column(data, condition, start, size, order))
        if verdict == OF_VALUE:
            store64(places, 16 * row, start)
            store64(places, 16 * row + 8, size)
            values += 1
        store8(verdicts, row, verdict)
    return values
