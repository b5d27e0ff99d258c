"""Neighbouring transactions of a file, or the part of a transaction in one file, whose statements are made together.

A unit consists of the records of one change: a row with the pieces of its large objects, or the two records of an
update; the pieces before the first row of a transaction are a unit too. A change that continues in later files belongs
to the file in which it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from logdump.display.sql.script_files import ScriptFiles
from logdump.display.sql.units import Units
from trailformat import Record, TrailError, TrailFile
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
        path: the file.
        extents: the transactions.
        start: the RBA of the first record; ``stop``: one more than that of the last.
        is_run: False for skipped transactions: their statements are to be read, not to be run.
        opens: True if the lines before the statements of a transaction are in this block; ``closes``: those after them.
        continued: the records of later files that continue the last change, as ``FileChanges`` has them.
    """

    path: Path
    extents: list[Extent]
    start: int
    stop: int
    is_run: bool
    opens: bool
    closes: bool
    continued: tuple[Record, ...] = ()

    @property
    def bounds(self) -> list[tuple[int, int]]:
        """The RBAs between which the records of each transaction are."""
        return [(self.start, self.stop)] if len(self.extents) == 1 else list(map(_bounds, self.extents))


class BlockExtents:
    """Transactions of one file that are collected into a block.

    Args:
        path: the file.
        extent: the first of them in the script, completely in one file.
        is_run: as Block has it.

    Attributes:
        path, is_run: as given.
        extents: the transactions so far.
        span: the RBA of the first record, and one more than that of the last.
    """

    def __init__(self, path: Path, extent: Extent, *, is_run: bool) -> None:
        self.path, self.is_run = path, is_run
        self.extents = [extent]
        self.span = _bounds(extent)

    def takes(self, path: Path, extent: Extent, *, is_run: bool) -> bool:
        """Take the next one in, unless it begins another block."""
        if (path, is_run) != (self.path, self.is_run):
            return False
        (start, stop), (left, right) = self.span, _bounds(extent)
        wide = min(start, left), max(stop, right)
        is_full = stop - start >= _MOST_BYTES or len(self.extents) == _MOST_TRANSACTIONS
        if is_full or wide[1] - wide[0] > 2 * _MOST_BYTES:
            return False
        self.extents.append(extent)
        self.span = wide
        return True


def file_of(extent: Extent) -> Path | None:
    """The file that has all records of a transaction, none of them lost; None if there is no such file."""
    first, last = extent.first, extent.last
    is_alone = first is not None and last is not None and first.is_in(last.path) and not extent.damage
    return first.path if first is not None and is_alone else None


def _bounds(extent: Extent) -> tuple[int, int]:
    """Return the RBA of the first known record of a transaction, and one more than that of the last."""
    first, last = extent.first, extent.last
    return (first.rba, last.rba + 1) if first is not None and last is not None else (0, 0)


def blocks_of(waiting: BlockExtents, trail: TrailFile, *, is_backwards: bool) -> Iterator[Block]:
    """Neighbouring transactions of a file as blocks, in the order of the script."""
    extents, is_run = waiting.extents, waiting.is_run
    ordered = extents[::-1] if is_backwards else extents
    block = Block(waiting.path, ordered, *waiting.span, is_run, opens=True, closes=is_run)
    if len(extents) > 1:
        yield block
    else:
        yield from _parts(block, trail, is_backwards=is_backwards)


def blocks_over(extent: Extent, files: ScriptFiles, *, is_run: bool, is_backwards: bool) -> Iterator[Block]:
    """A transaction in any number of files as blocks, in the order of the script.

    Raises:
        TrailError: at damage in it, after the blocks before that.
    """
    waiting: Block | None = None
    continued: tuple[Record, ...] = ()
    try:
        for changes in files.changes_by_file(extent, is_backwards=is_backwards):
            if waiting is not None and not is_backwards:
                waiting = waiting._replace(continued=waiting.continued + changes.continued)
            if changes.start < changes.stop:
                bounds = changes.start, changes.stop
                block = Block(
                    changes.path,
                    [extent],
                    *bounds,
                    is_run,
                    is_run and waiting is None,
                    closes=False,
                    continued=continued,
                )
                for part in _parts(block, files.of(changes.path).trail, is_backwards=is_backwards):
                    if waiting is not None:
                        yield waiting
                    waiting = part
                continued = ()
            if is_backwards:
                continued = changes.continued + continued
    except TrailError:
        if waiting is not None:
            yield waiting
        raise
    if waiting is not None:
        yield waiting._replace(closes=is_run)


def _parts(block: Block, trail: TrailFile, *, is_backwards: bool) -> Iterator[Block]:
    """Yield the block of one transaction, in parts if it is large, in the order of the script."""
    if block.stop - block.start <= 2 * _MOST_BYTES:
        yield block
        return
    cuts = [block.start, *_cuts(trail, block), block.stop]
    last = len(cuts) - 2
    for part in range(last, -1, -1) if is_backwards else range(last + 1):
        opening, closing = (last, 0) if is_backwards else (0, last)
        yield block._replace(
            start=cuts[part],
            stop=cuts[part + 1],
            opens=block.opens and part == opening,
            closes=block.closes and part == closing,
            continued=block.continued if part == last else (),
        )


def _cuts(trail: TrailFile, block: Block) -> Iterator[int]:
    """RBAs at which a large transaction can be parted."""
    before = block.start
    for batch in scan(trail, block.start, block.stop, batch_size=_CUT_ROWS):
        units = units_of(batch, block.bounds)
        heads = units.rows[units.heads[np.cumsum(~units.is_piece)[units.heads] > 1]]
        if len(heads) and (rba := int(batch.rba[heads[-1]])) - before >= _MOST_BYTES:
            yield rba
            before = rba


def units_of(batch: Batch, bounds: list[tuple[int, int]]) -> Units:
    """The changes of transactions among the rows of a batch; ``bounds``: as Block has them."""
    rba, io_type = np.asarray(batch.rba), np.asarray(batch.io_type)
    starts, stops = np.array(bounds, np.int64).T
    extent = np.searchsorted(starts, rba, "right") - 1
    is_inside = (extent >= 0) & (rba < stops[extent]) & (np.asarray(batch.kind) == RECORD) & _IS_CHANGE[io_type]
    rows = np.flatnonzero(is_inside)
    is_piece = io_type[rows] == LARGE_OBJECT
    other = other_halves(batch, rows[~is_piece])[rows]
    is_second = (other >= 0) & (other < rows) & (extent[np.maximum(other, 0)] == extent[rows])
    extent = extent[rows]
    head = ~(is_piece | is_second) | (np.diff(extent, prepend=-1) != 0)
    return Units(rows, extent, is_piece, np.cumsum(head) - 1, np.flatnonzero(head))
