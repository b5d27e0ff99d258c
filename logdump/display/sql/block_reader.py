"""The records of blocks of transactions as changes: most of them by table, those out of the ordinary one by one."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from logdump.display.sql.blocks import Block, units_of
from logdump.display.sql.changed_rows import BARE, RowsOfTable
from logdump.display.sql.dialect import Dialect
from logdump.display.sql.large_objects import needs_large_objects
from logdump.display.sql.script_files import ScriptFile
from logdump.display.sql.tables import SqlTable, sql_table
from logdump.display.sql.units import TrailingPieces, Units, trailing_pieces
from trailformat import Record, TrailFile
from trailformat.changes.row_changes import OPERATIONS
from trailformat.records.transaction import Transaction
from trailformat.scan import Batch, scan
from trailformat.scan.rows import RowBytes, RowGroups, by_definition, has_columns, headers_of, learn_definitions
from trailformat.scan.rows.row_bytes import Array

_MOST_ROWS = 1 << 18
"""More records than most blocks have."""
_ROWS = ("INSERT", "DELETE", "UPDATE", "PK UPDATE")
_IS_ROW = np.array([OPERATIONS.get(number) in _ROWS for number in range(256)])
_IS_BARE = np.array([OPERATIONS.get(number) in BARE for number in range(256)])


class _Table(NamedTuple):
    """A table, and the codec of text in the character set of its database."""

    table: SqlTable
    codec: str


class RowsWithObjects(NamedTuple):
    """Units of one table whose statements need the large objects after their rows."""

    table: SqlTable
    codec: str
    units: Array


class BlockRows(NamedTuple):
    """The records of a block, by kind.

    Attributes:
        trail: the file.
        elsewhere: its path if it is not the open file.
        block: the block.
        units: its changes.
        rows: their bytes.
        changes: the changes read by columns, by table.
        objects: the changes read by columns except for the large objects of their rows.
        trailing: the pieces of large objects after the rows.
        is_single: a mask of the units that are decoded one by one; ``is_left_out``: of those that the filter drops.
    """

    trail: TrailFile
    elsewhere: Path | None
    block: Block
    units: Units
    rows: RowBytes
    changes: list[RowsOfTable]
    objects: list[RowsWithObjects]
    trailing: TrailingPieces
    is_single: Array
    is_left_out: Array

    def transaction(self, unit: int) -> Transaction:
        """Return the transaction of a unit."""
        return self.block.extents[int(self.units.extent[self.units.heads[unit]])].transaction

    def records(self, unit: int) -> list[Record]:
        """The records that the statements of a unit are made of."""
        begin, end = int(self.units.heads[unit]), int(self.trailing.stop[unit])
        is_piece = self.units.is_piece[begin:end]
        is_wanted = ~is_piece | is_piece[0]
        is_wanted[1:] |= ~is_piece[:-1]
        records = [self.rows.record(row, self.trail.path) for row in (begin + np.flatnonzero(is_wanted)).tolist()]
        return [*records, *self.block.continued] if end == len(self.units.rows) else records

    def pieces(self, unit: int) -> list[Record] | None:
        """Return the pieces of large objects after the last row of a unit; None if they may not be complete."""
        if not self.trailing.is_known[unit]:
            return None
        places = range(int(self.trailing.first[unit]), int(self.trailing.stop[unit]))
        return [self.rows.record(row, self.trail.path) for row in places]


class BlockReader:
    """Reads blocks of one file.

    Args:
        file: the file.
        dialect: dialect of the statements.
        is_open: True if the script begins in this file.
        takes_back: True if the changes are undone.

    Attributes:
        file: the file.
    """

    def __init__(self, file: ScriptFile, dialect: Dialect, *, is_open: bool, takes_back: bool) -> None:
        self.file = file
        self._dialect = dialect
        self._elsewhere = None if is_open else file.trail.path
        needs = [needs_large_objects(OPERATIONS.get(number, ""), takes_back=takes_back) for number in range(256)]
        self._needs_objects = np.array(needs) & _IS_ROW
        self._tables: dict[tuple[str, int, str], tuple[object, _Table]] = {}

    def read(self, block: Block) -> BlockRows:
        """Read the records of a block.

        Raises:
            NotATrail: the file has become shorter.
        """
        trail = self.file.trail
        batch = _joined(list(scan(trail, block.start, block.stop, batch_size=_MOST_ROWS)))
        learn_definitions(trail, batch)
        units = units_of(batch, block.bounds)
        rows = RowBytes(trail.buffer, batch, units.rows)
        number, count, is_second = units.number, len(units.heads), units.is_second
        headers, io_type = headers_of(rows), rows.of("io_type")
        groups = by_definition(rows, headers.table_index)
        is_apart = is_second & (groups.group != groups.group[units.heads[number]])
        is_readable = _IS_BARE[io_type] | (_IS_ROW[io_type] & has_columns(rows))
        is_odd = (headers.is_continued | ~is_readable | is_apart) & ~units.is_piece
        is_odd[units.heads] |= units.is_piece[units.heads]
        is_odd[-1:] |= bool(block.continued)
        has_pieces = np.bincount(number, units.is_piece, count) > 0
        is_left_out = self._left_out(batch, units, is_apart) if block.is_run else np.zeros(count, bool)
        is_left_out[-1:] &= not block.continued
        is_single = (np.bincount(number, is_odd, count) > 0) | (has_pieces & _IS_BARE[io_type[units.heads]])
        is_single &= ~is_left_out
        has_objects = has_pieces & self._needs_objects[io_type[units.heads]] & ~is_single & ~is_left_out
        trailing = trailing_pieces(batch, units)
        found = BlockRows(trail, self._elsewhere, block, units, rows, [], [], trailing, is_single, is_left_out)
        self._add_tables(found, groups, has_objects)
        return found

    def _add_tables(self, found: BlockRows, groups: RowGroups, has_objects: Array) -> None:
        """Put the changes that are read by columns by table; what has no table with columns is single."""
        units, rows, is_single = found.units, found.rows, found.is_single
        is_plain = ~(is_single | found.is_left_out | has_objects)[units.number] & ~units.is_piece
        is_last = np.zeros(len(rows), bool)
        is_last[found.trailing.first[found.trailing.is_known & has_objects] - 1] = True
        is_single |= has_objects
        is_bare = _IS_BARE[rows.of("io_type")]
        for group, first in enumerate(groups.firsts.tolist()):
            at, last = (np.flatnonzero(mask & (groups.group == group)) for mask in (is_plain, is_last))
            if not len(at) and not len(last):
                continue
            table, codec = self._table(rows.record(first, found.trail.path))
            if not table.columns:
                is_single[units.number[at[~is_bare[at]]]] = True
                at, last = at[is_bare[at]], last[:0]
            if len(at):
                found.changes.append(RowsOfTable(table, rows.subset(at), units.is_second[at], codec))
            if len(last):
                found.objects.append(RowsWithObjects(table, codec, units.number[last]))

    def _left_out(self, batch: Batch, units: Units, is_apart: Array) -> Array:
        """Return a mask of the units that are one change of which the filter drops every record."""
        count, selection = len(units.heads), self.file.selection
        if selection is None or not selection.is_active:
            return np.zeros(count, bool)
        is_kept = np.asarray(selection.rows(batch))[units.rows] & ~units.is_piece | is_apart
        is_kept[units.heads] |= units.is_piece[units.heads]
        mask: Array = np.bincount(units.number, is_kept, count) == 0
        return mask

    def _table(self, record: Record) -> _Table:
        known = self.file.definitions.of(record)
        key = known.name, id(known.table), known.charset
        if key not in self._tables:
            columns = known.table.columns if known.table else None
            self._tables[key] = known.table, _Table(sql_table(known.name, columns, self._dialect), known.charset)
        return self._tables[key][1]


def _joined(batches: list[Batch]) -> Batch:
    """Join the batches of one scan."""
    if len(batches) == 1:
        return batches[0]
    columns = (np.concatenate(parts) for parts in zip(*(_columns(one) for one in batches), strict=True))
    return Batch(batches[0].names, *columns)


def _columns(batch: Batch) -> list[Array]:
    return [np.asarray(column) for _, column in batch.columns()]
