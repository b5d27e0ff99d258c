"""The kernel that finds bytes: it tests many places at once for the first and the last byte, which few places have."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.loads import inlined, load64, u8

_WORDS = 64
"""LLVM does not use wide registers in a shorter loop."""
_AT_ONCE = 8 * _WORDS
_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)


@inlined
def _is_here(data: int, offset: int, value: int, folds: int, size: int) -> Any:
    place = 0
    while place < size and u8(data, offset + place) | u8(folds, place) == u8(value, place):
        place += 1
    return place == size


@inlined
def _eight(byte: int) -> Any:
    return np.uint64(byte) * _ONES


@inlined
def _may_be_among(data: int, offset: int, value: int, folds: int, size: int) -> Any:
    """Return whether any of the places from ``offset`` on may have the first and the last byte; eight in a word."""
    first, last = _eight(u8(value, 0)), _eight(u8(value, size - 1))
    first_fold, last_fold = _eight(u8(folds, 0)), _eight(u8(folds, size - 1))
    marks = np.uint64(0)
    for word in range(_WORDS):
        differs = (load64(data, offset + 8 * word) | first_fold) ^ first
        differs |= (load64(data, offset + size - 1 + 8 * word) | last_fold) ^ last
        marks |= (differs - _ONES) & ~differs & _HIGHS
    return marks != np.uint64(0)


def find(data: int, start: int, stop: int, value: int, folds: int, size: int) -> int:
    """Return the first offset from ``start`` on of the ``size`` bytes at the address ``value``, before ``stop``, or -1.

    A byte at the address ``folds`` is 32 for a letter of either case, whose lower case is in ``value``, and 0 for
    others.
    """
    end = stop - size + 1
    offset = start
    while offset < end:
        if offset + _AT_ONCE <= end and not _may_be_among(data, offset, value, folds, size):
            offset += _AT_ONCE
            continue
        for place in range(offset, min(offset + _AT_ONCE, end)):
            if _is_here(data, place, value, folds, size):
                return place
        offset += _AT_ONCE
    return -1
