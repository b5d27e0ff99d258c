"""The transactions of a batch's rows as machine code; the plain twin is in scan/transactions/by_row.py.

``data`` is the address where the byte at RBA 0 would stand; the caller has seen to it that the bytes of every row are
there. Every load lies inside of the payload of ``T`` whose place is in the batch.
"""

from __future__ import annotations

from typing import Any

from trailformat.scan.kernels.arguments import (
    ABSENT,
    BEGINNING,
    ENDING,
    FIRST_BEGUN,
    LOOKED_FOR,
    NONE,
    OUTSIDE,
    T_IO_TYPE,
    T_KIND,
    T_TRANS_IND,
)
from trailformat.scan.kernels.constants import KIND_FILE_HEADER, KIND_RECORD, LOGCSN, MOST_FIELDS, TRANID
from trailformat.scan.kernels.loads import AHEAD, fetch, i64, inlined, store8, store32, store64, u8
from trailformat.scan.kernels.tokens import area_of, next_token


@inlined
def _own(data: int, at: int, stop: int, little: int) -> Any:
    """Place and size of the first LOGCSN and the first TRANID in the payload of ``T``; none when it is damaged."""
    csn_at, csn_size, xid_at, xid_size = 0, ABSENT, 0, ABSENT
    for _ in range(MOST_FIELDS):
        if at >= stop:
            break
        token, at, size = next_token(data, at, stop, little)
        if token == LOGCSN and csn_size == ABSENT:
            csn_at, csn_size = at, size
        elif token == TRANID and xid_size == ABSENT:
            xid_at, xid_size = at, size
        at += size
    if at != stop:
        csn_at, csn_size, xid_at, xid_size = 0, ABSENT, 0, ABSENT
    return csn_at, csn_size, xid_at, xid_size


@inlined
def _begin(begun: int, most: int, number: int, row: int, own: Any) -> None:
    store64(begun, 8 * number, row)
    store64(begun, 8 * (most + number), own[0])
    store64(begun, 8 * (2 * most + number), own[1])
    store64(begun, 8 * (3 * most + number), own[2])
    store64(begun, 8 * (4 * most + number), own[3])


def carry(data: int, columns: int, rows: int, flags: int, is_open: int, index: int, begun: int) -> int:
    """Fill ``index``, int32[rows], and ``begun`` from FIRST_BEGUN on; twice how many there are then, plus is_open.

    ``columns``, ``flags``: see :mod:`.arguments`; ``is_open``: 1 where a transaction is; ``begun``: first row, place
    and size of LOGCSN, place and size of TRANID, int64[5, rows + FIRST_BEGUN].
    """
    kinds, io_types = i64(columns, 8 * T_KIND), i64(columns, 8 * T_IO_TYPE)
    trans_inds = i64(columns, 8 * T_TRANS_IND)
    count, follows, most = FIRST_BEGUN, 1, rows + FIRST_BEGUN
    for row in range(rows):
        kind = u8(kinds, row)
        if kind != KIND_RECORD or u8(flags, u8(io_types, row)) & OUTSIDE != 0:
            is_open &= follows
            follows = 1 if kind <= KIND_FILE_HEADER else 0
            store32(index, 4 * row, NONE)
            continue
        fetch(data, area_of(columns, min(row + AHEAD, rows - 1))[0])
        at, stop, little = area_of(columns, row)
        own = _own(data, at, stop, little)
        trans_ind = u8(flags, u8(trans_inds, row))
        if trans_ind & BEGINNING != 0 or own[1] != ABSENT:
            _begin(begun, most, count, row, own)
            count += 1
        elif follows & is_open == 0:
            _begin(begun, most, count, row, (0, LOOKED_FOR, 0, ABSENT))
            count += 1
        store32(index, 4 * row, count - 1)
        is_open, follows = 0 if trans_ind & ENDING != 0 else 1, 1
    return 2 * count + (is_open & follows)


def gather(data: int, places: int, sizes: int, starts: int, count: int, out: int) -> int:
    """Copy the bytes at the places, of the sizes, to ``out`` from the starts on; sizes below 0 are passed over."""
    for number in range(count):
        at, start = i64(places, 8 * number), i64(starts, 8 * number)
        for place in range(i64(sizes, 8 * number)):
            store8(out, start + place, u8(data, at + place))
    return count
