"""A script: the statements of whole transactions, in the order of the trail, or backwards to undo them.

A transaction that a Replicat would not apply has no statements: one that is cut or incomplete, or a later copy.
Neighbouring transactions of a file form a block, whose statements are made together; a transaction in several files has
a block for each of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import numpy as np

from logdump.display.sql.block_lines import BlockStatements, Refusal, block_statements
from logdump.display.sql.blocks import Block, BlockReader, BlockRows, WaitingTransactions, blocks_of, blocks_over
from logdump.display.sql.dialects import Dialect, Unwritable
from logdump.display.sql.literals import Literals, needs_large_objects, with_large_objects
from logdump.display.sql.script_walk import ScriptFiles, ScriptReach, ScriptStretch, ScriptWalk, changes_in
from logdump.display.sql.statement import statements_of
from logdump.session.errors import CommandError
from logdump.session.events import Statement
from logdump.session.selection import Selection
from trailformat import Record, TrailError, TrailFile
from trailformat.arrays.lines import count as count_lines
from trailformat.changes.row_changes import Change, changes_over
from trailformat.records.record_header import LARGE_OBJECT, Transaction
from trailformat.scan.rows.row_bytes import Array
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Extent, Walked


class DecodedChange(NamedTuple):
    """A change, and the reason why it has no statement, if that is known already."""

    change: Change
    refusal: str | None = None


class RecordChanges:
    """Reads the changes of records.

    Args:
        files: the files of the records.
        takes_back: True to undo the changes: records are then given, and changes yielded, last first.
    """

    def __init__(self, files: ScriptFiles, *, takes_back: bool) -> None:
        self._files = files
        self._takes_back = takes_back
        self._with_pieces: set[FilePosition] = set()

    def of(
        self, records: Iterable[Record], transaction: Transaction, pieces: Sequence[Record] | None = None
    ) -> Iterator[DecodedChange | None]:
        """Yield the changes of records of a transaction, in script order; None for changes that the filter drops.

        ``records`` are those of complete changes; ``pieces`` are the pieces of large objects after the last record, if
        all are known.
        """
        for change in self._changes(records, transaction):
            has_pieces = self._has_pieces(change)
            is_accepted = any(map(self._files.accepts, change.records))
            yield self._decoded(change, pieces, has_pieces=has_pieces) if is_accepted else None

    def of_all(
        self, records: Iterable[Record], transaction: Transaction, pieces: Sequence[Record] | None = None
    ) -> Iterator[DecodedChange]:
        """Yield the changes like ``of``, but without a filter."""
        for change in self._changes(records, transaction):
            yield self._decoded(change, pieces, has_pieces=self._has_pieces(change))

    def _changes(self, records: Iterable[Record], transaction: Transaction) -> Iterator[Change]:
        rows = self._rows_backwards(records) if self._takes_back else self._rows(records)
        return changes_over(rows, self._files.source(transaction), is_backwards=self._takes_back)

    def _has_pieces(self, change: Change) -> bool:
        """Return True if pieces of large objects were found after a change; a second call returns False."""
        position = _position(change.records[-1])
        has_pieces = position in self._with_pieces
        self._with_pieces.discard(position)
        return has_pieces

    def _decoded(self, change: Change, pieces: Sequence[Record] | None, *, has_pieces: bool) -> DecodedChange:
        if not has_pieces or not needs_large_objects(change.op, takes_back=self._takes_back):
            return DecodedChange(change)
        record = change.records[-1]
        file = self._files.of(record.path)
        try:
            return DecodedChange(with_large_objects(file.trail, change, file.definitions.of(record).charset, pieces))
        except (Unwritable, TrailError) as error:
            return DecodedChange(change, str(error))

    def _rows(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records that are changes; pieces of a large object belong to the row before them, if any."""
        row: Record | None = None
        for record in records:
            if record.header.io_type == LARGE_OBJECT and row is not None:
                self._with_pieces.add(_position(row))
            elif row is not None:
                yield row
                row = record
            elif record.header.io_type == LARGE_OBJECT:
                yield record
            else:
                row = record
        if row is not None:
            yield row

    def _rows_backwards(self, records: Iterable[Record]) -> Iterator[Record]:
        """Yield the records like ``_rows``, from records given last first."""
        piece: Record | None = None
        for record in records:
            if record.header.io_type == LARGE_OBJECT:
                piece = record
                continue
            if piece is not None:
                self._with_pieces.add(_position(record))
                piece = None
            yield record
        if piece is not None:
            yield piece


def _position(record: Record) -> FilePosition:
    assert record.path is not None  # noqa: S101 - it was read from a file
    return FilePosition(record.path, record.rba)


_MOST_CHANGES, _MOST_BYTES = 1000, 8 << 20
"""Limits of changes decoded before their statements are made: their number, and the bytes of their values."""


class Opening(NamedTuple):
    """The beginning of a whole transaction, with the number of its records that are changes, and the open file."""

    extent: Extent
    records: int
    trail: TrailFile


class Closing(NamedTuple):
    """The end of a transaction, which can be committed.

    ``left_out``: number of changes that did not pass the filter; ``remarks``: of those without a statement.
    """

    left_out: int
    remarks: int


class LeftOut(NamedTuple):
    """Changes in transactions of which no change passes the filter: their number, and that of the transactions."""

    changes: int
    transactions: int


class SkippedTransaction(NamedTuple):
    """A transaction that a Replicat would not apply, or that lacks records.

    ``first_copy`` is the position of the first copy, if known.
    """

    extent: Extent
    records: int
    trail: TrailFile
    first_copy: FilePosition | None = None


class NotRun(NamedTuple):
    """A statement of a skipped transaction, to be read and not to be run."""

    statement: Statement


Item = Opening | Statement | Closing | SkippedTransaction | NotRun | LeftOut


class WalkProgress(NamedTuple):
    """Progress: the walk has reached whole transactions.

    Attributes:
        changes: the number of the records with changes of each.
        ends: the RBA at which the script ends after each.
        times: the IO Time (Julian) of the first record of each, in the order of the script.
    """

    changes: Array
    ends: Array
    times: Array


Job = Callable[[], BlockStatements]
"""A function that makes the statements of a block; jobs can run in parallel."""


class FinishedBlock(NamedTuple):
    """All statements of a block.

    Attributes:
        made: the statements that were made by columns.
        singles: the other statements, by unit.
        opened: the numbers in the block of the transactions whose lines begin here.
        closed: those of the transactions whose lines end here; the filter left the others out.
        left_out, remarks: what ``Closing`` has, of each transaction of the block.
    """

    made: BlockStatements
    singles: dict[int, list[Statement]]
    opened: Array
    closed: Array
    left_out: Array
    remarks: Array


class SqlScript:
    """Statements for the transactions that begin at a position of a trail file or after it.

    Args:
        trail: the file; records of a transaction in other files are read there.
        dialect: the dialect of the statements.
        selection_in: returns the selection of a file; None without a filter.
        definitions_of: returns for a file the definitions of its rows.
        takes_back: True to undo the changes, the last one first, instead of repeating them.
        includes_cut: True if the changes of skipped transactions are yielded as NotRun.
        reach: the transactions and files that the script covers.

    Attributes:
        dialect, takes_back: as given.
        statements, remarks: number of statements, and of changes without one.
        transactions: number of transactions with either.
        left_out: number of changes of the other transactions, none of which passes the filter, and of these.
        skipped: number of transactions skipped.
    """

    def __init__(
        self,
        trail: TrailFile,
        dialect: Dialect,
        selection_in: Callable[[TrailFile], Selection] | None = None,
        definitions_of: Callable[[TrailFile], RowDefinitions] = RowDefinitions,
        *,
        takes_back: bool = False,
        includes_cut: bool = False,
        reach: ScriptReach | None = None,
    ) -> None:
        self._trail = trail
        self.dialect = dialect
        self._files = ScriptFiles(trail, selection_in, definitions_of)
        self.takes_back = takes_back
        self._includes_cut = includes_cut
        self._reach = reach or ScriptReach()
        self._walk = ScriptWalk(trail, self._files, self._reach)
        self._changes = RecordChanges(self._files, takes_back=takes_back)
        self._literals = Literals.of_dialect(dialect)
        self._reader: BlockReader | None = None
        self._waiting: WaitingTransactions | None = None
        self._carried, self._is_opened = Closing(0, 0), False
        self.statements = self.remarks = self.skipped = self.transactions = 0
        self.left_out = LeftOut(0, 0)

    @property
    def path(self) -> Path:
        """The file in which the script begins."""
        return self._trail.path

    @property
    def end(self) -> FilePosition | None:
        """The end of the last transaction, in a file where transactions may begin; None before one."""
        return self._walk.end

    def items(self, rba: int, transactions: int | None = None) -> Iterator[Item | Walked]:
        """Yield the script from the transaction that is open at ``rba`` on, or the next one; at most ``transactions``.

        Transactions without a change are left out. Progress of the walk is yielded every few thousand records.

        Raises:
            TrailError: there is damage, whose lost records are unknown. Nothing is undone across it.
        """
        try:
            for part in self.parts(rba, transactions):
                if isinstance(part, Exception):
                    raise part
                if callable(part):
                    yield from self._block_items(self.finished(part()))
                elif not isinstance(part, WalkProgress):
                    yield part
            yield from self.remainder()
        finally:
            self.close()

    def parts(
        self, rba: int, transactions: int | None = None
    ) -> Iterator[Job | Item | Walked | WalkProgress | TrailError | CommandError]:
        """Yield the script as jobs for blocks of transactions, and the items between.

        An error that ends the script is yielded last.
        """
        error: TrailError | CommandError | None = None
        try:
            for walked in self._walk.stretches(rba, transactions, is_backwards=self.takes_back):
                if isinstance(walked, Walked):
                    yield walked
                    continue
                ends = self._walk.ends(walked, is_backwards=self.takes_back)
                for indexes, is_run in self._judged(walked):
                    stretch = walked.take(indexes)
                    self.skipped += 0 if is_run else len(stretch)
                    yield from self._placed(stretch, ends[indexes], is_run=is_run)
            self._trail.refresh()  # raises if the file was truncated while it was read
        except (TrailError, CommandError) as raised:
            error = raised
        yield from self._released()
        if error is not None:
            yield error

    def _judged(self, stretch: ScriptStretch) -> Iterator[tuple[slice, bool]]:
        """Yield the parts of a stretch in the order of the script, and whether their transactions are to be run."""
        source, not_applied = stretch.source, self._reach.not_applied
        if isinstance(source, Extent):
            yield slice(None), source.is_whole and not self._is_copy(source)
            return
        is_copy = np.zeros(len(stretch), bool)
        if not_applied is not None:
            is_copy = not_applied.are_not_applied(source.path, source.begins)
        bounds = [0, *(np.flatnonzero(np.diff(is_copy)) + 1).tolist(), len(stretch)]
        parts = [*pairwise(bounds)]
        for begin, stop in parts[::-1] if self.takes_back else parts:
            yield slice(begin, stop), not is_copy[begin]

    def _is_copy(self, extent: Extent) -> bool:
        not_applied = self._reach.not_applied
        return not_applied is not None and extent.begin is not None and not_applied.holds(extent.begin)

    def _placed(
        self, stretch: ScriptStretch, ends: Array, *, is_run: bool
    ) -> Iterator[Job | SkippedTransaction | WalkProgress]:
        """Add transactions to the waiting block; yield the blocks that are full, and what is not in a block."""
        path = stretch.path if is_run or self._includes_cut else None
        if path is None:
            yield from self._released()
            if is_run:
                yield self._progress(stretch, ends)
            extents = self._files.extents(stretch)
            for extent in extents[::-1] if self.takes_back else extents:
                yield from self._alone(extent, is_run=is_run)
            return
        while len(stretch):
            if self._waiting is None:
                self._waiting = WaitingTransactions(path, is_run=is_run, is_backwards=self.takes_back)
            accepted = self._waiting.take(path, stretch, is_run=is_run)
            if len(accepted) and is_run:
                accepted_part = slice(len(stretch) - len(accepted), None) if self.takes_back else slice(len(accepted))
                yield self._progress(accepted, ends[accepted_part])
            other_part = slice(len(stretch) - len(accepted)) if self.takes_back else slice(len(accepted), None)
            stretch, ends = stretch.take(other_part), ends[other_part]
            if len(stretch):
                yield from self._released()

    def _progress(self, stretch: ScriptStretch, ends: Array) -> WalkProgress:
        order = -1 if self.takes_back else 1
        return WalkProgress(stretch.changes[::order], ends[::order], stretch.times[::order])

    def _released(self) -> Iterator[Job]:
        """Yield the waiting block, which is complete, as jobs."""
        waiting, self._waiting = self._waiting, None
        if waiting is not None:
            trail = self._files.of(waiting.path).trail
            yield from self._jobs(blocks_of(waiting, trail, is_backwards=self.takes_back))

    def _alone(self, extent: Extent, *, is_run: bool) -> Iterator[Job | SkippedTransaction]:
        """Yield a transaction that is not in a block with its neighbours."""
        if not is_run:
            yield self.skipping(extent)
        if is_run or self._includes_cut:
            yield from self._jobs(blocks_over(extent, self._files, is_run=is_run, is_backwards=self.takes_back))

    def _jobs(self, blocks: Iterable[Block]) -> Iterator[Job]:
        """Yield the jobs for blocks; one reader is used as long as its file stays open."""
        for block in blocks:
            file = self._files.of(block.path)
            if self._reader is None or self._reader.file is not file:
                is_open = file.trail.path == self._trail.path
                self._reader = BlockReader(file, self.dialect, is_open=is_open, takes_back=self.takes_back)
            yield partial(block_statements, self._reader.read(block), self._literals, takes_back=self.takes_back)

    def opening(self, extent: Extent) -> Opening:
        """Return the beginning of a transaction."""
        return Opening(extent, changes_in(extent), self._trail)

    def skipped_of(self, block: Block, numbers: Array) -> Iterator[SkippedTransaction]:
        """Yield the items in place of the beginnings of transactions of a block that is not to be run."""
        for number in numbers.tolist():
            yield self.skipping(block.transactions.extent(number, self._files))

    def skipping(self, extent: Extent) -> SkippedTransaction:
        """Return the item in place of the beginning of a skipped transaction."""
        known = self._reach.not_applied if extent.is_whole else None
        first = known.first_copy(extent.begin) if known is not None and extent.begin is not None else None
        return SkippedTransaction(extent, changes_in(extent), self._trail, first)

    def remainder(self) -> Iterator[LeftOut]:
        """Yield the last item of the script, if the filter left out whole transactions."""
        if self.left_out.transactions:
            yield self.left_out

    def close(self) -> None:
        """Close the files opened besides the one given; they are opened again when needed."""
        self._files.close()

    def _statements(self, changes: Iterable[DecodedChange | None]) -> Iterator[Statement | None]:
        """Yield the statements of decoded changes, up to 1000 made together; None for None."""
        waiting: list[DecodedChange | None] = []
        size, error = 0, None
        try:
            for decoded in changes:
                waiting.append(decoded)
                size += _size_of(decoded.change) if decoded is not None else 0
                if len(waiting) == _MOST_CHANGES or size > _MOST_BYTES:
                    yield from self._made_of(waiting)
                    waiting, size = [], 0
        except TrailError as raised:
            error = raised
        yield from self._made_of(waiting)
        if error is not None:
            raise error

    def _made_of(self, changes: list[DecodedChange | None]) -> Iterator[Statement | None]:
        wanted = [decoded.change for decoded in changes if decoded is not None and decoded.refusal is None]
        statements = iter(statements_of(wanted, self.dialect, takes_back=self.takes_back))
        for decoded in changes:
            if decoded is None:
                yield None
                continue
            path = decoded.change.records[0].path
            statement = (
                next(statements) if decoded.refusal is None else Statement(decoded.change, None, decoded.refusal)
            )
            yield statement._replace(elsewhere=path if path != self._trail.path else None)

    def finished(self, statements: BlockStatements) -> FinishedBlock:
        """Return all statements of a block, decoding the changes not made by columns; blocks must be given in order."""
        block, extent_of = statements.block, statements.block.units.extent[statements.block.units.heads]
        count = len(block.block.transactions)
        left_out = np.bincount(extent_of[block.is_left_out], minlength=count)
        refused = block.units.of_rows(np.array([refusal.row for refusal in statements.refusals], np.int64))
        remarks = np.bincount(extent_of[refused], minlength=count)
        if block.block.is_run:
            self.statements += count_lines(statements.parts)
            self.remarks += len(refused)
        singles: dict[int, list[Statement]] = {}
        for unit, statement in self._singles(statements):
            left_out[extent_of[unit]] += statement is None
            if statement is not None:
                remarks[extent_of[unit]] += statement.sql is None
                if block.block.is_run:
                    self.statements += statement.sql is not None
                    self.remarks += statement.sql is None
                singles.setdefault(unit, []).append(statement)
        if not block.block.is_run:
            opened = np.arange(count if block.block.opens else 0)
            return FinishedBlock(statements, singles, opened, opened[:0], left_out, remarks)
        is_shown = ~(block.is_left_out | statements.is_single)
        is_shown[list(singles)] = True
        has_lines = np.bincount(extent_of, is_shown, count) > 0
        opened, closed = self._ends(block.block, left_out, remarks, has_lines)
        return FinishedBlock(statements, singles, opened, closed, left_out, remarks)

    def _ends(self, block: Block, left_out: Array, remarks: Array, has_lines: Array) -> tuple[Array, Array]:
        """Return the numbers of the transactions that begin and that end in a block, of those that have lines.

        One that is in several blocks begins in the first with a line of it, and ends in its last, with the sums of all.
        """
        left_out[0] += self._carried.left_out
        remarks[0] += self._carried.remarks
        was_opened = self._is_opened and not block.opens
        opened = np.flatnonzero(has_lines)
        opened = opened[opened > 0] if was_opened else opened
        has_lines[0] |= was_opened
        if not block.closes:
            self._carried, self._is_opened = Closing(int(left_out[0]), int(remarks[0])), bool(has_lines[0])
            return opened, opened[:0]
        self._carried, self._is_opened = Closing(0, 0), False
        closed = np.flatnonzero(has_lines)
        self.transactions += len(closed)
        self.left_out = LeftOut(
            self.left_out.changes + int(left_out[~has_lines].sum()),
            self.left_out.transactions + len(has_lines) - len(closed),
        )
        return opened, closed

    def _singles(self, statements: BlockStatements) -> Iterator[tuple[int, Statement | None]]:
        """Yield the units that are decoded, with each of their statements; None for a change that the filter drops."""
        block, units = statements.block, list[int]()
        changes_of = self._changes.of if block.block.is_run else self._changes.of_all

        def changes() -> Iterator[DecodedChange | None]:
            wanted = np.flatnonzero(statements.is_single)
            for unit in wanted[:: -1 if self.takes_back else 1].tolist():
                for decoded in changes_of(self._records_of(block, unit), block.transaction(unit), block.pieces(unit)):
                    units.append(unit)
                    yield decoded

        for number, statement in enumerate(self._statements(changes())):
            yield units[number], statement

    def _records_of(self, block: BlockRows, unit: int) -> list[Record]:
        """Return the records of a unit in the order of the script."""
        records = block.records(unit)
        return records[::-1] if self.takes_back else records

    def _block_items(self, finished: FinishedBlock) -> Iterator[Item]:
        block, texts = finished.made.block, finished.made.by_unit()
        count = len(block.block.transactions)
        bounds = np.searchsorted(block.units.extent[block.units.heads], np.arange(count + 1))
        opened, closed = set(finished.opened.tolist()), set(finished.closed.tolist())
        for number in self._ordered(range(count)):
            if number in opened:
                extent = block.block.transactions.extent(number, self._files)
                yield self.opening(extent) if block.block.is_run else self.skipping(extent)
            for unit in self._ordered(range(bounds[number], bounds[number + 1])):
                statements = finished.singles.get(unit) or (
                    [self._shown(block, unit, texts[unit])] if unit in texts else []
                )
                yield from statements if block.block.is_run else map(NotRun, statements)
            if number in closed:
                yield Closing(int(finished.left_out[number]), int(finished.remarks[number]))

    def _ordered(self, numbers: range) -> range:
        """Return numbers in the order of the script."""
        return numbers[::-1] if self.takes_back else numbers

    def _shown(self, block: BlockRows, unit: int, result: str | Refusal) -> Statement:
        """Return a statement that was made by columns, with its change."""
        records, transaction = self._records_of(block, unit), block.transaction(unit)
        change = next(self._changes.of_all(records, transaction, block.pieces(unit))).change
        if isinstance(result, Refusal):
            return Statement(change, None, result.reason, elsewhere=block.elsewhere)
        return Statement(change, result, elsewhere=block.elsewhere)


def _size_of(change: Change) -> int:
    """Return the size of the values of a change in bytes."""
    return sum(
        len(value.data) for column in change.columns for value in (column.before, column.after) if value is not None
    )
