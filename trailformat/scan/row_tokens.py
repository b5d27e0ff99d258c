"""LOGCSN, TRANID and other tokens of a batch's rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileBuffer, copied
from trailformat.codec.tokens import token_places
from trailformat.errors import BadToken
from trailformat.native.loaded import kernels
from trailformat.scan.batch import FILE_HEADER, Batch, BatchColumn
from trailformat.scan.rows.row_bytes import RowBuffer, read_range
from trailformat.scan.string_column import StringColumn

_Array = np.ndarray[Any, Any]
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


class _Bytes:
    """The bytes of a batch, and the address where the one at RBA 0 would stand."""

    def __init__(self, batch: Batch, buffer: FileBuffer, held: RowBuffer | None = None) -> None:
        bounds = (int(batch.rba[0]), batch.end) if len(batch) else (0, 0)
        data, begin = held or read_range(buffer, *bounds)
        self._held = np.frombuffer(data, np.uint8)
        self.address = self._held.ctypes.data - begin


class _Columns:
    """The columns that the kernels look at, and the address of their addresses."""

    def __init__(self, batch: Batch) -> None:
        columns = (batch.kind, batch.order, batch.rba, batch.token_offset, batch.token_size)
        self._held = [np.ascontiguousarray(column) for column in columns]
        self._addresses = np.array([column.ctypes.data for column in self._held], np.int64)
        self.address = self._addresses.ctypes.data


def own_tokens(batch: Batch, buffer: FileBuffer, held: RowBuffer | None = None) -> tuple[StringColumn, StringColumn]:
    """LOGCSN and TRANID in the tokens of each row.

    ``held`` has the bytes of the batch, where they have been read.
    """
    data, columns, rows = _Bytes(batch, buffer, held), _Columns(batch), len(batch)
    found = np.empty((4, rows), np.int64)
    kernels()["own_tokens"](data.address, columns.address, rows, found.ctypes.data)
    return _texts(data, *found[:2]), _texts(data, *found[2:])


def csn_and_xid_of(
    batch: Batch, rows: Any, is_wanted: Any, buffer: FileBuffer, held: RowBuffer | None = None
) -> tuple[StringColumn, StringColumn]:
    """LOGCSN and TRANID in the tokens of some rows of a batch; none of the rows that the mask ``is_wanted`` lacks.

    ``held`` has the bytes of the batch, where they have been read.

    Raises:
        NotATrail: ``buffer`` ends before the batch.
    """
    batch.require(buffer)
    chosen = {name: np.asarray(column)[rows] for name, column in batch.columns()}
    chosen["kind"] = np.where(is_wanted, chosen["kind"], FILE_HEADER).astype(np.uint8)
    return own_tokens(Batch(batch.names, **chosen), buffer, held)


def _texts(data: _Bytes, places: _Array, sizes: _Array) -> StringColumn:
    ends = np.cumsum(np.maximum(sizes, 0))
    starts = ends - np.maximum(sizes, 0)
    out = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
    addresses = (places.ctypes.data, sizes.ctypes.data, starts.ctypes.data)
    kernels()["gather"](data.address, *addresses, len(sizes), out.ctypes.data)
    return StringColumn(out.tobytes(), starts, sizes, {})


def rows_with_token(batch: Batch, buffer: FileBuffer, token_id: int) -> BatchColumn:
    """For each row 1 where the record carries a token with this id, else 0, uint8; of a damaged ``T`` nothing counts.

    Raises:
        NotATrail: ``buffer`` ends before the batch.
    """
    batch.require(buffer)
    data, columns = _Bytes(batch, buffer), _Columns(batch)
    marks = np.empty(len(batch), np.uint8)
    kernels()["mark_rows"](data.address, columns.address, len(batch), token_id, marks.ctypes.data)
    return marks


def payloads(buffer: FileBuffer, at: int, size: int, order: int, token_id: int) -> list[bytes]:
    """The payloads of the tokens with this id in the ``T`` of ``size`` bytes at ``at``; none when it is damaged.

    ``order`` is the column's: 0 big-endian, 1 little-endian.
    """
    data = copied(buffer, at, at + size)
    try:
        places = token_places(data, 0, size, _ORDERS[order])
    except BadToken:
        return []
    return [data[start : start + length] for token, _, start, length in places if token == token_id]
