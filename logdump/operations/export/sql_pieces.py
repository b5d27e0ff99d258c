"""The pieces of large objects behind the rows of a block, found among its rows: no file is searched for them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from logdump.arrow.tables.piece import Array
from trailformat.changes.lobs import MOST_LOBS
from trailformat.records.io_types import LARGE_OBJECT, NOT_TRANSACTIONAL, RECORD_FRAGMENT
from trailformat.scan import FILE_HEADER, RECORD, Batch

_BELONGS = frozenset({LARGE_OBJECT, RECORD_FRAGMENT})
"""Records that belong to the row before them."""
_IS_ROW = np.array([number not in NOT_TRANSACTIONAL and number not in _BELONGS for number in range(256)])


class Units(NamedTuple):
    """The changes among the rows of a batch.

    Attributes:
        rows: the rows that are changes or parts of one, by their numbers in the batch.
        extent: the number of the transaction of each.
        is_piece: a mask of those that are pieces of large objects.
        number: the number of each one's unit.
        heads: the places of those that begin a unit among them.
    """

    rows: Array
    extent: Array
    is_piece: Array
    number: Array
    heads: Array

    @property
    def stops(self) -> Array:
        """The places behind the last row of each unit."""
        stops: Array = np.append(self.heads[1:], len(self.rows))
        return stops

    @property
    def is_second(self) -> Array:
        """A mask of those that are the second record of an update."""
        mask: Array = ~self.is_piece
        mask[self.heads] = False
        return mask

    def ends(self, *, is_last: bool) -> list[int]:
        """The first row of each transaction, or the last."""
        changes = np.diff(self.extent) != 0
        places = np.append(changes, True) if is_last else np.append(True, changes)
        found: list[int] = self.rows[places].tolist()
        return found


class PiecesBehind(NamedTuple):
    """The pieces behind the last row of each unit.

    Attributes:
        first, stop: their places among the rows of the units.
        is_known: a mask of the units that have some, and all of them there: another row follows in the batch.
    """

    first: Array
    stop: Array
    is_known: Array


def pieces_behind(batch: Batch, units: Units) -> PiecesBehind:
    """The pieces behind the rows of a batch."""
    kind, io_type = np.asarray(batch.kind), np.asarray(batch.io_type)
    pieces_before = np.append(0, np.cumsum(units.is_piece))
    plain, stops = np.flatnonzero(~units.is_piece), units.stops
    last = np.append(plain, -1)[np.searchsorted(plain, stops) - 1]
    has_row = last >= units.heads
    first = np.where(has_row, last + 1, units.heads)
    is_known = has_row & (first < stops) & (stops - first < MOST_LOBS) & (stops < len(units.rows))
    is_known &= pieces_before[first] == pieces_before[units.heads]
    if is_known.any():
        follows = np.append(np.flatnonzero((kind == RECORD) & _IS_ROW[io_type]), len(batch))
        base = units.rows[np.maximum(last, 0)]
        row = follows[np.searchsorted(follows, base, "right").clip(max=len(follows) - 1)]
        of_objects = np.append(0, np.cumsum((kind == RECORD) & (io_type == LARGE_OBJECT)))
        spans = np.append(0, np.cumsum(kind > FILE_HEADER))
        is_known &= (row < len(batch)) & (np.searchsorted(units.rows, row) == stops)
        is_known &= (of_objects[row] - of_objects[base] == stops - first) & (spans[row] == spans[base])
    return PiecesBehind(first, stops, is_known)
