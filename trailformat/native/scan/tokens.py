"""Tokens in the payload of ``T``, in the kernels. ``data`` is an address; every load lies before ``stop``."""

from __future__ import annotations

from typing import Any

from trailformat.native.constants import INFO_AT, LENGTH_AT, MOST_FIELDS, NARROW_HEAD, UNSET, WIDE, WIDE_HEAD
from trailformat.native.loads import i64, inlined, n32, store8, u8, u16, u32
from trailformat.native.scan.arguments import T_OFFSET, T_ORDER, T_RBA, T_SIZE


@inlined
def is_wide(info: int) -> bool:
    """See ``codec.tokens.is_wide``."""
    return (info & WIDE) != 0 and info != UNSET


@inlined
def head_size(info: int) -> int:
    """See ``codec.tokens.head_size``."""
    return WIDE_HEAD if is_wide(info) else NARROW_HEAD


@inlined
def length_at(data: int, at: int, little: int) -> Any:
    """See ``codec.tokens.length_at``."""
    size = head_size(u8(data, at + INFO_AT))
    return u32(data, at + LENGTH_AT, little) if size == WIDE_HEAD else u16(data, at + LENGTH_AT, little), size


@inlined
def next_token(data: int, at: int, stop: int, little: int) -> Any:
    """Id of the token at ``at``, place and size of its payload; -1 and a place after ``stop`` where none fits."""
    if at + NARROW_HEAD <= stop:
        if not is_wide(u8(data, at + INFO_AT)):
            return u8(data, at), at + NARROW_HEAD, u16(data, at + LENGTH_AT, little)
        if at + WIDE_HEAD <= stop:
            return u8(data, at), at + WIDE_HEAD, u32(data, at + LENGTH_AT, little)
    return -1, stop + 1, 0


@inlined
def area_of(columns: int, row: int) -> Any:
    """Beginning, end and order of the payload of ``T`` of a row; ``columns``: see :mod:`.arguments`."""
    at = i64(i64(columns, 8 * T_RBA), 8 * row) + n32(i64(columns, 8 * T_OFFSET), 4 * row)
    return at, at + n32(i64(columns, 8 * T_SIZE), 4 * row), u8(i64(columns, 8 * T_ORDER), row)


def mark_rows(data: int, columns: int, rows: int, token_id: int, marks: int) -> int:
    """Set ``marks``, uint8[rows], to 1 for the rows with such a token in an undamaged ``T``, else to 0."""
    for row in range(rows):
        at, stop, little = area_of(columns, row)
        is_there = 0
        for _ in range(MOST_FIELDS):
            if at >= stop:
                break
            token, at, size = next_token(data, at, stop, little)
            if token == token_id:
                is_there = 1
            at += size
        store8(marks, row, is_there if at == stop else 0)
    return rows
