"""The tokens of a batch's rows, by kernels."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.records.framing import Buffer
from trailformat.scan.batch import Batch, BatchColumn
from trailformat.scan.kernels.loaded import kernels
from trailformat.scan.rows.row_bytes import Held, read_range
from trailformat.scan.string_column import StringColumn

_Array = np.ndarray[Any, Any]


class _Bytes:
    """The bytes of a batch, and the address where the one at RBA 0 would stand."""

    def __init__(self, batch: Batch, buffer: Buffer, held: Held | None = None) -> None:
        data, begin = held or read_range(buffer, int(batch.rba[0]), batch.end)
        self._held = np.frombuffer(data, np.uint8)
        self.address = self._held.ctypes.data - begin


class _Columns:
    """The columns that the kernels look at, and the address of their addresses."""

    def __init__(self, batch: Batch) -> None:
        columns = (batch.kind, batch.order, batch.rba, batch.token_offset, batch.token_size)
        self._held = [np.ascontiguousarray(column) for column in columns]
        self._addresses = np.array([column.ctypes.data for column in self._held], np.int64)
        self.address = self._addresses.ctypes.data


def own_tokens(batch: Batch, buffer: Buffer, held: Held | None = None) -> tuple[StringColumn, StringColumn]:
    """LOGCSN and TRANID in the tokens of each row; the columns are ndarrays.

    ``held`` has the bytes of the batch, where they have been read.
    """
    data, columns, rows = _Bytes(batch, buffer, held), _Columns(batch), len(batch)
    found = np.empty((4, rows), np.int64)
    kernels()["own_tokens"](data.address, columns.address, rows, found.ctypes.data)
    return _found(data, *found[:2]), _found(data, *found[2:])


def _found(data: _Bytes, places: _Array, sizes: _Array) -> StringColumn:
    ends = np.cumsum(np.maximum(sizes, 0))
    starts = ends - np.maximum(sizes, 0)
    out = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    addresses = (places.ctypes.data, sizes.ctypes.data, starts.ctypes.data)
    kernels()["gather"](data.address, *addresses, len(sizes), out.ctypes.data)
    return StringColumn(out.tobytes(), starts, sizes, {})


def mark_by_kernel(batch: Batch, buffer: Buffer, token_id: int) -> BatchColumn:
    """See :func:`trailformat.scan.transactions.token_rows.rows_with_token`; the result is an ndarray."""
    data, columns = _Bytes(batch, buffer), _Columns(batch)
    marks = np.empty(len(batch), np.uint8)
    kernels()["mark_rows"](data.address, columns.address, len(batch), token_id, marks.ctypes.data)
    return marks
