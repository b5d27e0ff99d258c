"""What the tokens of a batch's rows tell, by numba's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.framing import Buffer
from trailformat.scan.batch import Batch, Column
from trailformat.scan.carrying import ABSENT, FIRST_BEGUN, LOOKED_FOR, Carried, Found
from trailformat.scan.kernel_arguments import Array
from trailformat.scan.kernel_carrying import carry, gather
from trailformat.scan.kernel_tokens import mark_rows


def carry_by_kernel(batch: Batch, buffer: Buffer, *, is_open: bool) -> Carried:
    """See :func:`trailformat.scan.carrying.carry`; the columns are ndarrays."""
    data = np.frombuffer(buffer, np.uint8)
    octets = _arrays(batch.kind, batch.io_type, batch.trans_ind, batch.order)
    tokens = _arrays(batch.token_offset, batch.token_size)
    (rbas,) = _arrays(batch.rba)
    index = np.empty(len(rbas), np.int32)
    begun = np.empty((5, len(rbas) + FIRST_BEGUN), np.int64)
    begun[:, :FIRST_BEGUN] = np.array([[-1], [0], [ABSENT], [0], [ABSENT]])
    count, is_open = carry(data.ctypes.data, octets, rbas, tokens, is_open, index, begun)
    rows, csn_at, csn_size, xid_at, xid_size = begun[:, :count].copy()
    csn, xid = _found(data, csn_at, csn_size), _found(data, xid_at, xid_size)
    return Carried(index, rows, csn, xid, bool(is_open), np.flatnonzero(csn_size == LOOKED_FOR).tolist())


def _found(data: Array, places: Array, sizes: Array) -> Found:
    ends = np.cumsum(np.maximum(sizes, 0))
    starts = ends - np.maximum(sizes, 0)
    out = np.empty(int(ends[-1]), np.uint8)
    gather(data.ctypes.data, places, sizes, starts, out)
    return Found(out.tobytes(), starts, sizes)


def mark_by_kernel(batch: Batch, buffer: Buffer, token_id: int) -> Column:
    """See :func:`trailformat.scan.token_rows.rows_with_token`; the result is an ndarray."""
    data = np.frombuffer(buffer, np.uint8)
    orders, rbas = _arrays(batch.order, batch.rba)
    tokens = _arrays(batch.token_offset, batch.token_size)
    marks = np.empty(len(rbas), np.uint8)
    mark_rows(data.ctypes.data, orders, rbas, tokens, token_id, marks)
    return marks


def _arrays(*columns: Column) -> tuple[Any, ...]:
    return tuple(np.ascontiguousarray(column) for column in columns)
