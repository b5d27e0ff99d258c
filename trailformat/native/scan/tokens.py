"""Kernels for tokens in the payload of ``T``, among them LOGCSN and TRANID of rows.

``data`` is the address at which the byte at RBA 0 would be; the caller ensures that the bytes of every row are
available. No load is beyond ``stop``: all are inside the payload of ``T``, whose place is in the batch.
"""

from __future__ import annotations

from typing import Any

from trailformat.native.constants import (
    INFO_AT,
    KIND_RECORD,
    LENGTH_AT,
    LOGCSN,
    MOST_FIELDS,
    NARROW_HEAD,
    TRANID,
    UNSET,
    WIDE,
    WIDE_HEAD,
)
from trailformat.native.loads import AHEAD, fetch, i64, inlined, n32, store8, store64, u8, u16, u32
from trailformat.native.scan.arguments import ABSENT, T_KIND, T_OFFSET, T_ORDER, T_RBA, T_SIZE


@inlined
def is_wide(info: int) -> bool:
    """See ``codec.tokens.is_wide``."""
    return (info & WIDE) != 0 and info != UNSET


@inlined
def head_size(info: int) -> int:
    """See ``codec.tokens.head_size``."""
    return WIDE_HEAD if is_wide(info) else NARROW_HEAD


@inlined
def length_at(data: int, offset: int, little: int) -> Any:
    """See ``codec.tokens.length_at``."""
    size = head_size(u8(data, offset + INFO_AT))
    return u32(data, offset + LENGTH_AT, little) if size == WIDE_HEAD else u16(data, offset + LENGTH_AT, little), size


@inlined
def next_token(data: int, offset: int, stop: int, little: int) -> Any:
    """Return id, place and size of the payload of the token at ``offset``; -1, a place after ``stop`` if none fits."""
    if offset + NARROW_HEAD <= stop:
        if not is_wide(u8(data, offset + INFO_AT)):
            return u8(data, offset), offset + NARROW_HEAD, u16(data, offset + LENGTH_AT, little)
        if offset + WIDE_HEAD <= stop:
            return u8(data, offset), offset + WIDE_HEAD, u32(data, offset + LENGTH_AT, little)
    return -1, stop + 1, 0


@inlined
def area_of(columns: int, row: int) -> Any:
    """Return beginning, end and order of the payload of ``T`` of a row; ``columns``: see :mod:`.arguments`."""
    begin = i64(i64(columns, 8 * T_RBA), 8 * row) + n32(i64(columns, 8 * T_OFFSET), 4 * row)
    return begin, begin + n32(i64(columns, 8 * T_SIZE), 4 * row), u8(i64(columns, 8 * T_ORDER), row)


def mark_rows(data: int, columns: int, rows: int, token_id: int, marks: int) -> int:
    """Set ``marks``, uint8[rows], to 1 for the rows with such a token in an undamaged ``T``, else to 0."""
    for row in range(rows):
        offset, stop, little = area_of(columns, row)
        is_there = 0
        for _ in range(MOST_FIELDS):
            if offset >= stop:
                break
            token, offset, size = next_token(data, offset, stop, little)
            if token == token_id:
                is_there = 1
            offset += size
        store8(marks, row, is_there if offset == stop else 0)
    return rows


@inlined
def _own(data: int, offset: int, stop: int, little: int) -> Any:
    """Return place and size of the first LOGCSN and the first TRANID in the payload of ``T``; none if it is damaged."""
    csn_at, csn_size, xid_at, xid_size = 0, ABSENT, 0, ABSENT
    for _ in range(MOST_FIELDS):
        if offset >= stop:
            break
        token, offset, size = next_token(data, offset, stop, little)
        if token == LOGCSN and csn_size == ABSENT:
            csn_at, csn_size = offset, size
        elif token == TRANID and xid_size == ABSENT:
            xid_at, xid_size = offset, size
        offset += size
    if offset != stop:
        csn_at, csn_size, xid_at, xid_size = 0, ABSENT, 0, ABSENT
    return csn_at, csn_size, xid_at, xid_size


def own_tokens(data: int, columns: int, rows: int, places: int) -> int:
    """Fill ``places``, int64[4, rows], with place and size of LOGCSN, place and size of TRANID; return ``rows``.

    ``columns``: see :mod:`.arguments`; rows that are not records have no tokens.
    """
    kinds = i64(columns, 8 * T_KIND)
    for row in range(rows):
        own = 0, ABSENT, 0, ABSENT
        if u8(kinds, row) == KIND_RECORD:
            fetch(data, area_of(columns, min(row + AHEAD, rows - 1))[0])
            offset, stop, little = area_of(columns, row)
            own = _own(data, offset, stop, little)
        store64(places, 8 * row, own[0])
        store64(places, 8 * (rows + row), own[1])
        store64(places, 8 * (2 * rows + row), own[2])
        store64(places, 8 * (3 * rows + row), own[3])
    return rows


def gather(data: int, places: int, sizes: int, starts: int, count: int, out: int) -> int:
    """Copy bytes of these places and sizes to ``out`` at these starts; skip sizes below 0."""
    for number in range(count):
        offset, start = i64(places, 8 * number), i64(starts, 8 * number)
        for place in range(i64(sizes, 8 * number)):
            store8(out, start + place, u8(data, offset + place))
    return count
