"""The lines of a script, with its comments.

-- Transaction 7.21.6009 CSN 7824137832 2017-05-22 22:38:49.000000 RBA 1956 to 2300, 2 records
-- RBA 2302 UPDATE TEAHOUSE.TEAS: the trail has no before image of PRICE
-- Left out: transaction 7.22.6010 CSN 7824137840 2017-05-22 22:38:50.000000 RBA 2733, 2 records: cut by RestartAbend at
RBA 3094: a Replicat drops it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from logdump.display.sql.block_lines import BlockStatements, as_comment, comment, refusal_comment
from logdump.display.sql.blocks import BlockRows
from logdump.display.sql.dialects import Dialect
from logdump.display.sql.script import (
    Closing,
    FinishedBlock,
    Item,
    LeftOut,
    NotRun,
    Opening,
    SkippedTransaction,
    SqlScript,
)
from logdump.notation.text import amount
from logdump.notation.times import TimeOffset, format_timestamp
from logdump.session.events import Statement
from trailformat import io_type_name
from trailformat.arrays.lines import LinePart
from trailformat.scan.rows.row_bytes import Array
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.extent import Ended, Extent, Walked


def item_lines(item: Item, dialect: Dialect, offset: TimeOffset) -> Iterator[str]:
    """Yield the lines of any item."""
    return statement_lines(item) if isinstance(item, Statement) else script_lines(item, dialect, offset)


def statement_lines(statement: Statement) -> Iterator[str]:
    """Yield the lines of a statement with its ending, or the comment in its place."""
    if statement.sql is not None:
        yield from f"{statement.sql}{statement.ending}".split("\n")
        return
    change = statement.change
    yield refusal_comment(change.rba, change.op, change.table, statement.reason, statement.elsewhere)


def script_lines(
    item: Opening | Closing | SkippedTransaction | NotRun | LeftOut | Walked, dialect: Dialect, offset: TimeOffset
) -> Iterator[str]:
    """Yield the lines around the statements of a transaction, or in place of them; none for Walked."""
    if isinstance(item, SkippedTransaction):
        yield comment(f"Left out: transaction {_title(item, offset)}: {_reason(item, item.trail.path)}.")
    elif isinstance(item, LeftOut):
        changes, transactions = amount(item.changes, "change"), amount(item.transactions, "transaction")
        yield comment(f"The filter left out {changes} of {transactions} without another one.")
    elif isinstance(item, NotRun):
        yield from map(as_comment, statement_lines(item.statement))
    elif isinstance(item, Opening):
        yield comment(f"Transaction {_title(item, offset)}")
        if dialect.begin:
            yield dialect.begin
    elif isinstance(item, Closing):
        if item.left_out:
            yield comment(f"The filter left out {amount(item.left_out, 'change')} of this transaction.")
        if item.remarks:
            yield comment(f"{item.remarks} of the changes above could not be written: think before you commit.")
        yield dialect.commit


def _title(item: Opening | SkippedTransaction, offset: TimeOffset) -> str:
    extent = item.extent
    csn, xid = extent.transaction
    names = [*([xid] if xid else []), *(["CSN", csn] if csn else [])]
    time = format_timestamp(extent.first_moment.time, offset)
    return f"{' '.join([*names, time])}, {_place(extent, item.trail.path)}, {amount(item.records, 'record')}"


def _place(extent: Extent, here: Path) -> str:
    begin = at(extent.first, here) if extent.first is not None else "RBA not known"
    if not extent.is_whole or extent.after is None:
        return begin
    return f"{begin} to {at(extent.after, here).removeprefix('RBA ')}"


def at(spot: FilePosition, here: Path) -> str:
    """Return ``RBA 1811``, with the file if it is not ``here``."""
    return f"RBA {spot.rba}" if spot.is_in(here) else f"RBA {spot.rba} of {spot.path}"


def _reason(item: SkippedTransaction, here: Path) -> str:
    """Return the reason why a transaction has no statements."""
    extent = item.extent
    if extent.is_whole:
        where = f"at {at(item.first_copy, here)}" if item.first_copy is not None else "before"
        return f"the trail has it whole {where}: a Replicat skips this copy"
    damage = next((span for span in extent.damage if not span.is_partial), None)
    if damage is not None:
        where = at(FilePosition(damage.path, damage.rba), here)
        return f"damage at {where}, {damage.length} bytes: what it held is not known"
    if extent.begin is None:
        return f"it begins in {extent.missing}, which is not here" if extent.missing else "its first record is not here"
    return _lack_of_end(extent, here)


def _lack_of_end(extent: Extent, here: Path) -> str:
    if extent.ended is Ended.CUT and extent.marker is not None:
        marker = extent.marker
        return f"cut by {io_type_name(marker.io_type)} at {at(marker.spot, here)}: a Replicat drops it"
    if extent.ended is Ended.OVERTAKEN and extent.after is not None:
        return f"it has no last record, the next begins at {at(extent.after, here)}: a Replicat drops it"
    if extent.missing is not None:
        return f"it continues in {extent.missing}, which is not here"
    return "it is open at the end of the trail: its rest is not written yet, or will never come"


_CLOSING = Closing(left_out=0, remarks=0)
"""The closing of most transactions."""


class ScriptLines:
    """The lines of blocks and of items, in the order of the script."""

    def __init__(self, script: SqlScript, offset: TimeOffset) -> None:
        self._script = script
        self._offset = offset
        self._is_backwards = script.takes_back
        self._closing = self._made(_CLOSING)

    def text(self, item: Item) -> bytes:
        """Return the lines of an item; those of an ordinary closing are made once."""
        return self._closing if item == _CLOSING else self._made(item)

    def _made(self, item: Item) -> bytes:
        return "".join(f"{line}\n" for line in item_lines(item, self._script.dialect, self._offset)).encode()

    def of(self, finished: FinishedBlock) -> list[LinePart]:
        """Return all lines of a block, whose row numbers increase in the order of the script."""
        block = finished.made.block
        singles = (
            (int(block.units.rows[block.units.heads[unit]]), b"".join(map(self.text, statements)))
            for unit, statements in finished.singles.items()
        )
        change_lines = [*finished.made.parts, _refusals(finished.made), _part(sorted(singles))]
        if not block.block.is_run:
            change_lines = list(map(_as_comments, change_lines))
        parts = [*self._openings(block, finished), *change_lines, *self._closings(block, finished)]
        return [part._replace(rows=-part.rows) for part in parts] if self._is_backwards else parts

    def _openings(self, block: BlockRows, finished: FinishedBlock) -> Iterator[LinePart]:
        """Yield the lines before the statements of transactions."""
        if finished.openings:
            places = block.units.ends(is_last=self._is_backwards)
            yield _part((places[number], self.text(opening)) for number, opening in finished.openings.items())

    def _closings(self, block: BlockRows, finished: FinishedBlock) -> Iterator[LinePart]:
        """Yield the lines after the statements of transactions."""
        if finished.closings:
            places = block.units.ends(is_last=not self._is_backwards)
            yield _part((places[number], self.text(closing)) for number, closing in finished.closings.items())


def _refusals(statements: BlockStatements) -> LinePart:
    """Return the comments in place of statements; the text after the RBA is made once for all that share it."""
    begin, rests = refusal_comment(0, "", "", "", None).split("0")[0], dict[tuple[str, str, str], str]()
    texts = []
    for row, rba, op, table, reason in sorted(statements.refusals):
        rest = rests.get(key := (op, table, reason))
        if rest is None:
            rest = rests[key] = refusal_comment(0, op, table, reason, statements.block.elsewhere).removeprefix(
                f"{begin}0"
            )
        texts.append((row, f"{begin}{rba}{rest}\n".encode()))
    return _part(texts)


def _as_comments(part: LinePart) -> LinePart:
    """Return the lines of statements as comments."""
    begins, text = np.concatenate(([0], part.ends))[:-1].tolist(), bytes(part.data)
    lines = (text[begin:end].decode().split("\n")[:-1] for begin, end in zip(begins, part.ends.tolist(), strict=True))
    texts = ("".join(f"{line}\n" for line in map(as_comment, statement)).encode() for statement in lines)
    return _part(zip(part.rows.tolist(), texts, strict=True))


def _part(texts: Iterable[tuple[int, bytes]]) -> LinePart:
    """Return texts by row number as lines."""
    pairs = list(texts)
    numbers: Array = np.array([number for number, _ in pairs], np.int64)
    ends = np.cumsum([len(text) for _, text in pairs], dtype=np.int64)
    return LinePart(numbers, memoryview(b"".join(text for _, text in pairs)), ends)
