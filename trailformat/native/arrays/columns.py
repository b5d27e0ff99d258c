"""Kernels that turn columns of values into the buffers of arrays; their description is in :mod:`.arguments`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.arrays.arguments import (
    ALIGNED,
    BYTES,
    C_DATA,
    C_FORM,
    C_MOST,
    C_OUT,
    C_ROWS,
    C_SCALE,
    C_VALID,
    COLUMN_SIZE,
    DATES,
    DECIMALS,
    INTEGERS_2,
    INTEGERS_4,
    INTEGERS_8,
    MOMENTS,
    NUMBERS,
    R_HIGH,
    R_MISSING,
    R_SIZE,
    R_UNDECIDED,
    RESULT_SIZE,
    WIDE_4,
    WIDE_8,
)
from trailformat.native.arrays.bytes import described, not_taken, set_bit, take_bytes, value_of
from trailformat.native.arrays.written import NO_DATE, date_at, decimal_at, moment_at
from trailformat.native.loads import i64, inlined, store8, store16, store32, store64, u16, u32, u64
from trailformat.native.scan.arguments import UNDECIDED


@inlined
def take_integers(column: int, width: int, are_wide: int) -> Any:
    """Convert big-endian integers of ``width`` bytes, into as many, or sign-extended into 16."""
    about, data, counts = described(column), i64(column, 8 * C_DATA), (0, 0)
    out, valid = i64(column, 8 * C_OUT), i64(column, 8 * C_VALID)
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        number = np.int64(0)
        if size == width:
            set_bit(valid, row)
            if width == 8:
                number = np.int64(u64(data, start, 0))
            else:
                number = np.int64(u32(data, start, 0) if width == 4 else u16(data, start, 0))
        else:
            counts = not_taken(counts, size)
        if are_wide:
            number = (number << (64 - 8 * width)) >> (64 - 8 * width)
            store64(out, 16 * row, number)
            store64(out, 16 * row + 8, number >> 63)
        elif width == 8:
            store64(out, 8 * row, number)
        elif width == 4:
            store32(out, 4 * row, number)
        else:
            store16(out, 2 * row, number)
    return counts


@inlined
def take_decimals(column: int) -> Any:
    """Convert numbers of a fixed scale written as text to 128 bits, in two words each; long ones are undecided."""
    about, data, counts = described(column), i64(column, 8 * C_DATA), (0, 0)
    out, valid = i64(column, 8 * C_OUT), i64(column, 8 * C_VALID)
    scale, most = i64(column, 8 * C_SCALE), i64(column, 8 * C_MOST)
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        low = np.int64(0)
        if 0 <= size <= most:
            is_good, number = decimal_at(data, start, start + size, scale)
            if is_good:
                low = number
                set_bit(valid, row)
            else:
                counts = not_taken(counts, UNDECIDED)
        else:
            counts = not_taken(counts, size)
        store64(out, 16 * row, low)
        store64(out, 16 * row + 8, low >> 63)
    return counts


@inlined
def take_moments(column: int) -> Any:
    """Convert dates with a time to microseconds since 1970-01-01, in UTC if they have a zone; others are undecided."""
    about, data, counts = described(column), i64(column, 8 * C_DATA), (0, 0)
    out, valid, has_zone = i64(column, 8 * C_OUT), i64(column, 8 * C_VALID), i64(column, 8 * C_SCALE)
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        is_good, moment = moment_at(data, start, size, has_zone)
        store64(out, 8 * row, moment)
        if is_good:
            set_bit(valid, row)
        else:
            counts = not_taken(counts, size)
    return counts


@inlined
def take_dates(column: int) -> Any:
    """Convert dates without a time to days since 1970-01-01; others are undecided."""
    about, data, counts = described(column), i64(column, 8 * C_DATA), (0, 0)
    out, valid = i64(column, 8 * C_OUT), i64(column, 8 * C_VALID)
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        day = date_at(data, start) if size == 10 else NO_DATE
        store32(out, 4 * row, max(day, -(1 << 30)))
        if day > NO_DATE:
            set_bit(valid, row)
        else:
            counts = not_taken(counts, size)
    return counts


@inlined
def _integers(column: int, form: int) -> Any:
    """Call one loop per width, which is faster."""
    if form == INTEGERS_8:
        return take_integers(column, 8, 0)
    if form == INTEGERS_4:
        return take_integers(column, 4, 0)
    if form == INTEGERS_2:
        return take_integers(column, 2, 0)
    if form == WIDE_8:
        return take_integers(column, 8, 1)
    return take_integers(column, 4, 1) if form == WIDE_4 else take_integers(column, 2, 1)


@inlined
def _numbers(column: int, form: int) -> Any:
    if form == DECIMALS:
        return take_decimals(column)
    if form == MOMENTS:
        return take_moments(column)
    return take_dates(column) if form == DATES else _integers(column, form)


def make_columns(table: int, count: int, texts: int, results: int) -> Any:
    """Make the columns described in ``table``, int64[count, COLUMN_SIZE]; BYTES and NUMBERS go to ``texts`` in turn.

    Fill ``results``, int64[count, RESULT_SIZE]. ``texts`` has room for all texts, ALIGNED bytes for each column, and
    SPARE.
    """
    end: Any = np.int64(0)
    for number in range(count):
        column, result = table + 8 * COLUMN_SIZE * number, results + 8 * RESULT_SIZE * number
        for offset in range((i64(column, 8 * C_ROWS) + 7) >> 3):
            store8(i64(column, 8 * C_VALID), offset, 0)
        form, size, is_high = i64(column, 8 * C_FORM), np.int64(0), False
        if form == BYTES:
            counts, size, is_high = take_bytes(column, BYTES, texts + end)
        elif form == NUMBERS:
            counts, size, is_high = take_bytes(column, NUMBERS, texts + end)
        else:
            counts = _numbers(column, form)
        store64(result, 8 * R_MISSING, counts[0])
        store64(result, 8 * R_UNDECIDED, counts[1])
        store64(result, 8 * R_SIZE, size)
        store64(result, 8 * R_HIGH, is_high)
        end = (end + size + ALIGNED - 1) & -ALIGNED
    return end
