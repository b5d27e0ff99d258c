"""A kernel that spells texts and bytes in few cells of a terminal: long ones lose their middle, or their end.

The texts around each value, and which values are undecided, are part of the description in :mod:`.arguments`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.arrays.arguments import (
    C_DATA,
    C_MOST,
    C_ROWS,
    FOUND_HIGH,
    FOUND_MISSING,
    FOUND_UNDECIDED,
    P_CELLS,
    P_CLOSING,
    P_CUT,
    P_FORM,
    P_HEAD,
    P_IS_BARE,
    P_IS_UPPER,
    P_IS_UTF_8,
    P_MOST,
    P_OPENING,
    P_OTHER_CLOSING,
    P_OTHER_OPENING,
    P_WHOLE,
    SPELL_SHORT_BYTES,
)
from trailformat.native.arrays.bytes import code_at, described, set_bit, value_of
from trailformat.native.arrays.spelling import CAPITALS, LETTERS, around, bits_of, written_hex, written_text
from trailformat.native.loads import i64, inlined, store8, store32, store64, u8
from trailformat.native.scan.arguments import UNDECIDED

_HIGHS = np.uint64(0x8080808080808080)
_ZERO, _COMMA, _UNDERSCORE, _MINUS, _BLANK, _DELETE = 48, 44, 95, 45, 32, 127
_CONTINUES, _ASTRAL = 0x80, 0x10000
_WIDEST = 2
"""Maximum number of cells of a character that prints."""
_ESCAPED = 4
"""Minimum number of cells of the escape of a character that does not print."""
_NULL = 0x4C4C554E
"""The letters of NULL as a word, the first one lowest."""
_FIRSTS = (0xC2, 0xE0, 0xF0, 0xF5)
"""The least first bytes of characters of two, three and four bytes in UTF-8, and the first byte that none begins."""


@inlined
def _is_letter(byte: int) -> Any:
    return ord("a") <= byte | 0x20 <= ord("z")


@inlined
def _is_word(data: int, offset: int, size: int) -> Any:
    """Return whether a text in ASCII is a word: letters, digits, ``_`` and ``-``, a letter first; NULL is none."""
    if size == 0 or not _is_letter(u8(data, offset)):
        return False
    for place in range(offset, offset + size):
        byte = u8(data, place)
        is_digit = _ZERO <= byte <= _ZERO + 9
        if not (_is_letter(byte) or is_digit or byte in (_UNDERSCORE, _MINUS)):
            return False
    if size != 4:
        return True
    letters = 0
    for place in range(4):
        letters |= (u8(data, offset + place) & 0xDF) << 8 * place
    return letters != _NULL


@inlined
def _character_size(data: int, offset: int, end: int) -> Any:
    """Return the number of bytes of the character of UTF-8 at an offset; 0 if there is none."""
    byte = u8(data, offset)
    if byte < _CONTINUES:
        return 1
    size = 2 if byte < _FIRSTS[1] else 3 if byte < _FIRSTS[2] else 4
    if byte < _FIRSTS[0] or byte >= _FIRSTS[3] or offset + size > end:
        return 0
    for place in range(1, size):
        if u8(data, offset + place) & 0xC0 != _CONTINUES:
            return 0
    code, _ = code_at(data, offset)
    is_least = code >= 0x80 if size == 2 else code >= 0x800 if size == 3 else code >= _ASTRAL
    is_character = code < 0xD800 or 0xE000 <= code <= 0x10FFFF
    return size if is_least and is_character else 0


@inlined
def _cells_at(data: int, offset: int, cells: int) -> Any:
    """Return the cells of a valid character: above _WIDEST if it does not print, or is not in the table."""
    byte = u8(data, offset)
    if byte < _CONTINUES:
        return 1 if _BLANK <= byte < _DELETE else _ESCAPED
    code, _ = code_at(data, offset)
    return np.int64(u8(cells, code)) if code < _ASTRAL else np.int64(_ESCAPED)


@inlined
def _measured(data: int, offset: int, end: int, cells: int, whole: int) -> Any:
    """Return the least number of cells of a text, up to ``whole`` and one more character; -1 if it is not UTF-8.

    The second number is 1 if a character before that does not print, or is not in the table.
    """
    total, is_odd = 0, 0
    while offset < end:
        size = _character_size(data, offset, end)
        if size == 0:
            return -1, 0
        if total <= whole:
            width = _cells_at(data, offset, cells)
            if width > _WIDEST:
                is_odd = 1
                width = 0 if size == 4 else _ESCAPED
            total += width
        offset += size
    return total, is_odd


@inlined
def _head_of(data: int, offset: int, end: int, cells: int, most: int) -> Any:
    """Return the end of the characters that fit into ``most`` cells; -1 if one of them does not print."""
    used = 0
    while offset < end:
        width = _cells_at(data, offset, cells)
        if width > _WIDEST:
            return offset if used == most else -1
        if used + width > most:
            return offset
        used += width
        byte = u8(data, offset)
        offset += 1 if byte < _CONTINUES else 2 if byte < _FIRSTS[1] else 3
    return offset


@inlined
def _tail_of(data: int, begin: int, offset: int, cells: int, most: int) -> Any:
    """Return the begin of the last characters that fit into ``most`` cells; -1 if one of them does not print."""
    used = 0
    while offset > begin:
        place = offset - 1
        while u8(data, place) & 0xC0 == _CONTINUES:
            place -= 1
        width = _cells_at(data, place, cells)
        if width > _WIDEST:
            return offset if used == most else -1
        if used + width > most:
            return offset
        used += width
        offset = place
    return offset


@inlined
def _cut(data: int, places: Any, spelling: int, out: int, to: int) -> Any:
    """Write the head and the tail of a text; ``places``: its begin, end of head, begin of tail, end."""
    offset, head, tail, end = places
    to = around(spelling, P_OPENING, out, to)
    to = written_text(data, offset, head - offset, spelling, out, to)
    if to < 0:
        return to
    to = around(spelling, P_CUT, out, to)
    to = written_text(data, tail, end - tail, spelling, out, to)
    return around(spelling, P_CLOSING, out, to) if to >= 0 else to


@inlined
def _whole(data: int, offset: int, size: int, spelling: int, out: int, to: int) -> Any:
    to = around(spelling, P_OPENING, out, to)
    to = written_text(data, offset, size, spelling, out, to)
    return around(spelling, P_CLOSING, out, to) if to >= 0 else to


@inlined
def _high_text(data: int, offset: int, size: int, spelling: int, out: int, to: int) -> Any:
    """Write a text that is not ASCII; return the end, or -1 if it is undecided."""
    cells, whole, end = i64(spelling, 8 * P_CELLS), i64(spelling, 8 * P_WHOLE), offset + size
    if cells == 0 or i64(spelling, 8 * P_IS_UTF_8) == 0 or i64(spelling, 8 * P_IS_BARE):
        return np.int64(-1)
    total, is_odd = _measured(data, offset, end, cells, whole)
    if total < 0:
        return np.int64(-1)
    if total <= whole:
        return np.int64(-1) if is_odd else _whole(data, offset, size, spelling, out, to)
    room = (whole - 1) // 2
    head = _head_of(data, offset, end, cells, whole - 1 - room)
    tail = _tail_of(data, offset, end, cells, room)
    if head < 0 or tail < 0:
        return np.int64(-1)
    return _cut(data, (offset, head, tail, end), spelling, out, to)


@inlined
def _short_text(data: int, offset: int, size: int, spelling: int, out: int, to: int) -> Any:
    """Write a text; return the end, or -1 if it is undecided."""
    if bits_of(data, offset, size) & _HIGHS != np.uint64(0):
        return _high_text(data, offset, size, spelling, out, to)
    whole = i64(spelling, 8 * P_WHOLE)
    if size > whole:
        room = (whole - 1) // 2
        end = offset + size
        return _cut(data, (offset, offset + whole - 1 - room, end - room, end), spelling, out, to)
    if i64(spelling, 8 * P_IS_BARE) and _is_word(data, offset, size):
        return written_text(data, offset, size, spelling, out, to)
    return _whole(data, offset, size, spelling, out, to)


@inlined
def _grouped(number: int, out: int, to: int) -> Any:
    """Write a number that is not negative with a comma between groups of three digits; return the end."""
    digits, rest = 1, number // 10
    while rest:
        digits += 1
        rest //= 10
    end = to + digits + (digits - 1) // 3
    offset = end
    for place in range(digits):
        if place and place % 3 == 0:
            offset -= 1
            store8(out, offset, _COMMA)
        offset -= 1
        store8(out, offset, _ZERO + number % 10)
        number //= 10
    return end


@inlined
def _short_bytes(data: int, offset: int, size: int, spelling: int, out: int, to: int) -> Any:
    """Write bytes in hex, of many the first ones and their number; return the end."""
    letters = CAPITALS if i64(spelling, 8 * P_IS_UPPER) else LETTERS
    if size <= i64(spelling, 8 * P_WHOLE):
        to = written_hex(data, offset, size, letters, out, around(spelling, P_OPENING, out, to))
        return around(spelling, P_CLOSING, out, to)
    to = around(spelling, P_OTHER_OPENING, out, to)
    to = written_hex(data, offset, i64(spelling, 8 * P_HEAD), letters, out, to)
    to = _grouped(size, out, around(spelling, P_OTHER_CLOSING, out, to))
    return around(spelling, P_CUT, out, to)


def spell_short_values(column: int, spelling: int, offsets: int, valid: int, out: int, results: int) -> Any:
    """Write texts or bytes to ``out``, long ones cut; arguments and result are those of ``spell_values``."""
    about, data = described(column), i64(column, 8 * C_DATA)
    most, form = min(i64(column, 8 * C_MOST), i64(spelling, 8 * P_MOST)), i64(spelling, 8 * P_FORM)
    missing, undecided = 0, 0
    end: Any = np.int64(0)
    store32(offsets, 0, 0)
    for row in range(i64(column, 8 * C_ROWS)):
        offset, size = value_of(about, row)
        to = np.int64(-1)
        if 0 <= size <= most:
            if form == SPELL_SHORT_BYTES:
                to = _short_bytes(data, offset, size, spelling, out, end)
            else:
                to = _short_text(data, offset, size, spelling, out, end)
        if to >= 0:
            end = to
            set_bit(valid, row)
        else:
            missing += 1
            undecided += 1 if size >= 0 or size == UNDECIDED else 0
        store32(offsets, 4 * (row + 1), end)
    store64(results, 8 * FOUND_MISSING, missing)
    store64(results, 8 * FOUND_UNDECIDED, undecided)
    store64(results, 8 * FOUND_HIGH, 0)
    return end
