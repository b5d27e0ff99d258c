"""EXPORT SQL of many transactions: the same bytes as statement by statement, from columns, side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import partial
from itertools import chain
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from logdump.arrow.tables.lines import LinePart, count, merged
from logdump.arrow.tables.piece import Array
from logdump.notation.times import TimeOffset
from logdump.operations.export.side_by_side import new_pool, results, written
from logdump.operations.export.sql_blocks import (
    BlockExtents,
    BlockReader,
    BlockRows,
    blocks_of,
    is_in_one_file,
)
from logdump.operations.export.sql_literals import Literals
from logdump.operations.export.sql_objects import ObjectRows
from logdump.operations.export.sql_script import SqlExport
from logdump.operations.export.sql_statements import statements
from logdump.operations.export.text_file import TextFile
from logdump.render.sql import Closing, Opening, SqlScript, item_lines
from logdump.render.sql.script import Item
from logdump.session.events import Event
from logdump.session.session import Session
from trailformat import TrailError
from trailformat.trail.sequence import Spot
from trailformat.transactions.extent import Extent, Walked

_LINE_END = ord("\n")
_CLOSING = Closing(left_out=0, remarks=0)
"""That of most transactions."""


class BlockLines(NamedTuple):
    """The statements of a block by columns, and comments in place of some; a mask of the units written one by one."""

    block: BlockRows
    parts: list[LinePart]
    remarks: list[LinePart]
    is_single: Array


def _block_lines(block: BlockRows, literals: Literals, *, takes_back: bool) -> BlockLines:
    """The statements of a block; needs no session, so that threads can do it."""
    objects = [ObjectRows(block, one) for one in block.objects]
    is_single = block.is_single.copy()
    is_single[[unit for one in objects for unit in one.units]] = False
    changes = chain(block.changes, *(one.changes() for one in objects))
    made = [one for part in changes for one in statements(part, literals, takes_back=takes_back)]
    for one in made:
        is_single[block.units.number[np.searchsorted(block.units.rows, one.odd)]] = True
    remarks = [one.remarks for one in made if one.remarks is not None]
    remarks += [_part(sorted(remark for one in objects for remark in one.remarks))]
    return BlockLines(block, [one.part for one in made], remarks, is_single)


class ScriptProgress(Protocol):
    """How far a script is."""

    def walked(self, walked: Walked) -> Iterator[Event]:
        """The events of a step of the walk."""

    def begun(self, item: Opening, end: Spot | None) -> Iterator[Event]:
        """The events of a transaction that begins; the script so far reaches to ``end``."""


class ScriptJobs:
    """The jobs that make a script, and what stands between their results: items, events, the error that ended it.

    Args:
        session: the session.
        script: the script.
        progress: the events of the walk, and of transactions that begin.
    """

    def __init__(self, session: Session, script: SqlScript, progress: ScriptProgress) -> None:
        self._session = session
        self._script = script
        self._progress = progress
        self._literals = Literals(script.dialect)
        self._reader: BlockReader | None = None

    def __call__(self, transactions: int | None) -> Iterator[Callable[[], BlockLines] | Item | Event | TrailError]:
        """Those of so many transactions, from the session's position on."""
        waiting: BlockExtents | None = None
        try:
            for item in self._script.transactions(self._session.cursor.next, transactions):
                if isinstance(item, Walked):
                    yield from self._progress.walked(item)
                    continue
                extent = item if isinstance(item, Extent) and is_in_one_file(item) else None
                is_taken = waiting is not None and extent is not None and waiting.takes(extent)
                if waiting is not None and not is_taken:
                    yield from self._blocks(waiting)
                    waiting = None
                if isinstance(item, Extent):
                    yield from self._progress.begun(self._script.opening(item), self._script.end)
                if extent is not None:
                    waiting = waiting or BlockExtents(extent)
                elif isinstance(item, Extent):
                    yield from self._script.transaction(item)
                else:
                    yield item
            error = None
        except TrailError as found:
            error = found
        if waiting is not None:
            yield from self._blocks(waiting)
        if error is not None:
            yield error

    def _blocks(self, waiting: BlockExtents) -> Iterator[Callable[[], BlockLines]]:
        """The jobs for neighbouring transactions of one file, which one reader reads as long as it stays open."""
        script = self._script
        file = script.file_of(_path(waiting.extents[0]))
        if self._reader is None or self._reader.file is not file:
            is_open = file.trail.path == self._session.trail.path
            selection = self._session.selection(file.trail)
            self._reader = BlockReader(file, selection, script.dialect, is_open=is_open, takes_back=script.takes_back)
        for block in blocks_of(waiting, file.trail, is_backwards=script.takes_back):
            yield partial(_block_lines, self._reader.read(block), self._literals, takes_back=script.takes_back)


class SqlByColumns(SqlExport):
    """One script by columns: jobs make the statements side by side, and a thread writes them in order."""

    def _fill(self, script: SqlScript, file: TextFile) -> Iterator[Event]:
        lines = ScriptLines(script, self._offset)
        jobs = ScriptJobs(self._session, script, self)

        def writing(item: BlockLines | Item | Event | TrailError) -> Callable[[], None] | None:
            if isinstance(item, TrailError):
                raise item
            if isinstance(item, BlockLines):
                return partial(_write, file, lines.of(item))
            return partial(file.append, *_counted(lines.text(item))) if isinstance(item, Item) else None

        try:
            yield from written(jobs(self._options.transactions), writing)
        finally:
            script.close()


class ScriptText(NamedTuple):
    """Lines of a script in UTF-8, and how many transactions they end."""

    lines: bytes
    ended: int


def script_texts(
    session: Session, script: SqlScript, transactions: int, offset: TimeOffset, progress: ScriptProgress
) -> Iterator[ScriptText | Event]:
    """The script of so many transactions, many lines at a time; raises like ``SqlScript.items``."""
    lines = ScriptLines(script, offset)
    with closing(script), new_pool() as pool:
        for item in results(pool, ScriptJobs(session, script, progress)(transactions)):
            if isinstance(item, TrailError):
                raise item
            if isinstance(item, BlockLines):
                block = item.block.block
                yield ScriptText(bytes(merged(lines.of(item))), len(block.extents) - (0 if block.closes else 1))
            elif isinstance(item, Item):
                yield ScriptText(lines.text(item), int(isinstance(item, Closing)))
            else:
                yield item


class ScriptLines:
    """The lines of blocks and of items, in the order of the script."""

    def __init__(self, script: SqlScript, offset: TimeOffset) -> None:
        self._script = script
        self._offset = offset
        self._is_backwards = script.takes_back
        self._left_out = self._remarks = 0
        self._closing = self._made(_CLOSING)

    def text(self, item: Item) -> bytes:
        """The lines of an item."""
        return self._closing if item == _CLOSING else self._made(item)

    def _made(self, item: Item) -> bytes:
        return "".join(f"{line}\n" for line in item_lines(item, self._script.dialect, self._offset)).encode()

    def of(self, lines: BlockLines) -> list[LinePart]:
        """All lines of a block; the numbers of their rows rise in the order of the script."""
        block = lines.block
        self._script.statements += count(lines.parts)
        of_unit = block.units.extent[block.units.heads]
        left_out = np.bincount(of_unit[block.is_left_out], minlength=len(block.block.extents))
        remarks = np.zeros_like(left_out)
        for part in lines.remarks:
            rows = part.rows[np.diff(part.ends, prepend=0) > 0]
            np.add.at(remarks, block.units.extent[np.searchsorted(block.units.rows, rows)], 1)
        self._script.remarks += int(remarks.sum())
        singles = self._singles(lines, of_unit, left_out, remarks)
        made = [*lines.parts, *lines.remarks]
        parts = [*self._openings(block), *made, singles, *self._closings(block, left_out, remarks)]
        return [part._replace(rows=-part.rows) for part in parts] if self._is_backwards else parts

    def _singles(self, lines: BlockLines, of_unit: Array, left_out: Array, remarks: Array) -> LinePart:
        """The lines of what is written one by one; counts what the filter drops, and what has no statement."""
        block, texts = lines.block, []
        units = np.flatnonzero(lines.is_single)
        for unit in (units[::-1] if self._is_backwards else units).tolist():
            records, text = block.records(unit), b""
            extent = int(of_unit[unit])
            transaction = block.block.extents[extent].transaction
            for statement in self._script.statements_of(
                reversed(records) if self._is_backwards else records, transaction, block.pieces(unit)
            ):
                left_out[extent] += statement is None
                if statement is not None:
                    remarks[extent] += statement.sql is None
                    text += self.text(statement)
            texts.append((int(block.units.rows[block.units.heads[unit]]), text))
        return _part(texts)

    def _openings(self, block: BlockRows) -> Iterator[LinePart]:
        """What stands before the statements of transactions."""
        if block.block.opens:
            openings = map(self._script.opening, block.block.extents)
            yield _part(zip(block.units.ends(is_last=self._is_backwards), map(self.text, openings), strict=True))

    def _closings(self, block: BlockRows, left_out: Array, remarks: Array) -> Iterator[LinePart]:
        """What stands behind them; of a part of a transaction what it has dropped goes on to the next."""
        left_out[0] += self._left_out
        remarks[0] += self._remarks
        self._left_out, self._remarks = (0, 0) if block.block.closes else (int(left_out[0]), int(remarks[0]))
        if block.block.closes:
            closings = map(Closing, left_out.tolist(), remarks.tolist())
            yield _part(zip(block.units.ends(is_last=not self._is_backwards), map(self.text, closings), strict=True))


def _part(texts: Iterable[tuple[int, bytes]]) -> LinePart:
    """Lines by the numbers of their rows."""
    pairs = list(texts)
    numbers = np.array([number for number, _ in pairs], np.int64)
    ends = np.cumsum([len(text) for _, text in pairs], dtype=np.int64)
    return LinePart(numbers, memoryview(b"".join(text for _, text in pairs)), ends)


def _write(file: TextFile, parts: list[LinePart]) -> None:
    file.append(*_counted(merged(parts)))


def _counted(data: bytes | memoryview) -> tuple[bytes | memoryview, int]:
    """Lines, and how many there are."""
    return data, int(np.count_nonzero(np.frombuffer(data, np.uint8) == _LINE_END))


def _path(extent: Extent) -> Path:
    assert extent.first is not None  # noqa: S101 - a whole transaction has its first record
    return extent.first.path
