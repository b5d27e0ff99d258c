"""Names to keys, in the kernels: the look-up in the open hash table that :mod:`trailformat.scan.kernel_run` keeps.

Like the trail, the table is known by addresses.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.constants import HEADER_SIZE, INDEX_SIZE, NAME_IS_INDEX, PARTITION_AT
from trailformat.native.loads import i64, inlined, load64, n64, u8, u16
from trailformat.native.scan.arguments import (
    BY_INDEX,
    HASH,
    HASH_SHIFT,
    INDEXES,
    KEY,
    MASK,
    SECRET,
    SLOT_SIZE,
    SLOTS,
    START,
    WORDS,
)

_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_ODD = np.uint64(0x9E3779B97F4A7C15)
_U0, _U1, _U7, _U29, _U56 = (np.uint64(number) for number in (0, 1, 7, 29, 56))
_SHIFT = np.uint64(HASH_SHIFT)
_SLOT_BYTES = 8 * SLOT_SIZE


@inlined
def _name_word(data: int, at: int, left: int, end: int) -> Any:
    """The next 8 bytes of a name of at most ``left`` more, zeros from its NUL or its end on."""
    if at + 8 <= end:
        word = load64(data, at)
    else:
        word = _U0
        for place in range(min(left, end - at)):
            word |= np.uint64(u8(data, at + place)) << np.uint64(8 * place)
    if left < 8:
        word &= (_U1 << np.uint64(8 * left)) - _U1
    zeros = (word - _ONES) & ~word & _HIGHS
    if zeros:
        lowest = zeros & (~zeros + _U1)
        word &= (lowest >> _U7) - _U1
    return word


@inlined
def _hash_of(data: int, at: int, size: int, end: int, seed: Any) -> Any:
    """The keyed hash of the name in the ``size`` bytes at ``at``; 0 for the empty name alone."""
    result = seed
    place = 0
    while place < size:
        word = _name_word(data, at + place, size - place, end)
        if word == _U0:
            break
        result = (result ^ word) * _ODD
        result ^= result >> _U29
        if word >> _U56 == _U0:
            place = size
        place += 8
    if place == 0:
        return _U0
    return result | _U1


@inlined
def _is_same(data: int, at: int, size: int, end: int, word_at: int) -> bool:
    """Whether the name at ``at`` is the one whose words stand at the address; a word with a zero byte ends it."""
    place, is_same, is_more = 0, True, True
    while is_same and is_more:
        word = _name_word(data, at + place, size - place, end) if place < size else _U0
        is_same = word == load64(word_at, place)
        is_more = word >> _U56 != _U0
        place += 8
    return is_same


@inlined
def key_of_name(data: int, at: int, size: int, end: int, tables: int) -> Any:
    """The key of the name in the ``size`` bytes at ``at``, -1 for one without; and its hash."""
    value = _hash_of(data, at, size, end, n64(tables, 8 * SECRET))
    if value == _U0:
        return 0, value
    slots, mask, words = i64(tables, 8 * SLOTS), i64(tables, 8 * MASK), i64(tables, 8 * WORDS)
    slot = np.int64(value >> _SHIFT) & mask
    while True:
        found = n64(slots, slot * _SLOT_BYTES + 8 * HASH)
        if found == _U0:
            return -1, value
        start = i64(slots, slot * _SLOT_BYTES + 8 * START)
        if found == value and _is_same(data, at, size, end, words + 8 * start):
            return i64(slots, slot * _SLOT_BYTES + 8 * KEY), value
        slot = (slot + 1) & mask


@inlined
def key_of(data: int, end: int, header: int, size: int, little: int, tables: int) -> Any:
    """The key of the table that the header of ``size`` bytes at ``header`` names, or -1; the name's hash or the index.

    ``tables``: see :mod:`.arguments`.
    """
    at, size = header + HEADER_SIZE, size - HEADER_SIZE
    if not u8(data, header + PARTITION_AT) & NAME_IS_INDEX:
        return key_of_name(data, at, size, end, tables)
    if size < INDEX_SIZE:
        return 0, _U0
    index = u16(data, at, little)
    if index >= i64(tables, 8 * INDEXES):
        return -1, np.uint64(index)
    return i64(i64(tables, 8 * BY_INDEX), 8 * index), np.uint64(index)
