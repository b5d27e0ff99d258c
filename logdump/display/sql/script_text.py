"""The lines of a script, with its comments.

-- Transaction 7.21.6009 CSN 7824137832 2017-05-22 22:38:49.000000 RBA 1956 to 2300, 2 records
-- RBA 2302 UPDATE TEAHOUSE.TEAS: the trail has no before image of PRICE
-- Left out: transaction 7.22.6010 CSN 7824137840 2017-05-22 22:38:50.000000 RBA 2733, 2 records: cut by RestartAbend at
RBA 3094: a Replicat drops it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from logdump.display.header_texts import shown_texts, shown_times
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
from logdump.display.sql.script_walk import ScriptStretch
from logdump.notation.text import amount, escape
from logdump.notation.times import TimeOffset
from logdump.session.events import Statement
from trailformat import io_type_name
from trailformat.arrays import Digits, Field, FieldForm, LineForm, Numbered, Strings, write_lines
from trailformat.arrays.lines import LinePart, Lines
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
        yield from _title(item, offset, *_opening_texts(dialect)).split("\n")[:-1]
    elif isinstance(item, Closing):
        if item.left_out:
            yield comment(f"The filter left out {amount(item.left_out, 'change')} of this transaction.")
        if item.remarks:
            yield comment(f"{item.remarks} of the changes above could not be written: think before you commit.")
        yield dialect.commit


class _Titles(NamedTuple):
    """What the titles of transactions consist of: names and the IO Time (Julian) of the first record, places, records.

    Attributes:
        places: the fields that have the places of a transaction.
    """

    xids: Strings
    csns: Strings
    times: Array
    places: list[Field]
    records: Array


def _titles(stretch: ScriptStretch, here: Path) -> _Titles:
    """Return the titles of transactions; ``here`` is the file that is not named."""
    source, records = stretch.source, stretch.changes
    if isinstance(source, Extent):
        csns, xids = (Strings.of([escape(text) if text else None]) for text in source.transaction)
        places = [Field(FieldForm(b", "), Strings.of([escape(_place(source, here))]))]
        return _Titles(xids, csns, stretch.times, places, records)
    csns, xids = (shown_texts(column, _escaped) for column in (source.csns, source.xids))
    elsewhere = escape(_elsewhere(source.path, here)).encode()
    places = [
        Field(FieldForm(opening, elsewhere), Digits(rbas.astype(np.uint64)))
        for opening, rbas in ((b", RBA ", source.begins), (b" to ", source.afters))
    ]
    return _Titles(xids, csns, stretch.times, places, records)


def _escaped(text: str | None) -> str:
    return escape(text or "")


def _title_lines(titles: _Titles, head: str, tail: str, offset: TimeOffset) -> Lines:
    """Return the titles of transactions between two texts."""
    counts, number = np.unique(titles.records, return_inverse=True)
    amounts = Strings.of(amount(count, "record") for count in counts.tolist())
    fields = [
        Field(FieldForm(b"", b" "), titles.xids),
        Field(FieldForm(b"CSN ", b" "), titles.csns),
        Field(FieldForm(b""), shown_times(titles.times, offset)),
        *titles.places,
        Field(FieldForm(b", "), Numbered(amounts, number.astype(np.int32))),
    ]
    return write_lines(LineForm(head.encode(), tail.encode()), fields, np.zeros(len(number), bool))


def _title(item: Opening | SkippedTransaction, offset: TimeOffset, head: str = "", tail: str = "") -> str:
    titles = _titles(ScriptStretch(item.extent, np.array([item.records])), item.trail.path)
    return _title_lines(titles, head, tail, offset).data.tobytes().decode()


def _opening_texts(dialect: Dialect) -> tuple[str, str]:
    """Return the texts before and after the title of a transaction that is opened."""
    return comment("Transaction "), f"\n{dialect.begin}\n" if dialect.begin else "\n"


def _place(extent: Extent, here: Path) -> str:
    begin = at(extent.first, here) if extent.first is not None else "RBA not known"
    if not extent.is_whole or extent.after is None:
        return begin
    return f"{begin} to {at(extent.after, here).removeprefix('RBA ')}"


def at(position: FilePosition, here: Path) -> str:
    """Return ``RBA 1811``, with the file if it is not ``here``."""
    return f"RBA {position.rba}{_elsewhere(position.path, here)}"


def _elsewhere(path: Path, here: Path) -> str:
    """Return `` of FILE`` if a file is not ``here``, else nothing."""
    return "" if path == here else f" of {path}"


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
        return f"cut by {io_type_name(marker.io_type)} at {at(marker.position, here)}: a Replicat drops it"
    if extent.ended is Ended.OVERTAKEN and extent.after is not None:
        return f"it has no last record, the next begins at {at(extent.after, here)}: a Replicat drops it"
    if extent.missing is not None:
        return f"it continues in {extent.missing}, which is not here"
    return "it is open at the end of the trail: its rest is not written yet, or will never come"


class ScriptLines:
    """The lines of blocks and of items, in the order of the script."""

    def __init__(self, script: SqlScript, offset: TimeOffset) -> None:
        self._script = script
        self._offset = offset
        self._is_backwards = script.takes_back

    def text(self, item: Item) -> bytes:
        """Return the lines of an item."""
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
        """Yield the lines before the statements of transactions, or in place of them."""
        if not len(finished.opened):
            return
        places, transactions = block.units.ends(is_last=self._is_backwards), block.block.transactions
        if not block.block.is_run:
            skipped = map(self.text, self._script.skipped_of(block.block, finished.opened))
            yield _part(zip(places[finished.opened].tolist(), skipped, strict=True))
            return
        texts = _opening_texts(self._script.dialect)
        for stretch, numbers in transactions.among(finished.opened):
            lines = _title_lines(_titles(stretch, self._script.path), *texts, self._offset)
            yield LinePart(places[numbers], lines.data.data, lines.ends)

    def _closings(self, block: BlockRows, finished: FinishedBlock) -> Iterator[LinePart]:
        """Yield the lines after the statements of transactions; those of equal closings are made once."""
        if not len(finished.closed):
            return
        places = block.units.ends(is_last=not self._is_backwards)
        told = np.stack((finished.left_out, finished.remarks), 1)[finished.closed]
        closings, number = np.unique(told, axis=0, return_inverse=True)
        texts = Strings.of(self.text(Closing(*closing)) for closing in closings.tolist()).take(number.reshape(-1))
        yield LinePart(places[finished.closed], texts.data.data, texts.offsets[1:].astype(np.int64))


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
