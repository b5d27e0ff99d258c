"""The side pane of a wide screen: the busiest tables, the largest transactions, the marks, at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from textual.strip import Strip

from logdump.render.escape import escape
from logdump.session import Mark
from logdump.tui.choices import short_count
from logdump.tui.glyphs import Glyphs
from logdump.tui.row_text import fit
from logdump.tui.text import Line, Looks, line
from logdump.tui.title import size_text
from logdump.tui.transactions import LargeTransaction
from trailformat.index import TableTotals

_NUMBER = 6


class Side(Looks):
    """Three sections, each with the key of its pane in the heading."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="side")
        self._glyphs = glyphs
        self._tables: Mapping[str, TableTotals] = {}
        self._transactions: list[LargeTransaction] = []
        self._marks: list[Mark] = []
        self._lines: list[Line] = []

    def show_tables(self, tables: Mapping[str, TableTotals]) -> None:
        """Other totals."""
        self._tables = tables
        self.update_lines()

    def show_transactions(self, transactions: list[LargeTransaction]) -> None:
        """Other transactions."""
        self._transactions = transactions
        self.update_lines()

    def show_marks(self, marks: list[Mark]) -> None:
        """Other marks."""
        self._marks = marks
        self.update_lines()

    def update_lines(self) -> None:
        """Lay the sections out again, and repaint them if they differ."""
        room = max(2, (self.size.height - 2) // 3)
        lines = [*self._section(self._table_lines(), room), *self._section(self._transaction_lines(), room)]
        lines += self._section(self._mark_lines(), room)
        if lines != self._lines:
            self._lines = lines
            self.refresh()

    @staticmethod
    def _section(lines: Iterator[Line], room: int) -> list[Line]:
        found = [one for _, one in zip(range(room), lines, strict=False)]
        return found + [line("")] * (room - len(found) + 1)

    def _heading(self, text: str, *columns: str) -> Line:
        numbers = "".join(f"{one:>{_NUMBER}}" for one in columns)
        return line(f"{text:<{self._text_width - len(numbers)}}{numbers}", "title")

    @property
    def _text_width(self) -> int:
        return max(12, self.size.width - 2)

    def _row(self, text: str, *numbers: str) -> Line:
        shown = "".join(f"{one:>{_NUMBER}}" for one in numbers)
        return line(fit(f" {text}", self._text_width - len(shown), self._glyphs) + shown)

    def _table_lines(self) -> Iterator[Line]:
        yield self._heading("[t]ables", "recs", "%")
        total = sum(one.records for one in self._tables.values()) or 1
        for name, one in sorted(self._tables.items(), key=lambda item: (-item[1].records, item[0])):
            yield self._row(escape(name) or "(no name)", short_count(one.records), f"{100 * one.records / total:.0f}")

    def _transaction_lines(self) -> Iterator[Line]:
        yield self._heading("[x] transactions", "recs", "size")
        for one in self._transactions:
            name = escape(one.xid or one.csn) or f"RBA {one.span.begin}"
            opened = " open" if one.span.end is None else ""
            size = size_text(one.span.data_bytes).replace(" ", "").removesuffix("B") or "0"
            yield self._row(name + opened, short_count(one.span.records), size)

    def _mark_lines(self) -> Iterator[Line]:
        yield self._heading("[M]arks")
        for one in sorted(self._marks):
            yield self._row(f"{escape(one.name)}  {one.rba}  {escape(one.note)}")

    def on_resize(self) -> None:
        """Other room."""
        self.update_lines()

    def render_line(self, y: int) -> Strip:
        """A line and the divider behind it."""
        width = self.size.width
        pieces = self._lines[y].pieces if y < len(self._lines) else ()
        text = self.strip(pieces, width - 1)
        return Strip([*text, *self.strip(((self._glyphs.divider, "dim"),), 1)])
