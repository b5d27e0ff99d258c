"""The lines of a script, many at a time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from logdump.display.sql.block_lines import BlockStatements
from logdump.display.sql.block_reader import BlockRows
from logdump.display.sql.comments import as_comment, refusal_comment
from logdump.display.sql.script import Closing, FinishedBlock, Item, SqlScript
from logdump.display.sql.script_text import item_lines
from logdump.notation.times import TimeOffset
from trailformat.arrays.lines import LinePart
from trailformat.scan.rows.row_bytes import Array

_CLOSING = Closing(left_out=0, remarks=0)
"""That of most transactions."""


class ScriptLines:
    """The lines of blocks and of items, in the order of the script."""

    def __init__(self, script: SqlScript, offset: TimeOffset) -> None:
        self._script = script
        self._offset = offset
        self._is_backwards = script.takes_back
        self._closing = self._made(_CLOSING)

    def text(self, item: Item) -> bytes:
        """Return the lines of an item."""
        return self._closing if item == _CLOSING else self._made(item)

    def _made(self, item: Item) -> bytes:
        return "".join(f"{line}\n" for line in item_lines(item, self._script.dialect, self._offset)).encode()

    def of(self, finished: FinishedBlock) -> list[LinePart]:
        """All lines of a block; the numbers of their rows rise in the order of the script."""
        block = finished.made.block
        singles = (
            (int(block.units.rows[block.units.heads[unit]]), b"".join(map(self.text, statements)))
            for unit, statements in finished.singles.items()
        )
        made = [*finished.made.parts, _refusals(finished.made), _part(sorted(singles))]
        if not block.block.is_run:
            made = list(map(_as_comments, made))
        parts = [*self._openings(block), *made, *self._closings(block, finished)]
        return [part._replace(rows=-part.rows) for part in parts] if self._is_backwards else parts

    def _openings(self, block: BlockRows) -> Iterator[LinePart]:
        """Yield the lines before the statements of transactions."""
        if block.block.opens:
            openings = (self._script.beginning(block.block, extent) for extent in block.block.extents)
            yield _part(zip(block.units.ends(is_last=self._is_backwards), map(self.text, openings), strict=True))

    def _closings(self, block: BlockRows, finished: FinishedBlock) -> Iterator[LinePart]:
        """Yield the lines after the statements of transactions."""
        if block.block.closes:
            closings = map(self.text, finished.closings)
            yield _part(zip(block.units.ends(is_last=not self._is_backwards), closings, strict=True))


def _refusals(made: BlockStatements) -> LinePart:
    """The comments in place of statements: what many have after their RBA is made once."""
    begin, rests = refusal_comment(0, "", "", "", None).split("0")[0], dict[tuple[str, str, str], str]()
    texts = []
    for row, rba, op, table, reason in sorted(made.refusals):
        rest = rests.get(key := (op, table, reason))
        if rest is None:
            rest = rests[key] = refusal_comment(0, op, table, reason, made.block.elsewhere).removeprefix(f"{begin}0")
        texts.append((row, f"{begin}{rba}{rest}\n".encode()))
    return _part(texts)


def _as_comments(part: LinePart) -> LinePart:
    """The lines of statements that are not to be run."""
    begins, text = np.concatenate(([0], part.ends))[:-1].tolist(), bytes(part.data)
    lines = (text[begin:end].decode().split("\n")[:-1] for begin, end in zip(begins, part.ends.tolist(), strict=True))
    texts = ("".join(f"{one}\n" for one in map(as_comment, statement)).encode() for statement in lines)
    return _part(zip(part.rows.tolist(), texts, strict=True))


def _part(texts: Iterable[tuple[int, bytes]]) -> LinePart:
    """Lines by the numbers of their rows."""
    pairs = list(texts)
    numbers: Array = np.array([number for number, _ in pairs], np.int64)
    ends = np.cumsum([len(text) for _, text in pairs], dtype=np.int64)
    return LinePart(numbers, memoryview(b"".join(text for _, text in pairs)), ends)
