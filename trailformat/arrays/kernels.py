"""Columns of many rows at once: numba's kernels over the bytes of a batch.

``data`` is the address of the bytes; offsets count from it. ``starts`` and ``sizes`` have a row per column of the
table and a column per row: where the value behind the indicator stands, and its size, or ABSENT, NULL, ODD.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, njit

from trailformat.scan.kernel_loads import load64, store8, store64, u8, u16, u32, u64

CACHE = bool(config.CACHE_DIR)
"""Whether numba keeps what it compiles; see numba_cache."""

ABSENT, NULL, ODD = -1, -2, -3
"""Sizes of columns that an image does not have, that are NULL, and whose indicator is neither 0000 nor ffff."""
GOOD, BROKEN, BEYOND = range(3)
"""What the data of a row is: columns; not columns; columns, one of them with an index beyond the table's."""
SPARE = 8
"""Bytes of a word."""
LONGEST_NUMBER = 200
"""Numbers of more characters are decoded by themselves."""
_DAY = 86_400_000_000


@njit(cache=CACHE, nogil=True)
def _walk(data: int, at: int, end: int, little: int, row: int, starts: Any, sizes: Any) -> Any:
    """Note the columns between two offsets."""
    found = GOOD
    while at < end:
        if end - at < 4:
            return BROKEN
        index, length = u16(data, at, little), u16(data, at + 2, little)
        if length > end - at - 4:
            return BROKEN
        if index >= sizes.shape[0]:
            found = BEYOND
        else:
            starts[index, row] = at + 6
            indicator = u16(data, at + 4, 0) if length >= 2 else 1
            sizes[index, row] = length - 2 if indicator == 0 else NULL if indicator == 0xFFFF else ODD
        at += 4 + length
    return found


@njit(cache=CACHE, nogil=True)
def locate(data: int, offsets: Any, lengths: Any, little: Any, prefixes: Any, befores: Any, images: Any) -> Any:
    """Fill ``starts`` and ``sizes`` of the before and the after image; returns what the data of each row is.

    ``prefixes``: size of the length in front of a before image, 0 where there is one image (before if ``befores``).
    """
    starts_before, sizes_before, starts_after, sizes_after = images
    states = np.zeros(len(offsets), np.uint8)
    for row in range(len(offsets)):
        at, end, order = offsets[row], offsets[row] + lengths[row], np.int64(little[row])
        prefix = np.int64(prefixes[row])
        if prefix == 0:
            if befores[row]:
                states[row] = _walk(data, at, end, order, row, starts_before, sizes_before)
            else:
                states[row] = _walk(data, at, end, order, row, starts_after, sizes_after)
            continue
        if end - at < prefix:
            states[row] = BROKEN
            continue
        size = u16(data, at, order) if prefix == 2 else u32(data, at, order)
        at += prefix
        if size > end - at:
            states[row] = BROKEN
            continue
        first = _walk(data, at, at + size, order, row, starts_before, sizes_before)
        second = _walk(data, at + size, end, order, row, starts_after, sizes_after)
        states[row] = BROKEN if BROKEN in (first, second) else max(first, second)
    return states


@njit(cache=CACHE, nogil=True)
def place_values(sizes: Any, offsets: Any) -> Any:
    """Fill ``offsets``, one more than values, with where each begins when they stand one behind the other."""
    end = np.int64(0)
    for row in range(len(sizes)):
        end += max(sizes[row], 0)
        offsets[row + 1] = end
    return end


@njit(cache=CACHE, nogil=True)
def gather_bytes(data: int, end: int, starts: Any, offsets: Any, out: int) -> None:
    """Copy the values to these offsets of ``out``, an address with SPARE bytes behind the last.

    ``data`` ends at ``end``. Words are copied: what they hold behind a value, the next value is written over.
    """
    for row in range(len(starts)):
        begin, start = np.int64(offsets[row]), starts[row]
        size = np.int64(offsets[row + 1]) - begin
        if start + size + SPARE > end:
            for at in range(size):
                store8(out, begin + at, u8(data, start + at))
            continue
        at = 0
        while at < size:
            store64(out, begin + at, np.int64(load64(data, start + at)))
            at += SPARE


@njit(cache=CACHE, nogil=True)
def unprefixed(data: int, starts: Any, sizes: Any, little: Any, odd: Any) -> None:
    """Step over the 2-byte length in front of each value; ``odd`` where it is not theirs."""
    for row in range(len(starts)):
        if sizes[row] < 0:
            continue
        if sizes[row] < 2 or u16(data, starts[row], np.int64(little[row])) != sizes[row] - 2:
            odd[row] = True
            continue
        starts[row] += 2
        sizes[row] -= 2


@njit(cache=CACHE, nogil=True)
def unmarked(data: int, starts: Any, sizes: Any) -> None:
    """Step over the indicator in front of each value; sizes become NULL or ODD by it."""
    for row in range(len(starts)):
        indicator = u16(data, starts[row], 0) if sizes[row] >= 2 else 1
        starts[row] += 2
        sizes[row] = sizes[row] - 2 if indicator == 0 else NULL if indicator == 0xFFFF else ODD


@njit(cache=CACHE, nogil=True)
def unwritten_numbers(data: int, starts: Any, sizes: Any, odd: Any) -> None:
    """Find the values that are not just digits, with a minus and a point perhaps, as a Decimal is written.

    Zeros in front, a plus, an exponent, blanks: such a number is odd.
    """
    for row in range(len(starts)):
        at, end = starts[row], starts[row] + sizes[row]
        if at < end and u8(data, at) == 45:
            at += 1
        first = u8(data, at) if at < end else 0
        begun, point, is_plain = at, np.int64(-1), sizes[row] <= LONGEST_NUMBER
        while at < end and is_plain:
            byte = u8(data, at)
            if byte == 46 and point < 0:
                point = at
            elif byte < 48 or byte > 57:
                is_plain = False
            at += 1
        whole = (point if point >= 0 else end) - begun
        if sizes[row] >= 0 and not (is_plain and whole > 0 and point != end - 1 and (whole == 1 or first != 48)):
            odd[row] = True


@njit(cache=CACHE, nogil=True)
def has_high_bytes(data: Any, starts: Any, sizes: Any) -> Any:
    """Which values hold a byte beyond ASCII."""
    high = np.zeros(len(starts), np.bool_)
    for row in range(len(starts)):
        for at in range(starts[row], starts[row] + max(sizes[row], 0)):
            high[row] |= data[at] >= 0x80
    return high


@njit(cache=CACHE, nogil=True)
def gather_integers(data: int, starts: Any, sizes: Any, width: int, signed: bool, out: Any, odd: Any) -> None:  # noqa: FBT001 - numba's signatures have no keywords
    """Big-endian integers of ``width`` bytes."""
    for row in range(len(starts)):
        if sizes[row] < 0:
            continue
        if sizes[row] != width:
            odd[row] = True
        elif width == 8:
            out[row] = np.int64(u64(data, starts[row], 0))
        else:
            value = u32(data, starts[row], 0) if width == 4 else u16(data, starts[row], 0)
            limit = np.int64(1) << (8 * width - 1)
            out[row] = value - 2 * limit if signed and value >= limit else value


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
    if year < 1 or month < 1 or month > 12 or day < 1 or u8(data, at + 4) != 45 or u8(data, at + 7) != 45:
        return -(1 << 40)
    is_leap = (year % 4 == 0 and year % 100 != 0) or year % 400 == 0
    most = 30 + (month + (month > 7)) % 2 - (month == 2) * (1 if is_leap else 2)
    return _days(year, month, day) if day <= most else -(1 << 40)


@njit(cache=CACHE, nogil=True)
def _clock(data: int, at: int, size: int) -> Any:
    """Microseconds of ``15:33:00`` or ``15:33:00.123456``, or -1; nanoseconds only when they are zeros."""
    if size < 8 or u8(data, at + 2) != 58 or u8(data, at + 5) != 58:
        return -1
    hour, minute, second = _digits(data, at, 2), _digits(data, at + 3, 2), _digits(data, at + 6, 2)
    if min(hour, minute, second) < 0 or hour > 23 or minute > 59 or second > 59:
        return -1
    fraction, scale = np.int64(0), np.int64(1_000_000)
    if size > 8:
        if size == 9 or size > 18 or u8(data, at + 8) != 46:
            return -1
        for place in range(9, size):
            digit = _digits(data, at + place, 1)
            if digit < 0 or (scale == 1 and digit > 0):
                return -1
            if scale > 1:
                fraction, scale = fraction * 10 + digit, scale // 10
    return ((hour * 60 + minute) * 60 + second) * 1_000_000 + fraction * scale


@njit(cache=CACHE, nogil=True)
def gather_moments(data: int, starts: Any, sizes: Any, out: Any, odd: Any) -> None:
    """Microseconds from 1970-01-01 of dates with a time; any other text is odd."""
    for row in range(len(starts)):
        size, at = sizes[row], starts[row]
        if size < 0:
            continue
        separator = u8(data, at + 10) if size >= 19 else 0
        if separator not in (58, 32, 84):
            odd[row] = True
            continue
        day, clock = _date(data, at), _clock(data, at + 11, size - 11)
        if day < -(1 << 39) or clock < 0:
            odd[row] = True
        else:
            out[row] = day * _DAY + clock


@njit(cache=CACHE, nogil=True)
def gather_dates(data: int, starts: Any, sizes: Any, out: Any, odd: Any) -> None:
    """Days from 1970-01-01 of dates without a time; any other text is odd."""
    for row in range(len(starts)):
        if sizes[row] < 0:
            continue
        day = _date(data, starts[row]) if sizes[row] == 10 else -(1 << 40)
        if day < -(1 << 39):
            odd[row] = True
        else:
            out[row] = day
