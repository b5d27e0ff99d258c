"""LOGCSN, TRANID and other tokens of a batch's rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileBuffer, copied
from trailformat.codec.tokens import token_places
from trailformat.errors import BadToken
from trailformat.native.loaded import kernels
from trailformat.native.scan.arguments import ABSENT
from trailformat.records.framing import Buffer
from trailformat.scan.batch import Batch, BatchColumn, StringColumn
from trailformat.scan.rows.row_bytes import RowBuffer, read_range, read_regions

_Array = np.ndarray[Any, Any]
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


_COLUMNS = ("kind", "order", "rba", "token_offset", "token_size")
"""The columns that the kernels of tokens read, in the order of ``arguments.T_KIND`` and the following."""


class _Tokens:
    """Columns of rows for the kernels, with bytes of the file from the RBA ``begin`` on.

    Attributes:
        data: the address that the byte at RBA 0 would have.
        columns: the address of the array of the columns' addresses.
        rows: the number of rows.
    """

    def __init__(self, columns: Iterable[Any], data: Buffer, begin: int) -> None:
        self._referenced = np.frombuffer(data, np.uint8), [np.ascontiguousarray(column) for column in columns]
        self._addresses = np.array([column.ctypes.data for column in self._referenced[1]], np.int64)
        self.data, self.columns = self._referenced[0].ctypes.data - begin, self._addresses.ctypes.data
        self.rows = len(self._referenced[1][0])

    @classmethod
    def of_batch(cls, batch: Batch, buffer: FileBuffer) -> _Tokens:
        """Return all rows of a batch."""
        bounds = (int(batch.rba[0]), batch.end) if len(batch) else (0, 0)
        return cls((getattr(batch, name) for name in _COLUMNS), *read_range(buffer, *bounds))

    def texts(self, places: _Array, sizes: _Array) -> StringColumn:
        """Return the texts at RBAs of the file; None where the size is negative."""
        ends = np.cumsum(np.maximum(sizes, 0))
        starts = ends - np.maximum(sizes, 0)
        out = np.empty(int(ends[-1]) if len(ends) else 0, np.uint8)
        addresses = (places.ctypes.data, sizes.ctypes.data, starts.ctypes.data)
        kernels()["gather"](self.data, *addresses, len(sizes), out.ctypes.data)
        return StringColumn(out.tobytes(), starts, sizes, {})

    def csn_and_xid(self) -> tuple[StringColumn, StringColumn]:
        """Return the LOGCSN and the TRANID of each row."""
        places = np.empty((4, self.rows), np.int64)
        kernels()["own_tokens"](self.data, self.columns, self.rows, places.ctypes.data)
        return self.texts(*places[:2]), self.texts(*places[2:])


def csn_and_xid_of(
    batch: Batch, rows: Any, is_wanted: Any, buffer: FileBuffer, row_buffer: RowBuffer | None = None
) -> tuple[StringColumn, StringColumn]:
    """Return LOGCSN and TRANID from the tokens of some rows of a batch; None where the mask ``is_wanted`` is False.

    ``row_buffer`` has the bytes of the batch if they have been read; if None, those of the tokens are read.

    Raises:
        CannotRead: ``buffer`` ends before the batch.
    """
    batch.require(buffer)
    columns = {name: np.asarray(getattr(batch, name))[rows[is_wanted]] for name in _COLUMNS}
    begins = columns["rba"] + columns["token_offset"]
    if row_buffer is None:
        read = read_regions(buffer, begins, begins + columns["token_size"])
        columns["rba"], row_buffer = read.starts - columns["token_offset"], RowBuffer(read.data, 0)
    csns, xids = _Tokens(columns.values(), *row_buffer).csn_and_xid()
    return _spread(csns, is_wanted), _spread(xids, is_wanted)


def _spread(texts: StringColumn, mask: _Array) -> StringColumn:
    """Return a column with ``texts`` where the mask is True, else None."""
    starts, sizes = np.full((2, len(mask)), ABSENT, np.int64)
    starts[mask], sizes[mask] = np.asarray(texts.starts), np.asarray(texts.sizes)
    return StringColumn(texts.data, starts, sizes, {})


def rows_with_token(batch: Batch, buffer: FileBuffer, token_id: int) -> BatchColumn:
    """Return 1 for each row with a token of this id, else 0, uint8; 0 if its ``T`` is damaged.

    Raises:
        CannotRead: ``buffer`` ends before the batch.
    """
    batch.require(buffer)
    tokens = _Tokens.of_batch(batch, buffer)
    marks = np.empty(len(batch), np.uint8)
    kernels()["mark_rows"](tokens.data, tokens.columns, tokens.rows, token_id, marks.ctypes.data)
    return marks


def payloads(buffer: FileBuffer, offset: int, size: int, order: int, token_id: int) -> list[bytes]:
    """Return the payloads of the tokens with this id in the ``T`` of ``size`` bytes at ``offset``; empty if damaged.

    ``order`` is as in the column: 0 big-endian, 1 little-endian.
    """
    data = copied(buffer, offset, offset + size)
    try:
        places = token_places(data, 0, size, _ORDERS[order])
    except BadToken:
        return []
    return [data[start : start + length] for token, _, start, length in places if token == token_id]
