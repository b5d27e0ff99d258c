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
from trailformat.scan.carrying import ABSENT, LOOKED_FOR
from trailformat.scan.kernel_loads import CACHE
from trailformat.scan.kernel_tokens import next_token
from trailformat.transactions import BEGINS, ENDS, LOGCSN, TRANID

_OUTSIDE = np.array([number in NOT_TRANSACTIONAL for number in range(256)])
_BEGINS = np.array([number in BEGINS for number in range(256)])
_ENDS = np.array([number in ENDS for number in range(256)])
_NOTHING = (ABSENT, 0, ABSENT, 0)


@njit(cache=CACHE, nogil=True, forceinline=True)
def _own(data: int, at: int, stop: int, little: int) -> Any:
    """Place and size of the first LOGCSN and the first TRANID in the payload of ``T``; none when it is damaged."""
    csn_at, csn_size, xid_at, xid_size = ABSENT, 0, ABSENT, 0
    for _ in range(MOST):
        if at >= stop:
            break
        token, at, size = next_token(data, at, stop, little)
        if token == LOGCSN and csn_at == ABSENT:
            csn_at, csn_size = at, size
        elif token == TRANID and xid_at == ABSENT:
            xid_at, xid_size = at, size
        at += size
    if at != stop:
        return _NOTHING
    return csn_at, csn_size, xid_at, xid_size


@njit(cache=CACHE, nogil=True)
def carry(data: int, octets: Any, rbas: Any, tokens: Any, is_open: bool, index: Any, begun: Any) -> Any:  # noqa: FBT001
    """Fill ``index``, int32, and ``begun``, int64[rows, 5]; how many are begun, and whether the last one is open.

    ``octets``: kind, io_type, trans_ind, order, uint8; ``tokens``: token_offset, token_size, uint32.
    """
    kinds, io_types, trans_inds, orders = octets
    offsets, sizes = tokens
    first, count, follows = np.int64(is_open), 0, True
    for row in range(len(rbas)):
        if kinds[row] != RECORD or _OUTSIDE[io_types[row]]:
            is_open = is_open and follows
            follows = kinds[row] <= FILE_HEADER
            index[row] = 0
            continue
        own = _NOTHING
        size = np.int64(sizes[row])
        if size != 0:
            at = np.int64(rbas[row]) + np.int64(offsets[row])
            own = _own(data, at, at + size, np.int64(orders[row]))
        if _BEGINS[trans_inds[row]] or own[0] != ABSENT:
            begun[count, 0] = row
            begun[count, 1], begun[count, 2], begun[count, 3], begun[count, 4] = own
            count += 1
        elif not (follows and is_open):
            begun[count, 0], begun[count, 1] = row, LOOKED_FOR
            begun[count, 2], begun[count, 3], begun[count, 4] = 0, ABSENT, 0
            count += 1
        index[row] = first + count
        is_open, follows = not _ENDS[trans_inds[row]], True
    return count, is_open and follows
