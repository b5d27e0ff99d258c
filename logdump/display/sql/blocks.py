"""Neighbouring transactions of a file, or the part of a transaction in one file, whose statements are made together.

A unit consists of the records of one change: a row with the pieces of its large objects, or the two records of an
update; the pieces before the first row of a transaction are a unit too. A change that continues in later files belongs
to the file in which it begins.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from logdump.display.sql.changed_rows import BARE, RowsOfTable
from logdump.display.sql.decisions import SqlTable, sql_table
from logdump.display.sql.dialects import Dialect
from logdump.display.sql.literals import needs_large_objects
from logdump.display.sql.script_walk import ScriptFile, ScriptFiles, ScriptStretch
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.lobs import MOST_LOBS
from trailformat.changes.row_changes import OPERATIONS, is_change
from trailformat.errors import CannotRead
from trailformat.records.record_header import LARGE_OBJECT, Transaction
from trailformat.scan import RECORD, Batch, scan
from trailformat.scan.batch import BATCH_SIZE
from trailformat.scan.rows import (
    RowBytes,
    RowGroups,
    by_definition,
    has_columns,
    has_unknown_tokens,
    headers_of,
    learn_definitions,
    other_halves,
    related_rows,
)
from trailformat.scan.rows.row_bytes import Array
from trailformat.transactions.extent import Extent


class Units(NamedTuple):
    """The changes among the rows of a batch.

    Attributes:
        rows: the numbers in the batch of the rows that are changes or parts of one.
        extent: the number of the transaction of each row.
        is_piece: a mask of the rows that are pieces of large objects.
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
        """A mask of the rows that are the second record of an update."""
        mask: Array = ~self.is_piece
        mask[self.heads] = False
        return mask

    def of_rows(self, rows: Array) -> Array:
        """Return the numbers of the units that rows of the batch belong to."""
        units: Array = self.number[np.searchsorted(self.rows, rows)]
        return units

    def ends(self, *, is_last: bool) -> Array:
        """Return the number of the first row of each transaction, or with ``is_last`` of the last."""
        changes = np.diff(self.extent) != 0
        places = np.append(changes, True) if is_last else np.append(True, changes)
        numbers: Array = self.rows[places]
        return numbers


class TrailingPieces(NamedTuple):
    """The pieces after the last row of each unit.

    Attributes:
        first, stop: their indexes among the rows of the units.
        is_known: a mask of the units with pieces that are certainly complete, since another row follows in the batch.
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


_MOST_BYTES = 8 << 20
"""Approximate maximum size of a block in bytes, unless a single change has more."""
_MOST_TRANSACTIONS = 1 << 16
"""Maximum number of transactions of a block."""
_CUT_ROWS = BATCH_SIZE
"""Records of a batch in the search for cuts; a large transaction is cut at most once in each."""
_IS_CHANGE = np.array([is_change(number) for number in range(256)])


class BlockTransactions:
    """Transactions in the order of the file.

    Args:
        stretches: the transactions, in that order.

    Attributes:
        starts, stops: the RBA of the first known record of each, and one more than that of the last.
    """

    def __init__(self, stretches: list[ScriptStretch]) -> None:
        self.stretches = stretches
        self.starts, self.stops = map(np.concatenate, zip(*(stretch.bounds for stretch in stretches), strict=True))
        self._ends = np.cumsum([len(stretch) for stretch in stretches])

    def __len__(self) -> int:
        return len(self.starts)

    def extent(self, number: int, files: ScriptFiles) -> Extent:
        """Return a transaction."""
        stretch, place = self._at(number)
        return files.extents(stretch)[place]

    def among(self, numbers: Array) -> Iterator[tuple[ScriptStretch, Array]]:
        """Yield the transactions with these ascending numbers, by stretch, with the numbers."""
        bounds = np.searchsorted(numbers, np.append(0, self._ends)).tolist()
        for stretch, end, (begin, stop) in zip(self.stretches, self._ends.tolist(), pairwise(bounds), strict=True):
            if begin < stop:
                own = numbers[begin:stop]
                yield stretch.take(own - (end - len(stretch))), own

    def transaction(self, number: int) -> Transaction:
        """Return the LOGCSN and the TRANID of a transaction."""
        stretch, place = self._at(number)
        source = stretch.source
        return source.transaction if isinstance(source, Extent) else Transaction(source.csns[place], source.xids[place])

    def _at(self, number: int) -> tuple[ScriptStretch, int]:
        index = int(np.searchsorted(self._ends, number, "right"))
        return self.stretches[index], number - int(self._ends[index]) + len(self.stretches[index])


class Block(NamedTuple):
    """Neighbouring transactions, in the order of the file, or a part of one.

    Attributes:
        path: the file.
        transactions: the transactions.
        start: the RBA of the first record; ``stop``: one more than that of the last.
        is_run: False for skipped transactions, whose statements are written as comments.
        opens: True if the block has the lines before the statements of its transactions; ``closes``: those after them.
        continued: the records of later files that continue the last change, as ``FileChanges`` has them.
    """

    path: Path
    transactions: BlockTransactions
    start: int
    stop: int
    is_run: bool
    opens: bool
    closes: bool
    continued: tuple[Record, ...] = ()

    @property
    def bounds(self) -> tuple[Array, Array]:
        """The start and the stop RBA of the records of each transaction."""
        if len(self.transactions) == 1:
            return np.array([self.start]), np.array([self.stop])
        return self.transactions.starts, self.transactions.stops


class WaitingTransactions:
    """Transactions of one file that are collected into a block.

    Args:
        path: the file.
        is_run: as Block has it.
        is_backwards: True if the last ones come first.

    Attributes:
        path, is_run: as given.
        stretches: the transactions so far, as they came.
        span: the RBA of the first record, and one more than that of the last.
    """

    def __init__(self, path: Path, *, is_run: bool, is_backwards: bool) -> None:
        self.path, self.is_run = path, is_run
        self.stretches = list[ScriptStretch]()
        self.span: tuple[int, int] = (0, 0)
        self._is_backwards = is_backwards
        self._count = 0

    def take(self, path: Path, stretch: ScriptStretch, *, is_run: bool) -> ScriptStretch:
        """Add as many of the next transactions as do not begin another block; return these."""
        count = self._room(stretch) if (path, is_run) == (self.path, self.is_run) else 0
        fitting = stretch.take(slice(len(stretch) - count, None) if self._is_backwards else slice(count))
        if count:
            starts, stops = fitting.bounds
            start, stop = int(starts.min()), int(stops.max())
            self.span = (min(self.span[0], start), max(self.span[1], stop)) if self.stretches else (start, stop)
            self.stretches.append(fitting)
            self._count += count
        return fitting

    def _room(self, stretch: ScriptStretch) -> int:
        """Return the number of the next transactions that the block takes: at least one if it is empty."""
        step = -1 if self._is_backwards else 1
        starts, stops = (bound[::step] for bound in stretch.bounds)
        if self.stretches:
            starts, stops = np.append(self.span[0], starts), np.append(self.span[1], stops)
        sizes = np.maximum.accumulate(stops) - np.minimum.accumulate(starts)
        fits = (sizes[:-1] < _MOST_BYTES) & (sizes[1:] <= 2 * _MOST_BYTES)
        count = int(np.append(fits, False).argmin()) + (not self.stretches)
        return min(count, _MOST_TRANSACTIONS - self._count)


def blocks_of(waiting: WaitingTransactions, trail: TrailFile, *, is_backwards: bool) -> Iterator[Block]:
    """Yield neighbouring transactions of a file as a block, or one transaction as blocks in the order of the script."""
    stretches, is_run = waiting.stretches, waiting.is_run
    transactions = BlockTransactions(stretches[::-1] if is_backwards else stretches)
    block = Block(waiting.path, transactions, *waiting.span, is_run, opens=True, closes=is_run)
    if len(transactions) > 1:
        yield block
    else:
        yield from _parts(block, trail, is_backwards=is_backwards)


def blocks_over(extent: Extent, files: ScriptFiles, *, is_run: bool, is_backwards: bool) -> Iterator[Block]:
    """Yield a transaction in any number of files as blocks, in the order of the script.

    Raises:
        TrailError: the transaction has damage; the blocks before it are yielded first.
    """
    transactions = BlockTransactions([ScriptStretch.of(extent)])
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
                    transactions,
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
    """Yield RBAs at which a large transaction can be cut."""
    before = block.start
    for batch in scan(trail, block.start, block.stop, batch_size=_CUT_ROWS):
        units = units_of(batch, block.bounds)
        heads = units.rows[units.heads[np.cumsum(~units.is_piece)[units.heads] > 1]]
        if len(heads) and (rba := int(batch.rba[heads[-1]])) - before >= _MOST_BYTES:
            yield rba
            before = rba


def units_of(batch: Batch, bounds: tuple[Array, Array]) -> Units:
    """Return the changes of transactions among the rows of a batch; ``bounds`` are those of a Block."""
    rba, io_type = np.asarray(batch.rba), np.asarray(batch.io_type)
    starts, stops = bounds
    extent = np.searchsorted(starts, rba, "right") - 1
    is_inside = (extent >= 0) & (rba < stops[extent]) & (np.asarray(batch.kind) == RECORD) & _IS_CHANGE[io_type]
    rows = np.flatnonzero(is_inside)
    is_piece = io_type[rows] == LARGE_OBJECT
    other = other_halves(batch, rows[~is_piece])[rows]
    is_second = (other >= 0) & (other < rows) & (extent[np.maximum(other, 0)] == extent[rows])
    extent = extent[rows]
    head = ~(is_piece | is_second) | (np.diff(extent, prepend=-1) != 0)
    return Units(rows, extent, is_piece, np.cumsum(head) - 1, np.flatnonzero(head))


_MOST_ROWS = 1 << 18
"""Batch size for reading a block, more records than most blocks have."""
_ROWS = ("INSERT", "UPSERT", "DELETE", "UPDATE", "PK UPDATE")
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
        rows: the bytes of their records.
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
        return self.block.transactions.transaction(int(self.units.extent[self.units.heads[unit]]))

    def records(self, unit: int) -> list[Record]:
        """Return the records that the statements of a unit need; of the pieces after a row only the first."""
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
            CannotRead: the file was truncated, or has changed while it was read.
            CannotRead: a transaction no longer has changes: it was written over since its extent was found.
        """
        trail = self.file.trail
        batch = _joined(list(scan(trail, block.start, block.stop, batch_size=_MOST_ROWS)))
        learn_definitions(trail, batch)
        units = units_of(batch, block.bounds)
        if (block.opens or block.closes) and len(np.unique(units.extent)) < len(block.transactions):
            raise CannotRead("the file has changed while it was read", path=trail.path, rba=block.start)
        rows = RowBytes(trail.buffer, batch, units.rows)
        number, count, is_second = units.number, len(units.heads), units.is_second
        headers, io_type = headers_of(rows), rows.of("io_type")
        groups = by_definition(rows, headers.table_index)
        is_apart = is_second & (groups.group != groups.group[units.heads[number]])
        is_readable = _IS_BARE[io_type] | (_IS_ROW[io_type] & has_columns(rows))
        is_irregular = (headers.is_continued | ~is_readable | is_apart | has_unknown_tokens(rows)) & ~units.is_piece
        is_irregular[units.heads] |= units.is_piece[units.heads]
        is_irregular[-1:] |= bool(block.continued)
        has_pieces = np.bincount(number, units.is_piece, count) > 0
        is_left_out = self._left_out(batch, units, is_apart) if block.is_run else np.zeros(count, bool)
        is_left_out[-1:] &= not block.continued
        is_single = (np.bincount(number, is_irregular, count) > 0) | (has_pieces & _IS_BARE[io_type[units.heads]])
        is_single &= ~is_left_out
        has_objects = has_pieces & self._needs_objects[io_type[units.heads]] & ~is_single & ~is_left_out
        trailing = trailing_pieces(batch, units)
        block_rows = BlockRows(trail, self._elsewhere, block, units, rows, [], [], trailing, is_single, is_left_out)
        self._add_tables(block_rows, groups, has_objects)
        return block_rows

    def _add_tables(self, block_rows: BlockRows, groups: RowGroups, has_objects: Array) -> None:
        """Group the changes that are read by columns by table; rows of a table without columns become single."""
        units, rows, is_single = block_rows.units, block_rows.rows, block_rows.is_single
        is_plain = ~(is_single | block_rows.is_left_out | has_objects)[units.number] & ~units.is_piece
        is_last = np.zeros(len(rows), bool)
        is_last[block_rows.trailing.first[block_rows.trailing.is_known & has_objects] - 1] = True
        is_single |= has_objects
        is_bare = _IS_BARE[rows.of("io_type")]
        for group, first in enumerate(groups.firsts.tolist()):
            plain, last = (np.flatnonzero(mask & (groups.group == group)) for mask in (is_plain, is_last))
            if not len(plain) and not len(last):
                continue
            table, codec = self._table(rows.record(first, block_rows.trail.path))
            if not table.columns:
                is_single[units.number[plain[~is_bare[plain]]]] = True
                plain, last = plain[is_bare[plain]], last[:0]
            if len(plain):
                block_rows.changes.append(RowsOfTable(table, rows.subset(plain), units.is_second[plain], codec))
            if len(last):
                block_rows.objects.append(RowsWithObjects(table, codec, units.number[last]))

    def _left_out(self, batch: Batch, units: Units, is_apart: Array) -> Array:
        """Return a mask of the units that are one change whose records are all dropped by the filter."""
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
    if len(batches) == 1:
        return batches[0]
    columns = (np.concatenate(parts) for parts in zip(*(_columns(batch) for batch in batches), strict=True))
    return Batch(batches[0].names, *columns)


def _columns(batch: Batch) -> list[Array]:
    return [np.asarray(column) for _, column in batch.columns()]
