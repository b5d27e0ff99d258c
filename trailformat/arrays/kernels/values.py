"""Values that become numbers: integers, decimals, dates. See :mod:`.bytes` for what the kernels take."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.arrays.kernels.arguments import C_DATA, C_MOST, C_ROWS
from trailformat.arrays.kernels.bytes import described, not_taken, set_bit, value_of
from trailformat.scan.kernels.arguments import UNDECIDED
from trailformat.scan.kernels.loads import i64, inlined, store16, store32, store64, u16, u32, u64
from trailformat.scan.kernels.written import NO_DATE, date_at, decimal_at, moment_at


@inlined
def _integers(column: int, width: int, out: int, valid: int) -> Any:
    about, data, result = described(column), i64(column, 8 * C_DATA), 0
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        number = np.int64(0)
        if size == width:
            set_bit(valid, row)
            if width == 8:
                number = np.int64(u64(data, start, 0))
            else:
                number = u32(data, start, 0) if width == 4 else u16(data, start, 0)
        else:
            result += not_taken(size)
        if width == 8:
            store64(out, 8 * row, number)
        elif width == 4:
            store32(out, 4 * row, number)
        else:
            store16(out, 2 * row, number)
    return result


def gather_integers(column: int, width: int, out: int, valid: int) -> Any:
    """Big-endian integers of ``width`` bytes, into an array of signed ones; a loop for each width is faster."""
    if width == 8:
        return _integers(column, 8, out, valid)
    return _integers(column, 4, out, valid) if width == 4 else _integers(column, 2, out, valid)


def gather_decimals(column: int, scale: int, out: int, valid: int) -> int:
    """Numbers of a fixed scale that are written as text, as 128 bits in two words each; long ones are not taken."""
    about, data = described(column), i64(column, 8 * C_DATA)
    most, result = i64(column, 8 * C_MOST), 0
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        low = np.int64(0)
        if 0 <= size <= most:
            is_good, number = decimal_at(data, start, start + size, scale)
            if is_good:
                low = number
                set_bit(valid, row)
            else:
                result += not_taken(UNDECIDED)
        else:
            result += not_taken(size)
        store64(out, 16 * row, low)
        store64(out, 16 * row + 8, low >> 63)
    return result


def gather_moments(column: int, has_zone: int, out: int, valid: int) -> int:
    """Microseconds from 1970-01-01 of dates with a time, in UTC where they have a zone; no other text is taken."""
    about, data, result = described(column), i64(column, 8 * C_DATA), 0
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        is_good, moment = moment_at(data, start, size, has_zone)
        store64(out, 8 * row, moment)
        if is_good:
            set_bit(valid, row)
        else:
            result += not_taken(size)
    return result


def gather_dates(column: int, out: int, valid: int) -> int:
    """Days from 1970-01-01 of dates without a time; no other text is taken."""
    about, data, result = described(column), i64(column, 8 * C_DATA), 0
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        day = date_at(data, start) if size == 10 else NO_DATE
        store32(out, 4 * row, max(day, -(1 << 30)))
        if day > NO_DATE:
            set_bit(valid, row)
        else:
            result += not_taken(size)
    return result
