"""Some rows of a batch together with their bytes, so that a thread can make something of them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np

from trailformat import TrailFile
from trailformat.scan import Batch, RowTransactions
from trailformat.scan.rows import RowBytes

Array = np.ndarray[Any, Any]
_MOST_BYTES = 16 << 20
"""Bytes of a piece, unless one record alone has more."""


class Piece(NamedTuple):
    """Some rows of a batch of numpy columns, and the transactions of the batch."""

    rows: RowBytes
    owners: RowTransactions


def pieces(trail: TrailFile, batch: Batch, rows: Array, owners: RowTransactions) -> Iterator[Piece]:
    """Rows of a batch, by their numbers in order, in pieces of about one size.

    Raises:
        NotATrail: the file has become shorter.
    """
    if len(rows):
        last = rows[-1]
        size = int(batch.rba[last]) + int(batch.length[last]) - int(batch.rba[rows[0]])
        most = size // -(-size // _MOST_BYTES) + 1
        yield from (Piece(part, owners) for part in RowBytes.chunks(trail.buffer, batch, rows, most))
