"""The pieces of large objects after the rows of a block, found among its rows: no file is searched for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.changes.lobs import MOST_LOBS
from trailformat.scan import Batch
from trailformat.scan.rows import related_rows
from trailformat.scan.rows.row_bytes import Array


class Units(NamedTuple):
    """The changes among the rows of a batch.

    Attributes:
        rows: the rows that are changes or parts of one, by their numbers in the batch.
        extent: the number of the transaction of each.
        is_piece: a mask of those that are pieces of large objects.
        number: the number of the unit of each row.
        heads: the indexes of the rows that begin a unit.
    """

    rows: Array
    extent: Array
    is_piece: Array
    number: Array
    heads: Array

    @property
    def stops(self) -> Array:
        """The index after the last row of each unit."""
        stops: Array = np.append(self.heads[1:], len(self.rows))
        return stops

    @property
    def is_second(self) -> Array:
        """A mask of those that are the second record of an update."""
        mask: Array = ~self.is_piece
        mask[self.heads] = False
        return mask

    def of_rows(self, rows: Array) -> Array:
        """The numbers of the units that rows of the batch belong to."""
        units: Array = self.number[np.searchsorted(self.rows, rows)]
        return units

    def ends(self, *, is_last: bool) -> list[int]:
        """The first row of each transaction, or the last."""
        changes = np.diff(self.extent) != 0
        places = np.append(changes, True) if is_last else np.append(True, changes)
        found: list[int] = self.rows[places].tolist()
        return found


class TrailingPieces(NamedTuple):
    """The pieces after the last row of each unit.

    Attributes:
        first, stop: their indexes among the rows of the units.
        is_known: a mask of the units that have pieces, and all of them, since another row follows in the batch.
    """

    first: Array
    stop: Array
    is_known: Array


def trailing_pieces(batch: Batch, units: Units) -> TrailingPieces:
    """Return the pieces after the rows of a batch."""
    pieces_before = np.append(0, np.cumsum(units.is_piece))
    plain, stops = np.flatnonzero(~units.is_piece), units.stops
    last = np.append(plain, -1)[np.searchsorted(plain, stops) - 1]
    has_row = last >= units.heads
    first = np.where(has_row, last + 1, units.heads)
    is_known = has_row & (first < stops) & (stops - first < MOST_LOBS) & (stops < len(units.rows))
    is_known &= pieces_before[first] == pieces_before[units.heads]
    if is_known.any():
        base, row = related_rows(batch).base, units.rows[np.maximum(last, 0)]
        of_row = np.bincount(base[base >= 0], minlength=len(batch))
        is_known &= (of_row[row] == stops - first) & (base[units.rows[stops - 1]] == row)
    return TrailingPieces(first, stops, is_known)
