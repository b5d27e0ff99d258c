"""Neighbouring transactions of a file whose statements are made together, and what their records are.

A unit is what the statements of one by one are made of: a row with the pieces of its large objects, or the two records
of an update; the pieces in front of the first row of a transaction are one too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from logdump.arrow.tables.piece import Array
from logdump.operations.export.sql_pieces import PiecesBehind, Units, pieces_behind
from logdump.operations.export.sql_statements import KIND_OF, KINDS, SqlTable, TableChanges, sql_table
from logdump.render.sql.dialect import Dialect
from logdump.render.sql.large_objects import needs_large_objects
from logdump.render.sql.script_files import ScriptFile
from logdump.session.selection import Selection
from trailformat import Record, TrailFile
from trailformat.changes.row_changes import OPERATIONS, PAIRED
from trailformat.changes.transactions import BEGINS
from trailformat.records.io_types import LARGE_OBJECT
from trailformat.scan import RECORD, Batch, scan
from trailformat.scan.batch import BATCH_SIZE
from trailformat.scan.rows import RowBytes, by_definition, has_columns, headers_of, learn_definitions
from trailformat.transactions.extent import Extent

_MOST_BYTES = 8 << 20
"""Bytes of a block, unless one change alone has more."""
_MOST_TRANSACTIONS = 1 << 13
"""Of a block; each is some objects until its block is written."""
_MOST_ROWS = 1 << 18
"""More records than a block has, but for the pieces of large objects of one row."""
_CUT_ROWS = BATCH_SIZE
"""Records among which a large transaction is parted at most once."""
_IS_CHANGE = np.array([number in OPERATIONS for number in range(256)])
_IS_PAIRED = np.array([number in PAIRED for number in range(256)])
_IS_BEGIN = np.array([number in BEGINS for number in range(256)])
_BEFORE = ord("B")


class Block(NamedTuple):
    """Neighbouring transactions, in the order of the file, or a part of one.

    Attributes:
        extents: the transactions.
        start: the RBA of the first record; ``stop`` one behind that of the last.
        opens: whether what stands before the statements of a transaction is in this block; ``closes``: behind them.
    """

    extents: list[Extent]
    start: int
    stop: int
    opens: bool = True
    closes: bool = True


class TableObjects(NamedTuple):
    """Units of one table whose statements need the large objects behind their rows."""

    table: SqlTable
    units: Array


class BlockRows(NamedTuple):
    """What the records of a block are.

    Attributes:
        trail: the file.
        block: the block.
        units: its changes.
        rows: their bytes.
        changes: those that have columns, by table.
        objects: the units among those written one by one that are ordinary but for the large objects of their rows.
        behind: the pieces of large objects behind the rows.
        is_single: a mask of the units that are written one by one; ``is_left_out`` of those that the filter drops.
    """

    trail: TrailFile
    block: Block
    units: Units
    rows: RowBytes
    changes: list[TableChanges]
    objects: list[TableObjects]
    behind: PiecesBehind
    is_single: Array
    is_left_out: Array

    def records(self, unit: int) -> list[Record]:
        """The records that the statements of a unit are made of."""
        begin, end = int(self.units.heads[unit]), int(self.behind.stop[unit])
        is_piece = self.units.is_piece[begin:end]
        is_wanted = ~is_piece | is_piece[0]
        is_wanted[1:] |= ~is_piece[:-1]
        return [self.rows.record(row, self.trail.path) for row in (begin + np.flatnonzero(is_wanted)).tolist()]

    def pieces(self, unit: int) -> list[Record] | None:
        """The pieces of large objects behind the last row of a unit; None where they may not all be here."""
        if not self.behind.is_known[unit]:
            return None
        places = range(int(self.behind.first[unit]), int(self.behind.stop[unit]))
        return [self.rows.record(row, self.trail.path) for row in places]


class BlockExtents:
    """Transactions of one file that go into a block, one after the other.

    Args:
        extent: the first of them in the script; all of it stands in one file.

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
    """Whether all of a transaction stands in one file."""
    return extent.first is not None and extent.last is not None and extent.first.is_in(extent.last.path)


def _bounds(extent: Extent) -> tuple[int, int]:
    """The RBA of the first record of a transaction that is there, and one behind that of the last."""
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
    extent, io_type = extent[rows], io_type[rows]
    is_piece = io_type == LARGE_OBJECT
    head = ~is_piece | (np.diff(extent, prepend=-1) != 0)
    plain = np.flatnonzero(~is_piece)
    types, is_before = io_type[plain], np.asarray(batch.before_after)[rows[plain]] == _BEFORE
    is_half = _IS_PAIRED[types] & is_before
    is_other = ~is_before[1:] & ~_IS_BEGIN[np.asarray(batch.trans_ind)[rows[plain[1:]]]]
    is_pair = is_half[:-1] & is_other & (types[1:] == types[:-1]) & (np.diff(extent[plain]) == 0)
    head[plain[1:][is_pair]] = False
    return Units(rows, extent, is_piece, np.cumsum(head) - 1, np.flatnonzero(head))


class BlockReader:
    """Reads blocks of one file.

    Args:
        file: the file.
        selection: the filter.
        dialect: that of the statements.
        is_open: whether it is the file that the session has open.
        takes_back: whether the changes are taken back.

    Attributes:
        file: the file.
    """

    def __init__(
        self, file: ScriptFile, selection: Selection, dialect: Dialect, *, is_open: bool, takes_back: bool
    ) -> None:
        self.file = file
        self._selection = selection
        self._dialect = dialect
        self._is_open = is_open
        self._needs_objects = np.array([needs_large_objects(op, takes_back=takes_back) for op in KINDS])
        self._tables: dict[tuple[str, int, str], tuple[object, SqlTable | None]] = {}

    def read(self, block: Block) -> BlockRows:
        """What the records of a block are.

        Raises:
            NotATrail: the file has become shorter.
        """
        trail = self.file.trail
        batch = next(scan(trail, block.start, block.stop, batch_size=_MOST_ROWS))
        learn_definitions(trail, batch)
        units = units_of(batch, block.extents)
        rows = RowBytes(trail.buffer, batch, units.rows)
        number, count, is_second = units.number, len(units.heads), units.is_second
        headers, kinds = headers_of(rows), KIND_OF[rows.of("io_type")]
        groups = by_definition(rows, headers.table_index)
        is_apart = is_second & (groups.group != groups.group[units.heads[number]])
        is_odd = (headers.is_continued | ~has_columns(rows) | (kinds < 0) | is_apart) & ~units.is_piece
        is_odd[units.heads] |= units.is_piece[units.heads]
        is_left_out = self._left_out(batch, units, is_apart)
        is_single = (np.bincount(number, is_odd, count) > 0) & ~is_left_out
        has_objects = self._needs_objects[kinds[units.heads]] & (np.bincount(number, units.is_piece, count) > 0)
        is_plain = (~(is_single | is_left_out | has_objects))[number] & ~units.is_piece
        behind = pieces_behind(batch, units)
        is_last = np.zeros(len(rows), bool)
        is_last[behind.first[behind.is_known & has_objects & ~(is_single | is_left_out)] - 1] = True
        is_single |= has_objects & ~is_left_out
        changes, objects = [], []
        for group, first in enumerate(groups.firsts.tolist()):
            at, with_objects = (np.flatnonzero(mask & (groups.group == group)) for mask in (is_plain, is_last))
            table = self._table(rows.record(first, trail.path)) if len(at) or len(with_objects) else None
            if table is None:
                is_single[number[at]] = True
                continue
            changes += [TableChanges(table, rows.subset(at), is_second[at])] if len(at) else []
            objects += [TableObjects(table, number[with_objects])] if len(with_objects) else []
        return BlockRows(trail, block, units, rows, changes, objects, behind, is_single, is_left_out)

    def _left_out(self, batch: Batch, units: Units, is_apart: Array) -> Array:
        """A mask of the units that are one change of which the filter drops every record."""
        count = len(units.heads)
        if not self._selection.is_active:
            return np.zeros(count, bool)
        is_kept = np.asarray(self._selection.rows(batch))[units.rows] & ~units.is_piece | is_apart
        is_kept[units.heads] |= units.is_piece[units.heads]
        mask: Array = np.bincount(units.number, is_kept, count) == 0
        return mask

    def _table(self, record: Record) -> SqlTable | None:
        known = self.file.definitions.of(record)
        key = known.name, id(known.table), known.charset
        if key not in self._tables:
            self._tables[key] = known.table, sql_table(known, self._dialect, has_comments=self._is_open)
        return self._tables[key][1]
