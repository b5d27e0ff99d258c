"""Neighbouring transactions of a file, whose statements are made together.

A unit consists of the records of one change: a row with the pieces of its large objects, or the two records of an
update; the pieces before the first row of a transaction are a unit too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from logdump.display.sql.units import Units
from trailformat import TrailFile
from trailformat.changes.row_changes import OPERATIONS
from trailformat.records.io_types import LARGE_OBJECT
from trailformat.scan import RECORD, Batch, scan
from trailformat.scan.batch import BATCH_SIZE
from trailformat.scan.rows import other_halves
from trailformat.transactions.extent import Extent

_MOST_BYTES = 8 << 20
"""Bytes of a block, unless one change alone has more."""
_MOST_TRANSACTIONS = 1 << 13
"""Of a block; each is some objects until its block is written."""
_CUT_ROWS = BATCH_SIZE
"""Records among which a large transaction is parted at most once."""
_IS_CHANGE = np.array([number in OPERATIONS for number in range(256)])


class Block(NamedTuple):
    """Neighbouring transactions, in the order of the file, or a part of one.

    Attributes:
        extents: the transactions.
        start: the RBA of the first record; ``stop``: one more than that of the last.
        opens: True if the lines before the statements of a transaction are in this block; ``closes``: those after them.
    """

    extents: list[Extent]
    start: int
    stop: int
    opens: bool = True
    closes: bool = True


class BlockExtents:
    """Transactions of one file that are collected into a block.

    Args:
        extent: the first of them in the script, completely in one file.

    Attributes:
        extents: the transactions so far.
    """

    def __init__(self, extent: Extent) -> None:
        self.extents = [extent]
        self.span = _bounds(extent)

    def takes(self, extent: Extent) -> bool:
        """Take the next one in, unless it begins another block."""
        first, begin = self.extents[0].first, extent.first
        if first is None or begin is None or not begin.is_in(first.path):
            return False
        (start, stop), (left, right) = self.span, _bounds(extent)
        wide = min(start, left), max(stop, right)
        is_full = stop - start >= _MOST_BYTES or len(self.extents) == _MOST_TRANSACTIONS
        if is_full or wide[1] - wide[0] > 2 * _MOST_BYTES:
            return False
        self.extents.append(extent)
        self.span = wide
        return True


def is_in_one_file(extent: Extent) -> bool:
    """Return True if all records of a transaction are in one file."""
    return extent.first is not None and extent.last is not None and extent.first.is_in(extent.last.path)


def _bounds(extent: Extent) -> tuple[int, int]:
    """Return the RBA of the first known record of a transaction, and one more than that of the last."""
    first, last = extent.first, extent.last
    return (first.rba, last.rba + 1) if first is not None and last is not None else (0, 0)


def blocks_of(waiting: BlockExtents, trail: TrailFile, *, is_backwards: bool) -> Iterator[Block]:
    """Neighbouring transactions of a file as blocks, in the order of the script."""
    extents, (start, stop) = waiting.extents, waiting.span
    ordered = extents[::-1] if is_backwards else extents
    if len(extents) > 1 or stop - start <= 2 * _MOST_BYTES:
        yield Block(ordered, start, stop)
        return
    cuts = [start, *_cuts(trail, extents[0], start, stop), stop]
    last = len(cuts) - 2
    for part in range(last, -1, -1) if is_backwards else range(last + 1):
        is_first, is_last = part == 0, part == last
        opens, closes = (is_last, is_first) if is_backwards else (is_first, is_last)
        yield Block(ordered, cuts[part], cuts[part + 1], opens, closes)


def _cuts(trail: TrailFile, extent: Extent, start: int, stop: int) -> Iterator[int]:
    """RBAs at which a large transaction can be parted."""
    before = start
    for batch in scan(trail, start, stop, batch_size=_CUT_ROWS):
        units = units_of(batch, [extent])
        heads = units.rows[units.heads[np.cumsum(~units.is_piece)[units.heads] > 1]]
        if len(heads) and (rba := int(batch.rba[heads[-1]])) - before >= _MOST_BYTES:
            yield rba
            before = rba


def units_of(batch: Batch, extents: list[Extent]) -> Units:
    """The changes of transactions among the rows of a batch."""
    rba, io_type = np.asarray(batch.rba), np.asarray(batch.io_type)
    starts, stops = np.array([_bounds(extent) for extent in extents], np.int64).T
    extent = np.searchsorted(starts, rba, "right") - 1
    is_inside = (extent >= 0) & (rba < stops[extent]) & (np.asarray(batch.kind) == RECORD) & _IS_CHANGE[io_type]
    rows = np.flatnonzero(is_inside)
    is_piece = io_type[rows] == LARGE_OBJECT
    other = other_halves(batch, rows[~is_piece])[rows]
    is_second = (other >= 0) & (other < rows) & (extent[np.maximum(other, 0)] == extent[rows])
    extent = extent[rows]
    head = ~(is_piece | is_second) | (np.diff(extent, prepend=-1) != 0)
    return Units(rows, extent, is_piece, np.cumsum(head) - 1, np.flatnonzero(head))
