"""Tokens in the payload of ``T``, in the kernels. ``data`` is an address; every load lies before ``stop``."""

from __future__ import annotations

from typing import Any

from trailformat.native.constants import MOST_FIELDS, UNSET, WIDE
from trailformat.native.loads import i64, inlined, n32, store8, u8, u16, u32
from trailformat.native.scan.arguments import T_OFFSET, T_ORDER, T_RBA, T_SIZE


@inlined
def next_token(data: int, at: int, stop: int, little: int) -> Any:
    """Id of the token at ``at``, place and size of its payload; -1 and a place after ``stop`` where none fits."""
    if at + 4 <= stop:
        info = u8(data, at + 1)
        if info & WIDE == 0 or info == UNSET:
            return u8(data, at), at + 4, u16(data, at + 2, little)
        if at + 6 <= stop:
            return u8(data, at), at + 6, u32(data, at + 2, little)
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
