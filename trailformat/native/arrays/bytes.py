"""Kernels for concatenated values; ``column`` is described in :mod:`.arguments`."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.arrays.arguments import (
    C_DATA,
    C_DATA_END,
    C_LITTLE,
    C_MOST,
    C_OFFSETS,
    C_PREFIXED,
    C_ROWS,
    C_SIZES,
    C_STARTS,
    C_VALID,
    C_WIDE,
    NUMBERS,
    SPARE,
)
from trailformat.native.loads import i32, i64, inlined, load64, put64, store8, store32, store64, u8, u16
from trailformat.native.scan.arguments import NULL, UNDECIDED


def join_runs(runs: int, count: int, out: int) -> Any:
    """Copy runs, int64[count, 2] of addresses and sizes, to ``out``, whose size is their total. Return the end."""
    to: Any = np.int64(0)
    for number in range(count):
        data, size, offset = i64(runs, 16 * number), i64(runs, 16 * number + 8), 0
        while offset + SPARE <= size:
            put64(out, to + offset, load64(data, offset))
            offset += SPARE
        while offset < size:
            store8(out, to + offset, u8(data, offset))
            offset += 1
        to += size
    return to


_HIGH_BITS = 0x8080808080808080
_MOST_DIGITS = 200
_MINUS, _POINT, _ZERO, _NINE = 45, 46, 48, 57


@inlined
def number_at(numbers: int, row: int, wide: int) -> Any:
    """Return the number of a row, a start or a size."""
    return i64(numbers, 8 * row) if wide else i32(numbers, 4 * row)


@inlined
def described(column: int) -> Any:
    """Return the argument of ``value_of``, read once: data, starts, sizes, orders; whether wide, whether prefixed."""
    arrays = i64(column, 8 * C_DATA), i64(column, 8 * C_STARTS), i64(column, 8 * C_SIZES), i64(column, 8 * C_LITTLE)
    return arrays, i64(column, 8 * C_WIDE), i64(column, 8 * C_PREFIXED)


@inlined
def value_of(about: Any, row: int) -> Any:
    """Return the place of a row's value after its length, and its size: UNDECIDED if the length does not match."""
    (data, starts, sizes, orders), wide, is_prefixed = about
    start, size = number_at(starts, row, wide), number_at(sizes, row, wide)
    if size < 0 or is_prefixed == 0:
        return start, size
    is_right = size >= 2 and u16(data, start, u8(orders, row)) == size - 2
    return start + 2, size - 2 if is_right else np.int64(UNDECIDED)


@inlined
def code_at(data: int, offset: int) -> Any:
    """Return the character beyond ASCII that begins here in UTF-8, and the number of its bytes."""
    byte = u8(data, offset)
    if byte < 0xE0:
        return ((byte & 0x1F) << 6) | (u8(data, offset + 1) & 0x3F), 2
    if byte < 0xF0:
        return ((byte & 0x0F) << 12) | ((u8(data, offset + 1) & 0x3F) << 6) | (u8(data, offset + 2) & 0x3F), 3
    high = ((byte & 0x07) << 18) | ((u8(data, offset + 1) & 0x3F) << 12)
    return high | ((u8(data, offset + 2) & 0x3F) << 6) | (u8(data, offset + 3) & 0x3F), 4


@inlined
def set_bit(bits: int, row: int) -> None:
    """Set the bit of a row."""
    store8(bits, row >> 3, u8(bits, row >> 3) | (1 << (row & 7)))


@inlined
def not_taken(counts: Any, size: int) -> Any:
    """Return the counts of rows without a value and of undecided rows, after one more row, which has this size."""
    missing, undecided = counts
    return missing + 1, undecided + (1 if size >= 0 or size == UNDECIDED else 0)


def unmarked(data: int, starts: int, sizes: int, rows: int) -> int:
    """Skip the indicator of each value, int64[rows] both; sizes become NULL or UNDECIDED as the indicator says."""
    for row in range(rows):
        start, size = i64(starts, 8 * row), i64(sizes, 8 * row)
        indicator = u16(data, start, 0) if size >= 2 else 1
        store64(starts, 8 * row, start + 2)
        store64(sizes, 8 * row, size - 2 if indicator == 0 else NULL if indicator == 0xFFFF else UNDECIDED)
    return rows


@inlined
def is_number(data: int, offset: int, end: int) -> Any:
    """Return whether the bytes are ``[-]digits[.digits]`` without superfluous leading zeros."""
    if end - offset > _MOST_DIGITS:
        return False
    if offset < end and u8(data, offset) == _MINUS:
        offset += 1
    first = offset
    point = -1
    while offset < end:
        byte = u8(data, offset)
        if byte == _POINT and point < 0:
            point = offset
        elif byte < _ZERO or byte > _NINE:
            return False
        offset += 1
    whole = (point if point >= 0 else end) - first
    return whole > 0 and point != end - 1 and (whole == 1 or u8(data, first) != _ZERO)


@inlined
def _copied(data: int, offset: int, size: int, is_last: int, out: Any) -> Any:
    """Copy a value, by words unless it is the last in the data; return the OR of its words.

    The bytes after the value in the last word are overwritten by the next value.
    """
    bits, done = np.uint64(0), 0
    while done + SPARE <= size:
        word = load64(data, offset + done)
        bits |= word
        put64(out, done, word)
        done += SPARE
    if done < size and is_last == 0:
        word = load64(data, offset + done)
        put64(out, done, word)
        return bits | (word & ((np.uint64(1) << np.uint64(8 * (size - done))) - np.uint64(1)))
    while done < size:
        byte = u8(data, offset + done)
        bits |= np.uint64(byte)
        store8(out, done, byte)
        done += 1
    return bits


@inlined
def take_bytes(column: int, form: int, out: int) -> Any:
    """Copy values to ``out``, with SPARE bytes after them.

    Return the numbers of missing and undecided values, the end of the values, and whether a byte is beyond ASCII.
    """
    about, data, most = described(column), i64(column, 8 * C_DATA), i64(column, 8 * C_MOST)
    data_end, offsets, valid = i64(column, 8 * C_DATA_END), i64(column, 8 * C_OFFSETS), i64(column, 8 * C_VALID)
    end, counts, bits = np.int64(0), (0, 0), np.uint64(0)
    store32(offsets, 0, 0)
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = value_of(about, row)
        if size > most or (size >= 0 and form == NUMBERS and not is_number(data, start, start + size)):
            size = np.int64(UNDECIDED)
        if size >= 0:
            set_bit(valid, row)
            bits |= _copied(data, start, size, start + size + SPARE > data_end, out + end)
            end += size
        else:
            counts = not_taken(counts, size)
        store32(offsets, 4 * (row + 1), end)
    return counts, end, bits & np.uint64(_HIGH_BITS) != np.uint64(0)


def drop_high_bytes(column: int) -> int:
    """Set the sizes of all values that hold a byte beyond ASCII after their length to UNDECIDED."""
    data, starts, sizes = i64(column, 8 * C_DATA), i64(column, 8 * C_STARTS), i64(column, 8 * C_SIZES)
    skip, wide = 2 * i64(column, 8 * C_PREFIXED), i64(column, 8 * C_WIDE)
    for row in range(i64(column, 8 * C_ROWS)):
        start, size = number_at(starts, row, wide), number_at(sizes, row, wide)
        for offset in range(start + skip, start + size):
            if u8(data, offset) >= 0x80:
                if wide:
                    store64(sizes, 8 * row, UNDECIDED)
                else:
                    store32(sizes, 4 * row, UNDECIDED)
                break
    return 0
