"""Two trails side by side as lines: two columns, the sign of a difference between them, its details below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import NamedTuple

from rich.cells import cell_len

from logdump.display.text import PARTIAL
from logdump.features.diff.model import (
    AlignedRow,
    DifferenceKind,
    DifferenceShown,
    PairedTransaction,
    PartDifference,
    PassedOver,
    SameRow,
)
from logdump.features.diff.side_by_side import MOST_PARTS, AlignedListing, AlignedSoFar
from logdump.features.diff.text import (
    MARKS,
    diff_lines,
    finding,
    part_name,
    part_texts,
    places_text,
    record_name,
    subject,
    transaction_name,
)
from logdump.notation.text import amount, around_difference
from logdump.session.settings import Settings
from logdump.tui.text.styled import Glyphs, Line, fit, harmless, line, wrapped
from trailformat.trail.sequence import FilePosition


class AlignedCursor(NamedTuple):
    """The position of the cursor: index of its row, its side (0 or 1), and index of the first visible row."""

    at: int
    side: int = 0
    top: int = 0


_STYLES = {
    DifferenceKind.MISSING: "warn",
    DifferenceKind.EXTRA: "added",
    DifferenceKind.CHANGED: "changed",
    DifferenceKind.ABSENT: "changed",
    DifferenceKind.MOVED: "moved",
    DifferenceKind.TWICE: "moved",
    DifferenceKind.DAMAGE: "warn",
}
_BETWEEN = 3
"""Number of cells between the sides."""
_WITH_OPERATION = ((38, 12), (24, 9))
"""Minimum widths of a side, and the width of its column for the operation."""
_LEAST_BELOW, _MOST_BELOW = 4, 14
"""Minimum and maximum number of lines for details; the minimum is always reserved, so that the rows do not jump."""
_LONGEST_NAME = 24


class SideBySidePage:
    """The rows of two trails in ``size`` cells, with room below them for the details of row ``index``.

    Attributes:
        count: number of rows: those of the listing, and the final lines about both trails.
        room: number of rows that are visible at once.
    """

    def __init__(self, so_far: AlignedSoFar, size: tuple[int, int], glyphs: Glyphs, index: int = 0) -> None:
        self._listing, self._glyphs = so_far.listing, glyphs
        self._rows = so_far.rows
        self._width, height = size
        self._half = max(1, (self._width - 1 - _BETWEEN) // 2)
        self._tail = [row for text in _tail(so_far) for row in wrapped(line(harmless(text, glyphs)), self._width - 1)]
        self.count = so_far.rows + len(self._tail)
        most = min(_MOST_BELOW, (2 * height + 2) // 5)
        needed = sum(1 for _ in islice(self._about(min(index, self.count - 1)), most)) if self.count else 0
        self._below = min(most, max(_LEAST_BELOW, needed))
        self.room = max(1, height - 1 - self._below)

    def row(self, index: int) -> AlignedRow | None:
        """Return a row of the listing, None for the final lines."""
        return self._listing.rows[index] if index < self._rows else None

    def lines(self, cursor: AlignedCursor) -> list[Line]:
        """Return the names of both trails, the visible rows, and the details of the row under the cursor."""
        shown = range(cursor.top, min(self.count, cursor.top + self.room))
        digits = max(
            (len(str(position.rba)) for index in shown for position in places_of(self.row(index)) if position),
            default=0,
        )
        lines = [self._heading()]
        lines += [self._line(index, digits, cursor) for index in shown]
        lines += [line("")] * (self.room - len(shown))
        return [*lines, *islice(self._about(cursor.at), self._below)]

    def _heading(self) -> Line:
        first, second = self._listing.titles
        a, b = self._title(first), self._title(f"{second}, by {self._listing.level.value}")
        return Line(((f" {a}{' ' * _BETWEEN}{b}", "strong"),))

    def _title(self, title: str) -> str:
        """Return a name, shortened on the left if it is too long."""
        text, room = harmless(title, self._glyphs), self._half
        if cell_len(text) > room:
            text = self._glyphs.cut + text[max(0, len(text) - room + 1) :]
        return fit(text, room, self._glyphs)

    def _line(self, index: int, digits: int, cursor: AlignedCursor) -> Line:
        row, is_here = self.row(index), index == cursor.at
        sign = (self._glyphs.cursor if is_here else " ", "")
        if row is None or isinstance(row, PassedOver | PairedTransaction):
            text, style = self._across(index, row)
            return Line((sign, (text, "cursor" if is_here else style)))
        mark, style = (MARKS[row.kind], _STYLES[row.kind]) if isinstance(row, DifferenceShown) else (" ", "")
        cells = [fit(self._cell(row, position, digits), self._half, self._glyphs) for position in places_of(row)]
        styles = [("cursor" if cursor.side == side else "here") if is_here else style for side in (0, 1)]
        return Line((sign, (cells[0], styles[0]), (f" {mark} ", style), (cells[1], styles[1])))

    def _across(self, index: int, row: PassedOver | PairedTransaction | None) -> tuple[str, str]:
        """Return the text of a row over both sides, and its style."""
        if row is None:
            return self._tail[index - self._rows].text, "strong"
        if isinstance(row, PairedTransaction):
            return harmless(transaction_name(row.csn, row.xid), self._glyphs), "strong"
        return f"{self._glyphs.cut} {_passed(row)}", "dim"

    def _cell(self, row: SameRow | DifferenceShown, position: FilePosition | None, digits: int) -> str:
        if position is None:
            return ""
        if isinstance(row, DifferenceShown) and row.table is None:
            is_damage = row.kind is DifferenceKind.DAMAGE
            what = finding(row) if is_damage else f"transaction, {amount(row.records, 'record')}"
            return f"{position.rba:>{digits}} {what}"
        width = next((width for least, width in _WITH_OPERATION if self._half >= least), 0)
        operation = fit(row.op or "", width, self._glyphs) if width else row.op or ""
        return f"{position.rba:>{digits}} {operation} {row.table or '(no name)'}"

    def _about(self, index: int) -> Iterator[Line]:
        """Yield the lines about a row and the parts that differ."""
        row = self.row(index)
        if row is None:
            return
        parts = row.parts if isinstance(row, DifferenceShown) else ()
        yield from wrapped(line(harmless(_text(row, self._listing), self._glyphs), "strong"), self._width)
        names = [fit(part_name(part), _LONGEST_NAME, self._glyphs).rstrip() for part in parts]
        name_width = min(_widest(names), self._width // 3)
        room = max(1, (self._width - name_width - 6) // 2)
        texts = [self._values(part, room) for part in parts]
        width = _widest([a for a, _ in texts])
        for name, (a, b) in zip(names, texts, strict=True):
            pieces = (fit(a, width, self._glyphs), "warn"), (" | ", ""), (b, "added")
            yield Line(((f" {fit(name, name_width, self._glyphs)}  ", ""), *pieces))
        if len(parts) == MOST_PARTS:
            yield line(f" {self._glyphs.cut} more may differ", "dim")

    def _values(self, part: PartDifference, room: int) -> tuple[str, str]:
        a, b = (harmless(text, self._glyphs) for text in part_texts(part))
        a, b = around_difference(a, b, room, self._glyphs.cut)
        return fit(a, room, self._glyphs).rstrip(), fit(b, room, self._glyphs).rstrip()


def _widest(texts: Sequence[str]) -> int:
    return max(map(cell_len, texts), default=0)


def places_of(row: AlignedRow | None) -> tuple[FilePosition | None, FilePosition | None]:
    """Return the positions of a row on both sides; for a transaction twice on one side, that of its copy there."""
    if row is None or isinstance(row, PassedOver):
        return None, None
    if isinstance(row, DifferenceShown) and row.kind is DifferenceKind.TWICE:
        return (row.b, None) if row.side == "a" else (None, row.b)
    return row.a, row.b


def _passed(row: PassedOver) -> str:
    return f"{amount(row.transactions, 'transaction') if row.transactions else amount(row.records, 'record')} equal"


def _text(row: AlignedRow, listing: AlignedListing) -> str:
    """Return a row as a sentence."""
    if isinstance(row, PassedOver):
        return _passed(row)
    if isinstance(row, SameRow):
        return f"{places_text(row.a, row.b)}, {record_name(row.table, row.op)}: equal by {listing.level.value}"
    if isinstance(row, PairedTransaction):
        return f"{transaction_name(row.csn, row.xid)}, {places_text(row.a, row.b)}"
    text = f"{MARKS[row.kind]} {subject(row)}"
    return text if row.parts else f"{text}: {finding(row)}"


def _tail(so_far: AlignedSoFar) -> Iterator[str]:
    """Yield the final lines: differences that are not listed, and the totals of both trails."""
    listing = so_far.listing
    if so_far.is_ended and (listing.shown is None or listing.shown.is_partial):
        yield PARTIAL
    if listing.left_out:
        where = f": FROM CSN {listing.goes_on} lists them" if listing.goes_on is not None else ""
        yield f"{amount(listing.left_out, 'more difference')}{where}"
    if listing.shown is not None:
        yield from diff_lines(listing.shown, Settings())
    if not so_far.is_ended:
        yield "The rest is being compared."
