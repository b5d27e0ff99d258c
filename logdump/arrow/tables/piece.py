"""Some rows of a batch together with their bytes, so that a thread can make something of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from trailformat import ByteOrder, Record, TrailFile
from trailformat.codec.mapped_file import copied
from trailformat.scan import Batch, RowTransactions
from trailformat.scan.rows.chunks import chunks

Array = np.ndarray[Any, Any]
_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)
_MOST_BYTES = 16 << 20
"""Bytes of a piece, unless one record alone has more."""


class Piece(NamedTuple):
    """Some rows of a batch.

    Attributes:
        batch: of numpy columns.
        rows: their numbers in it, in order.
        data: the bytes of the file that hold them.
        base: the RBA of the first of these bytes.
        owners: the transactions of the batch.
        segment: for each of the rows how many metadata records stand before it in the batch.
    """

    batch: Batch
    rows: Array
    data: bytes
    base: int
    owners: RowTransactions
    segment: Array

    @property
    def view(self) -> Array:
        """The bytes as an array."""
        return np.frombuffer(self.data, np.uint8)

    def starts(self, at: Array) -> Array:
        """The offsets in the bytes at which rows of the batch begin."""
        starts: Array = np.asarray(self.batch.rba)[at] - self.base
        return starts

    def record(self, row: int) -> Record:
        """One of the rows, by its number here, as a record; it does not say of which file."""
        at = self.rows[row]
        start = int(self.batch.rba[at]) - self.base
        raw = self.data[start : start + int(self.batch.length[at])]
        return Record(raw, rba=start + self.base, order=_ORDERS[self.batch.order[at]])


def pieces(
    trail: TrailFile, batch: Batch, rows: Array, owners: RowTransactions, metadata_before: Array
) -> Iterator[Piece]:
    """Rows of a batch in pieces of about one size.

    Args:
        trail: the file.
        batch: of numpy columns.
        rows: numbers of rows in it, in order.
        owners: the transactions of the batch.
        metadata_before: for each row of the batch what ``Piece.segment`` is.

    Raises:
        NotATrail: the file has become shorter.
    """
    if not len(rows):
        return
    starts = np.asarray(batch.rba)[rows]
    ends = starts + np.asarray(batch.length)[rows]
    size = int(ends[-1] - starts[0])
    most = size // -(-size // _MOST_BYTES) + 1
    for at, stop in chunks(starts, ends, most):
        base, some = int(starts[at]), rows[at:stop]
        data = copied(trail.buffer, base, int(ends[stop - 1]))
        yield Piece(batch, some, data, base, owners, metadata_before[some])
