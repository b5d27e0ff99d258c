"""Kernels for lines of text: one per row, with its values between texts that are the same in every line."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.native.arrays.arguments import (
    CSV,
    F_ABSENT,
    F_CLOSING,
    F_DATA,
    F_ESCAPES,
    F_KIND,
    F_NAME,
    F_NULL,
    F_OFFSETS,
    F_OPENING,
    F_PLACES,
    F_SIZES,
    F_VALID,
    F_WIDE,
    FIELD_SIZE,
    HEX,
    JSON_ASCII,
    JSON_IN_CSV,
    L_FIELDS,
    L_HEAD,
    L_LAST,
    L_NO_NULLS,
    L_NULLS_CLOSING,
    L_NULLS_OPENING,
    L_ROWS,
    L_SEPARATOR,
    L_SKIPPED,
    L_TABLE,
    L_TAIL,
    L_TEXTS,
    LIST,
    NUMBER,
    SPARE,
)
from trailformat.native.arrays.bytes import code_at, number_at
from trailformat.native.loads import i32, i64, inlined, load64, n64, put64, store8, store64, u8, u32
from trailformat.native.scan.arguments import NULL

_ONES, _HIGHS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_QUOTES, _BACKSLASHES = np.uint64(0x2222222222222222), np.uint64(0x5C5C5C5C5C5C5C5C)
_BREAKS, _BREAK = np.uint64(0x0A0A0A0A0A0A0A0A), 10
_DELETES, _BLANKS = np.uint64(0x7F7F7F7F7F7F7F7F), np.uint64(0x2020202020202020)
_QUOTE, _BACKSLASH, _BLANK, _DELETE, _ZERO = 34, 92, 32, 127, 48
_PAIRS, _OCTETS = np.uint64(0x0000FFFF0000FFFF), np.uint64(0x00FF00FF00FF00FF)
_NIBBLES, _SIXES, _ZEROS = np.uint64(0x000F000F000F000F), np.uint64(0x0606060606060606), np.uint64(0x3030303030303030)
_TO_LETTERS = np.uint64(ord("a") - ord("0") - 10)
_FIRST, _LAST, _LETTERS = 8, 13, int.from_bytes(b"btn\0fr", "little")
"""Range of the control characters with escapes of their own, and their letters."""


@inlined
def _zeros(word: Any) -> Any:
    """Return a word that is not 0 if a byte of ``word`` is 0."""
    return (word - _ONES) & ~word & _HIGHS


@inlined
def _copied(data: int, offset: int, size: int, out: int, to: int) -> Any:
    """Copy bytes that are followed by SPARE bytes; return the end."""
    for place in range(0, size, SPARE):
        put64(out, to + place, load64(data, offset + place))
    return to + size


@inlined
def _text(texts: int, holder: int, place: int, out: int, to: int) -> Any:
    """Copy one of ``texts``, whose offset and size are in ``holder``; return the end."""
    return _copied(texts, i64(holder, 8 * place), i64(holder, 8 * place + 8), out, to)


@inlined
def _in_csv(data: int, offset: int, end: int, out: int, to: int) -> Any:
    """Copy a value with doubled quotes; return the end."""
    while offset < end:
        if offset + SPARE <= end:
            word = load64(data, offset)
            if _zeros(word ^ _QUOTES) == np.uint64(0):
                put64(out, to, word)
                offset += SPARE
                to += SPARE
                continue
        byte = u8(data, offset)
        store8(out, to, byte)
        offset += 1
        to += 1
        if byte == _QUOTE:
            store8(out, to, byte)
            to += 1
    return to


@inlined
def _digit(number: int) -> Any:
    return number + (48 if number < 10 else 87)


@inlined
def _unit(code: int, out: int, to: int) -> Any:
    r"""Write ``\\uXXXX``; return the end."""
    store8(out, to, _BACKSLASH)
    store8(out, to + 1, ord("u"))
    for place in range(4):
        store8(out, to + 2 + place, _digit((code >> (12 - 4 * place)) & 15))
    return to + 6


@inlined
def _letter(byte: int) -> Any:
    """Return the byte after the backslash of a character with an escape of its own; 0 for others."""
    if byte in (_QUOTE, _BACKSLASH):
        return byte
    return (_LETTERS >> 8 * (byte - _FIRST)) & 0xFF if _FIRST <= byte <= _LAST else 0


@inlined
def _escaped(data: int, offset: int, escapes: int, out: int, to: int) -> Any:
    """Write a quote, a backslash or a character that is not printable ASCII; return its size, and the end."""
    byte = u8(data, offset)
    if byte >= _DELETE + 1:
        code, size = code_at(data, offset)
        if code >= 0x10000:
            to = _unit(0xD7C0 + (code >> 10), out, to)
            code = 0xDC00 + (code & 0x3FF)
        return size, _unit(code, out, to)
    letter = _letter(byte)
    if letter == 0:
        return 1, _unit(byte, out, to)
    store8(out, to, _BACKSLASH)
    store8(out, to + 1, letter)
    if letter == _QUOTE and escapes == JSON_IN_CSV:
        store8(out, to + 2, letter)
        return 1, to + 3
    return 1, to + 2


@inlined
def _in_json(place: Any, escapes: int, out: int, to: int) -> Any:
    """Copy a value with the escapes of JSON; return the end."""
    data, offset, end = place
    is_ascii = escapes == JSON_ASCII
    last = _DELETE - 1 if is_ascii else 0xFF
    while offset < end:
        if offset + SPARE <= end:
            word = load64(data, offset)
            odd = _zeros(word ^ _QUOTES) | _zeros(word ^ _BACKSLASHES) | ((word - _BLANKS) & ~word & _HIGHS)
            if is_ascii:
                odd |= _zeros(word ^ _DELETES) | (word & _HIGHS)
            if odd == np.uint64(0):
                put64(out, to, word)
                offset += SPARE
                to += SPARE
                continue
        byte = u8(data, offset)
        if _BLANK <= byte <= last and byte not in (_QUOTE, _BACKSLASH):
            store8(out, to, byte)
            offset += 1
            to += 1
        else:
            size, to = _escaped(data, offset, escapes, out, to)
            offset += size
    return to


@inlined
def _value(place: Any, escapes: int, out: int, to: int) -> Any:
    """Write a value, from the second to before the third number of ``place``; return the end."""
    data, offset, end = place
    if escapes > CSV:
        return _in_json(place, escapes, out, to)
    if escapes == CSV:
        return _in_csv(data, offset, end, out, to)
    while offset + SPARE <= end:
        put64(out, to, load64(data, offset))
        offset += SPARE
        to += SPARE
    while offset < end:
        store8(out, to, u8(data, offset))
        offset += 1
        to += 1
    return to


@inlined
def _in_hex(data: int, offset: int, end: int, out: int, to: int) -> Any:
    """Write bytes in hex; return the end."""
    while offset + 4 <= end:
        word = np.uint64(u32(data, offset, 1))
        word = (word | (word << np.uint64(16))) & _PAIRS
        word = (word | (word << np.uint64(8))) & _OCTETS
        word = ((word >> np.uint64(4)) & _NIBBLES) | ((word & _NIBBLES) << np.uint64(8))
        letters = ((word + _SIXES) >> np.uint64(4)) & _ONES
        put64(out, to, word + _ZEROS + letters * _TO_LETTERS)
        offset += 4
        to += 8
    while offset < end:
        byte = u8(data, offset)
        store8(out, to, _digit(byte >> 4))
        store8(out, to + 1, _digit(byte & 15))
        offset += 1
        to += 2
    return to


@inlined
def _in_digits(number: Any, out: int, to: int) -> Any:
    """Write an unsigned number; return the end."""
    ten = np.uint64(10)
    rest, end = number, to + 1
    while rest >= ten:
        rest //= ten
        end += 1
    offset = end
    while offset > to:
        offset -= 1
        rest = number // ten
        store8(out, offset, _ZERO + np.int64(number - rest * ten))
        number = rest
    return end


@inlined
def _number(field: int, row: int) -> Any:
    """Return the number of the value of a row."""
    places = i64(field, 8 * F_PLACES)
    return i32(places, 4 * row) if places else np.int64(row)


@inlined
def _has_value(field: int, row: int) -> Any:
    """Return whether the value of a row is valid."""
    bits = i64(field, 8 * F_VALID)
    if bits == 0:
        return True
    place = _number(field, row)
    return (u8(bits, place >> 3) >> (place & 7)) & 1 != 0


@inlined
def _size(field: int, row: int) -> Any:
    """Return the stored size of a value; 0 if the field has no sizes."""
    sizes = i64(field, 8 * F_SIZES)
    return number_at(sizes, row, i64(field, 8 * F_WIDE)) if sizes else np.int64(0)


@inlined
def _field(line: int, field: int, row: int, out: int, to: int) -> Any:
    """Write a field; return the end, and whether it is NULL."""
    texts, size = i64(line, 8 * L_TEXTS), _size(field, row)
    if size == NULL or (size >= 0 and not _has_value(field, row)):
        return _text(texts, field, F_NULL, out, to), 1
    if size < 0:
        return _text(texts, field, F_ABSENT, out, to), 0
    to = _text(texts, field, F_OPENING, out, to)
    kind, data, offsets = i64(field, 8 * F_KIND), i64(field, 8 * F_DATA), i64(field, 8 * F_OFFSETS)
    number = _number(field, row)
    if kind == HEX:
        start = i64(offsets, 8 * row)
        to = _in_hex(data, start, start + size, out, to)
    elif kind == NUMBER:
        to = _in_digits(n64(data, 8 * number), out, to)
    else:
        place = data, i32(offsets, 4 * number), i32(offsets, 4 * number + 4)
        to = _value(place, i64(field, 8 * F_ESCAPES), out, to)
    return _text(texts, field, F_CLOSING, out, to), 0


@inlined
def _list(texts: int, field: int, row: int, out: int, to: int) -> Any:
    """Write the text before the rows of a list; return the end, the first row, and the row after the last."""
    if not _has_value(field, row):
        return _text(texts, field, F_NULL, out, to), 0, 0
    offsets = i64(field, 8 * F_OFFSETS)
    begin, end = i64(offsets, 8 * row), i64(offsets, 8 * row + 8)
    return _text(texts, field, F_OPENING if begin < end else F_ABSENT, out, to), begin, end


@inlined
def _null_names(line: int, row: int, out: int, to: int) -> Any:
    """Write the names of the fields that are stored as NULL; return the end."""
    texts, table, count = i64(line, 8 * L_TEXTS), i64(line, 8 * L_TABLE), 0
    for number in range(i64(line, 8 * L_FIELDS)):
        field = table + 8 * FIELD_SIZE * number
        if _size(field, row) == NULL:
            to = _text(texts, line, L_SEPARATOR if count else L_NULLS_OPENING, out, to)
            to = _text(texts, field, F_NAME, out, to)
            count += 1
    return _text(texts, line, L_NULLS_CLOSING if count else L_NO_NULLS, out, to)


@inlined
def _fields(line: int, row: int, out: int, to: int) -> Any:
    """Write the fields of a row, each list with its own fields; return the end, and the number of NULL fields."""
    texts, table, fields = i64(line, 8 * L_TEXTS), i64(line, 8 * L_TABLE), i64(line, 8 * L_FIELDS)
    number, nulls, index, last, first, behind = np.int64(0), 0, row, row, np.int64(0), np.int64(-1)
    while number < fields:
        field = table + 8 * FIELD_SIZE * number
        number += 1
        if i64(field, 8 * F_KIND) == LIST:
            to, index, last = _list(texts, field, row, out, to)
            first, behind = number, number + i64(field, 8 * F_DATA)
            if index == last:
                number, index, behind = behind, row, np.int64(-1)
        else:
            to, is_null = _field(line, field, index, out, to)
            nulls += is_null
        if number == behind:
            index += 1
            field = table + 8 * FIELD_SIZE * (first - 1)
            if index < last:
                to, number = _text(texts, field, F_NAME, out, to), first
            else:
                to, index, behind = _text(texts, field, F_CLOSING, out, to), row, np.int64(-1)
    return to, nulls


def write_lines(line: int, out: int, ends: int) -> Any:
    """Write the lines of all rows that are not skipped to ``out``, and the end of each to ``ends``, int64[rows].

    ``out`` has room for SPARE bytes after the longest lines; ``line`` is described in :mod:`.arguments`. Return the
    end.
    """
    texts, skipped = i64(line, 8 * L_TEXTS), i64(line, 8 * L_SKIPPED)
    has_names = i64(line, 8 * L_NULLS_OPENING + 8) > 0
    last = i64(line, 8 * L_TABLE) + 8 * FIELD_SIZE * i64(line, 8 * L_FIELDS) if i64(line, 8 * L_LAST) else 0
    to: Any = np.int64(0)
    for row in range(i64(line, 8 * L_ROWS)):
        if u8(skipped, row) == 0:
            to, nulls = _fields(line, row, out, _text(texts, line, L_HEAD, out, to))
            to = _null_names(line, row, out, to) if nulls and has_names else _text(texts, line, L_NO_NULLS, out, to)
            if last:
                to, nulls = _field(line, last, row, out, to)
            to = _text(texts, line, L_TAIL, out, to)
        store64(ends, 8 * row, to)
    return to


@inlined
def _is_odd(marks: Any) -> Any:
    """Return whether an odd number of bytes have their highest bit set."""
    for shift in (32, 16, 8):
        marks ^= marks >> np.uint64(shift)
    return np.int64((marks >> np.uint64(7)) & np.uint64(1))


def count_lines(data: int, size: int, counts: int) -> int:
    """Count line breaks into ``counts``, int64[3]: all; those after an even number of quotes; 1 if quotes are odd."""
    marks: Any = np.uint64(0)
    total, even, offset = 0, 0, 0
    while offset < size:
        end = min(offset + SPARE, size)
        if end == offset + SPARE:
            word = load64(data, offset)
            if _zeros(word ^ _BREAKS) == np.uint64(0):
                word ^= _QUOTES
                marks ^= ~(((word & ~_HIGHS) + ~_HIGHS) | word) & _HIGHS
                offset = end
                continue
        while offset < end:
            byte = u8(data, offset)
            if byte == _QUOTE:
                marks ^= np.uint64(0x80)
            elif byte == _BREAK:
                total += 1
                even += 1 - _is_odd(marks)
            offset += 1
    store64(counts, 0, total)
    store64(counts, 8, even)
    store64(counts, 16, _is_odd(marks))
    return total
