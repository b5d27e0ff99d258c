"""Where the columns of many rows stand: numba's kernels over the bytes of a batch.

``data`` is the address of the bytes; offsets count from it. ``starts`` and ``sizes`` have a row per column of the
table and a column per row: where the value after the indicator stands, and its size, or ABSENT, NULL, UNDECIDED;
``seen`` has for each column of the table the bits of what it may hold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import config, njit

from trailformat.scan.kernels.loads import u8, u16, u32

CACHE = bool(config.CACHE_DIR)
"""Whether numba keeps what it compiles; see numba_cache."""

ABSENT, NULL, UNDECIDED = -1, -2, -3
"""Sizes of columns that an image does not have, that are NULL, and whose indicator is neither 0000 nor ffff."""
GOOD, BROKEN, BEYOND = range(3)
"""What the data of a row is: columns; not columns; columns, one of them with an index beyond the table's."""
HAS_VALUE, HAS_NULL, HAS_UNDECIDED = 1, 2, 4
"""Bits of ``seen``; one that is set promises nothing, for a later column of a row may take the place of an earlier."""
_COMPRESSED, _NAME_IS_INDEX = 0x04, 0x08
_HEADER_SIZE, _CONTINUED = 34, 32
_WIDE, _UNSET = 0x40, 0xFF
NO_INDEX = -1
"""In place of a table's index where a header holds its name."""


@njit(cache=CACHE, nogil=True)
def read_headers(data: int, starts: Any, little: Any, indexes: Any, continued: Any) -> None:
    """Of each ``G`` record: the index of its table, or NO_INDEX, and whether it goes on in the one behind it."""
    for row in range(len(starts)):
        at = np.int64(starts[row])
        for _ in range(2):
            info = u8(data, at + 1)
            at += 8 if info & _WIDE and info != _UNSET else 4
        is_index = u8(data, at + 1) & _NAME_IS_INDEX
        indexes[row] = u16(data, at + _HEADER_SIZE, np.int64(little[row])) if is_index else NO_INDEX
        continued[row] = u8(data, at + _CONTINUED) != 0


@njit(cache=CACHE, nogil=True)
def find_data(rows: Any, base: int, fields: Any, of_type: Any, places: Any) -> None:
    """Fill the places that ``locate`` takes; offsets count from the RBA ``base``.

    ``fields`` are columns of a batch: kind, io_type, partition, rba, data_offset, data_size; ``of_type`` says of each
    type of record whether it has columns, and the size of the length in front of its before image.
    """
    kind, io_type, partition, rba, data_offset, data_size = fields
    has_columns, prefix_sizes = of_type
    offsets, lengths, prefixes = places
    for at in range(len(rows)):
        row = rows[at]
        code = io_type[row]
        offsets[at] = rba[row] - base + np.int64(data_offset[row])
        prefixes[at] = prefix_sizes[code]
        is_list = prefix_sizes[code] > 0 or partition[row] & _COMPRESSED != 0
        lengths[at] = np.int64(data_size[row]) if kind[row] == 0 and has_columns[code] and is_list else -1


@njit(cache=CACHE, nogil=True)
def _walk(data: int, at: int, end: int, little: int, row: int, image: Any) -> Any:
    """Note the columns between two offsets."""
    starts, sizes, seen = image
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
            if indicator == 0:
                sizes[index, row] = length - 2
                seen[index] |= HAS_VALUE
            else:
                sizes[index, row] = NULL if indicator == 0xFFFF else UNDECIDED
                seen[index] |= HAS_NULL if indicator == 0xFFFF else HAS_UNDECIDED
        at += 4 + length
    return found


@njit(cache=CACHE, nogil=True)
def locate(data: int, places: Any, little: Any, befores: Any, before: Any, after: Any) -> Any:
    """Fill ``starts``, ``sizes`` and ``seen`` of the before and the after image; returns what the data of each row is.

    ``places``: offsets of the data; lengths, -1 where it is no columns; sizes of the length in front of a before image,
    0 where there is one image (before if ``befores``).
    """
    offsets, lengths, prefixes = places
    states = np.zeros(len(offsets), np.uint8)
    for row in range(len(offsets)):
        at, end, order = offsets[row], offsets[row] + lengths[row], np.int64(little[row])
        prefix = np.int64(prefixes[row])
        if lengths[row] <= 0:
            states[row] = BROKEN if lengths[row] == 0 and prefix > 0 else GOOD
            continue
        if prefix == 0:
            states[row] = _walk(data, at, end, order, row, before if befores[row] else after)
            continue
        if end - at < prefix:
            states[row] = BROKEN
            continue
        size = u16(data, at, order) if prefix == 2 else u32(data, at, order)
        at += prefix
        if size > end - at:
            states[row] = BROKEN
            continue
        first = _walk(data, at, at + size, order, row, before)
        second = _walk(data, at + size, end, order, row, after)
        states[row] = BROKEN if BROKEN in (first, second) else max(first, second)
    return states
