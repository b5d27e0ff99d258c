"""What the tokens of a batch's rows tell, by numba's kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.framing import Buffer
from trailformat.scan.batch import Batch, Column
from trailformat.scan.kernel_carrying import carry
from trailformat.scan.kernel_tokens import mark_rows


def carry_by_kernel(batch: Batch, buffer: Buffer, *, is_open: bool) -> tuple[Column, list[Any], bool]:
    """See :func:`trailformat.scan.carrying.carry`; ``index`` is an ndarray."""
    data = np.frombuffer(buffer, np.uint8)
    octets = _arrays(batch.kind, batch.io_type, batch.trans_ind, batch.order)
    tokens = _arrays(batch.token_offset, batch.token_size)
    (rbas,) = _arrays(batch.rba)
    index = np.empty(len(rbas), np.int32)
    begun = np.empty((len(rbas), 5), np.int64)
    count, is_open = carry(data.ctypes.data, octets, rbas, tokens, is_open, index, begun)
    return index, [tuple(one) for one in begun[:count].tolist()], bool(is_open)


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
