"""Rows of a batch together with their bytes, as work for a thread."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from trailformat import TrailFile
from trailformat.scan import Batch
from trailformat.scan.rows import RowBytes
from trailformat.scan.rows.row_bytes import Read, RowBuffer, read_range
from trailformat.transactions.tracker import RowTransactions

Array = np.ndarray[Any, Any]
_MOST_BYTES = 24 << 20
"""Bytes of a piece, unless one record alone has more."""


class Piece(NamedTuple):
    """Rows of a batch of numpy columns, and the transactions of the batch."""

    rows: RowBytes
    owners: RowTransactions


def held_bytes(trail: TrailFile, batch: Batch, rows: Array) -> RowBuffer | None:
    """The bytes of a batch that makes one piece, read once for all that is done with them; None for any other.

    Raises:
        NotATrail: the file cannot be read any more.
    """
    begin, end = int(batch.rba[0]), batch.end
    return read_range(trail.buffer, begin, end) if end - begin <= _MOST_BYTES and 2 * len(rows) > len(batch) else None


def pieces(
    trail: TrailFile, batch: Batch, rows: Array, owners: RowTransactions, held: RowBuffer | None = None
) -> Iterator[Piece]:
    """Rows of a batch, by their numbers in order, in pieces of about one size; ``held`` has their bytes, if anything.

    Raises:
        NotATrail: the file has become shorter.
    """
    if held is not None:
        read = Read(held.data, np.asarray(batch.rba)[rows] - held.begin)
        yield Piece(RowBytes(trail.buffer, batch, rows, read), owners)
    elif len(rows):
        last = rows[-1]
        size = int(batch.rba[last]) + int(batch.length[last]) - int(batch.rba[rows[0]])
        most = size // -(-size // _MOST_BYTES) + 1
        yield from (Piece(part, owners) for part in RowBytes.chunks(trail.buffer, batch, rows, most))
