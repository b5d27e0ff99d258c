"""Values that are bytes, out of the rows and one behind the other: numba's kernels.

The values of a column stand at ``starts`` from the address ``data`` and have ``sizes``, below 0: there is none. With
``is_prefixed`` each begins with its own length in 2 bytes, in the order that ``little`` tells for its row.

A kernel sets a bit of ``valid`` for each row whose value it has taken, and returns how many it has not: those without a
value, and among them those that must be decoded one by one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from trailformat.arrays.kernels import CACHE, NULL, UNDECIDED
from trailformat.scan.kernels.loads import load64, store8, store64, u8, u16

SPARE = 8
"""Bytes of a word."""
ANY_BYTES, NUMBERS = range(2)
"""What values must be: bytes; or numbers as Python writes them, without exponent."""
_HIGH_BITS = 0x8080808080808080
_MOST_DIGITS = 200
_MINUS, _POINT, _ZERO, _NINE = 45, 46, 48, 57


@njit(cache=CACHE, nogil=True)
def unprefixed(data: int, starts: Any, sizes: Any, little: Any, is_prefixed: int, row: int) -> Any:
    """Where the value of a row begins behind its length, and its size: UNDECIDED where the length is another."""
    start, size = np.int64(starts[row]), np.int64(sizes[row])
    if size < 0 or not is_prefixed:
        return start, size
    is_right = size >= 2 and u16(data, start, np.int64(little[row])) == size - 2
    return start + 2, size - 2 if is_right else np.int64(UNDECIDED)


@njit(cache=CACHE, nogil=True)
def unmarked(data: int, starts: Any, sizes: Any) -> None:
    """Step over the indicator in front of each value; sizes become NULL or UNDECIDED by it."""
    for row in range(len(starts)):
        indicator = u16(data, starts[row], 0) if sizes[row] >= 2 else 1
        starts[row] += 2
        sizes[row] = sizes[row] - 2 if indicator == 0 else NULL if indicator == 0xFFFF else UNDECIDED


@njit(cache=CACHE, nogil=True)
def _is_number(data: int, at: int, end: int) -> Any:
    """Whether ``[-]digits[.digits]`` stands there, without a zero that could be left out in front."""
    if end - at > _MOST_DIGITS:
        return False
    if at < end and u8(data, at) == _MINUS:
        at += 1
    first: Any = at
    point: Any = -1
    while at < end:
        byte = u8(data, at)
        if byte == _POINT and point < 0:
            point = at
        elif byte < _ZERO or byte > _NINE:
            return False
        at += 1
    whole = (point if point >= 0 else end) - first
    return whole > 0 and point != end - 1 and (whole == 1 or u8(data, first) != _ZERO)


@njit(cache=CACHE, nogil=True)
def place_values(data: int, starts: Any, sizes: Any, little: Any, rules: Any, offsets: Any, valid: Any) -> Any:
    """Fill ``offsets``, one more than values, with where each begins when they stand one behind the other.

    ``rules``: whether values are prefixed, how many bytes one has at most, and what it must be.
    """
    is_prefixed, most, form = rules
    end: Any = np.int64(0)
    missing: Any = 0
    undecided: Any = 0
    for row in range(len(sizes)):
        start, size = unprefixed(data, starts, sizes, little, is_prefixed, row)
        if size > most or (size >= 0 and form == NUMBERS and not _is_number(data, start, start + size)):
            size = UNDECIDED
        if size >= 0:
            valid[row >> 3] |= 1 << (row & 7)
            end += size
        else:
            missing += 1
            undecided += size == UNDECIDED
        offsets[row + 1] = end
    return missing, undecided


@njit(cache=CACHE, nogil=True)
def gather_bytes(data: int, end: int, starts: Any, skip: int, offsets: Any, out: int) -> Any:
    """Copy the values to these offsets of ``out``, an address with SPARE bytes behind the last; ``skip``: their length.

    ``data`` ends at ``end``. Words are copied: what they hold behind a value, the next value is written over. Returns
    whether there is a byte beyond ASCII.
    """
    found = np.uint64(0)
    for row in range(len(starts)):
        begin, start = np.int64(offsets[row]), np.int64(starts[row]) + skip
        size = np.int64(offsets[row + 1]) - begin
        if size > 0 and start + size + SPARE > end:
            for at in range(size):
                byte = u8(data, start + at)
                found |= np.uint64(byte)
                store8(out, begin + at, byte)
            continue
        at = 0
        while at + SPARE <= size:
            word = load64(data, start + at)
            found |= word
            store64(out, begin + at, np.int64(word))
            at += SPARE
        if at < size:
            word = load64(data, start + at)
            found |= word & ((np.uint64(1) << np.uint64(8 * (size - at))) - np.uint64(1))
            store64(out, begin + at, np.int64(word))
    return found & np.uint64(_HIGH_BITS) != 0


@njit(cache=CACHE, nogil=True)
def drop_high_bytes(data: int, starts: Any, sizes: Any, skip: int) -> None:
    """Make the sizes of all values UNDECIDED that hold a byte beyond ASCII behind their length of ``skip`` bytes."""
    for row in range(len(starts)):
        if sizes[row] >= 0:
            start = np.int64(starts[row])
            for at in range(start + skip, start + sizes[row]):
                if u8(data, at) >= 0x80:
                    sizes[row] = UNDECIDED
                    break
