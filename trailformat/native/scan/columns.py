"""Kernels for the columns of the images of many rows: as lists, or by their position in the table.

``data`` is the address of the bytes; offsets count from it. The columns, or tokens, of a region fill the bytes from its
start to before its end, int64 both; ``little``, uint8, is the byte order of each region.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.constants import MOST_FIELDS
from trailformat.native.loads import AHEAD, fetch, i64, inlined, n32, store8, store32, store64, u8, u16
from trailformat.native.scan.arguments import (
    ABSENT,
    ANOTHER,
    BEYOND,
    BROKEN,
    GOOD,
    HAS_NULL,
    HAS_UNDECIDED,
    HAS_VALUE,
    I_COLUMNS,
    I_SEEN,
    I_SIZES,
    I_STARTS,
    I_WIDE,
    NO_COLUMNS,
    NULL,
    ONE,
    SEVERAL,
    UNDECIDED,
)
from trailformat.native.scan.tokens import next_token

_LINES, _LINE = 4, 64
"""Number and size in bytes of the cache lines that are prefetched for a row."""
_LARGEST_HEAD = 6
"""Maximum number of bytes before a payload."""


@inlined
def next_column(data: int, offset: int, stop: int, little: int) -> Any:
    """Return index, payload place and size of the column at ``offset``; -1, a place after ``stop`` if none fits."""
    if offset + 4 <= stop:
        return u16(data, offset, little), offset + 4, u16(data, offset + 2, little)
    return -1, stop + 1, 0


@inlined
def _next_field(data: int, offset: int, stop: int, little: int, are_tokens: int) -> Any:
    if are_tokens:
        return next_token(data, offset, stop, little)
    return next_column(data, offset, stop, little)


def count_fields(
    data: int, starts: int, ends: int, little: int, regions: int, are_tokens: int, first: int, is_sound: int
) -> int:
    """Return the number of columns or tokens in all regions.

    Fill ``first``, int64[regions + 1], with the number of the first of each region, and ``is_sound``, uint8[regions]:
    whether they fill the region exactly. A region that they do not fill counts as empty.
    """
    total = 0
    store64(first, 0, 0)
    for region in range(regions):
        offset, stop, order = i64(starts, 8 * region), i64(ends, 8 * region), u8(little, region)
        count = 0
        while offset < stop and count < MOST_FIELDS:
            _, offset, size = _next_field(data, offset, stop, order, are_tokens)
            offset += size
            count += 1
        store8(is_sound, region, 1 if offset == stop else 0)
        total += count if offset == stop else 0
        store64(first, 8 * (region + 1), total)
    return total


def take_fields(
    data: int,
    starts: int,
    little: int,
    regions: int,
    are_tokens: int,
    first: int,
    numbers: int,
    places: int,
    sizes: int,
) -> int:
    """Fill number, place and size, int64, of all counted columns or tokens."""
    for region in range(regions):
        offset, order = i64(starts, 8 * region), u8(little, region)
        for field in range(i64(first, 8 * region), i64(first, 8 * (region + 1))):
            number, offset, size = _next_field(data, offset, offset + _LARGEST_HEAD, order, are_tokens)
            store64(numbers, 8 * field, number)
            store64(places, 8 * field, offset)
            store64(sizes, 8 * field, size)
            offset += size
    return regions


def pick_columns(
    data: int, starts: int, ends: int, little: int, regions: int, wanted: int, places: int, sizes: int, states: int
) -> int:
    """Fill place and size, int64, of the column in each region that has the index in ``wanted``, int64.

    ``states``, uint8, becomes ONE, ANOTHER if there is none, SEVERAL, or NO_COLUMNS if
    columns do not fill the region.
    """
    for region in range(regions):
        offset, stop, order = i64(starts, 8 * region), i64(ends, 8 * region), u8(little, region)
        index, state, fields = i64(wanted, 8 * region), np.int64(ANOTHER), 0
        while offset < stop and fields < MOST_FIELDS:
            number, offset, size = next_column(data, offset, stop, order)
            if number == index:
                state = np.int64(ONE if state == ANOTHER else SEVERAL)
                store64(places, 8 * region, offset)
                store64(sizes, 8 * region, size)
            offset += size
            fields += 1
        store8(states, region, state if offset == stop else NO_COLUMNS)
    return regions


@inlined
def _put(starts: int, sizes: int, wide: int, cell: int, start: int, size: int) -> None:
    if wide:
        store64(starts, 8 * cell, start)
        store64(sizes, 8 * cell, size)
    else:
        store32(starts, 4 * cell, start)
        store32(sizes, 4 * cell, size)


_ABSENT_IN_32_BITS = ABSENT & 0xFFFFFFFF


@inlined
def _is_put(sizes: int, wide: int, cell: int) -> Any:
    """Return whether a cell has a size other than ABSENT."""
    if wide:
        return i64(sizes, 8 * cell) != ABSENT
    return n32(sizes, 4 * cell) != _ABSENT_IN_32_BITS


@inlined
def _look_at(data: int, offset: int, length: int) -> Any:
    """Return the size of the value at an indicator, and its HAS_ bit."""
    indicator = u16(data, offset, 0) if length >= 2 else 1
    if indicator == 0:
        return length - 2, HAS_VALUE
    if indicator == 0xFFFF:
        return np.int64(NULL), HAS_NULL
    return np.int64(UNDECIDED), HAS_UNDECIDED


def locate(data: int, starts: int, ends: int, little: int, rows: int, image: int, states: int) -> int:
    """Put the columns of each row at their positions in ``image``; ``states``, uint8[rows], become GOOD or worse.

    A column that is there twice is UNDECIDED.
    """
    columns, seen, wide = i64(image, 8 * I_COLUMNS), i64(image, 8 * I_SEEN), i64(image, 8 * I_WIDE)
    all_starts, all_sizes = i64(image, 8 * I_STARTS), i64(image, 8 * I_SIZES)
    for row in range(rows):
        ahead = i64(starts, 8 * min(row + AHEAD, rows - 1))
        for line in range(_LINES):
            fetch(data, ahead + line * _LINE)
        offset, stop, order = i64(starts, 8 * row), i64(ends, 8 * row), u8(little, row)
        state, last = np.int64(GOOD), np.int64(-1)
        while offset < stop:
            index, offset, length = next_column(data, offset, stop, order)
            if offset + length > stop:
                state = np.int64(BROKEN)
                break
            if index >= columns:
                state = np.int64(BEYOND)
            else:
                size, bit = _look_at(data, offset, length)
                if index <= last and _is_put(all_sizes, wide, index * rows + row):
                    size, bit = np.int64(UNDECIDED), HAS_UNDECIDED
                last = max(last, index)
                _put(all_starts, all_sizes, wide, index * rows + row, offset + 2, size)
                store8(seen, index, u8(seen, index) | bit)
            offset += length
        store8(states, row, max(state, u8(states, row)))
    return rows
