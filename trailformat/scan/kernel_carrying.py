"""The transactions of a batch's rows as machine code; the plain twin is in carrying.py.

``data`` is the address of the first mapped byte; the caller has seen to it that every row lies inside of the mapping.
Every load lies inside of the payload of ``T`` whose place the batch tells.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from trailformat.io_types import NOT_TRANSACTIONAL
from trailformat.layout import MOST
from trailformat.scan.batch import FILE_HEADER, RECORD
from trailformat.scan.carrying import ABSENT, FIRST_BEGUN, LOOKED_FOR, NONE
from trailformat.scan.kernel_loads import CACHE, u8
from trailformat.scan.kernel_tokens import next_token
from trailformat.transactions import BEGINS, ENDS, LOGCSN, TRANID

_OUTSIDE = np.array([number in NOT_TRANSACTIONAL for number in range(256)])
_BEGINS = np.array([number in BEGINS for number in range(256)])
_ENDS = np.array([number in ENDS for number in range(256)])
_NOTHING = (0, ABSENT, 0, ABSENT)


@njit(cache=CACHE, nogil=True, forceinline=True)
def _own(data: int, at: int, stop: int, little: int) -> Any:
    """Place and size of the first LOGCSN and the first TRANID in the payload of ``T``; none when it is damaged."""
    csn_at, csn_size, xid_at, xid_size = 0, ABSENT, 0, ABSENT
    for _ in range(MOST):
        if at >= stop:
            break
        token, at, size = next_token(data, at, stop, little)
        if token == LOGCSN and csn_size == ABSENT:
            csn_at, csn_size = at, size
        elif token == TRANID and xid_size == ABSENT:
            xid_at, xid_size = at, size
        at += size
    if at != stop:
        return _NOTHING
    return csn_at, csn_size, xid_at, xid_size


@njit(cache=CACHE, nogil=True)
def carry(data: int, octets: Any, rbas: Any, tokens: Any, is_open: bool, index: Any, begun: Any) -> Any:  # noqa: FBT001
    """Fill ``index``, int32, and ``begun`` from FIRST_BEGUN on; how many there are then, and whether the last is open.

    ``octets``: kind, io_type, trans_ind, order, uint8; ``tokens``: token_offset, token_size, uint32; ``begun``: first
    row, place and size of LOGCSN, place and size of TRANID, int64[5, rows + FIRST_BEGUN].
    """
    kinds, io_types, trans_inds, orders = octets
    offsets, sizes = tokens
    count, follows = FIRST_BEGUN, True
    for row in range(len(rbas)):
        if kinds[row] != RECORD or _OUTSIDE[io_types[row]]:
            is_open = is_open and follows
            follows = kinds[row] <= FILE_HEADER
            index[row] = NONE
            continue
        own = _NOTHING
        size = np.int64(sizes[row])
        if size != 0:
            at = np.int64(rbas[row]) + np.int64(offsets[row])
            own = _own(data, at, at + size, np.int64(orders[row]))
        if _BEGINS[trans_inds[row]] or own[1] != ABSENT:
            begun[0, count], begun[1, count], begun[2, count], begun[3, count], begun[4, count] = row, *own
            count += 1
        elif not (follows and is_open):
            begun[0, count], begun[1, count], begun[2, count] = row, 0, LOOKED_FOR
            begun[3, count], begun[4, count] = 0, ABSENT
            count += 1
        index[row] = count - 1
        is_open, follows = not _ENDS[trans_inds[row]], True
    return count, is_open and follows


@njit(cache=CACHE, nogil=True)
def gather(data: int, places: Any, sizes: Any, starts: Any, out: Any) -> None:
    """Copy the bytes at the places, of the sizes, to ``out`` from the starts on; sizes below 0 are passed over."""
    for number in range(len(sizes)):
        at, start = places[number], starts[number]
        for place in range(sizes[number]):
            out[start + place] = u8(data, at + place)
