"""The side pane of a wide screen: the busiest tables, the largest transactions, the marks, at a glance."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple

from textual.events import Click
from textual.strip import Strip

from logdump.session.marks import Mark
from logdump.tui.panes.choice_pane import Choice, ChoicePane
from logdump.tui.panes.choices import short_count, table_filter
from logdump.tui.panes.title import size_text
from logdump.tui.reading.transactions import ListedTransaction
from logdump.tui.text.cells import fit, width_of
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Styled
from trailformat.index import TableTotals

_NUMBER = 6
_LEAST_WIDTH, _LARGEST_PART = 29, 4


class _Entry(NamedTuple):
    """A line: text, numbers behind it, and the action of a click; of a row the line that it enters."""

    text: str
    numbers: tuple[str, ...] = ()
    action: str = ""
    enters: str = ""


class Side(Styled):
    """Three sections, each with the key of its pane in the heading; a click does what the pane's Enter does."""

    def __init__(self, glyphs: Glyphs) -> None:
        super().__init__(id="side")
        self._glyphs = glyphs
        self._tables: Mapping[str, TableTotals] = {}
        self._transactions: list[ListedTransaction] = []
        self._marks: list[Mark] = []
        self._entries: list[_Entry] = []

    def show_tables(self, tables: Mapping[str, TableTotals]) -> None:
        """Other totals."""
        self._tables = tables
        self.update_lines()

    def show_transactions(self, transactions: list[ListedTransaction]) -> None:
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
        entries = [*self._section(self._table_lines(), room), *self._section(self._transaction_lines(), room)]
        entries += self._section(self._mark_lines(), room)
        if entries != self._entries:
            self._entries = entries
            self._widen()
            self.refresh()

    def _widen(self) -> None:
        """Take the width that the values need, up to a quarter of the screen."""
        rows = [one for one in self._entries if not one.action]
        need = max(width_of(one.text, self._glyphs) + _NUMBER * len(one.numbers) for one in rows) + 2
        self.styles.width = max(_LEAST_WIDTH, min(need, self.app.size.width // _LARGEST_PART))

    @staticmethod
    def _section(lines: Iterator[_Entry], room: int) -> list[_Entry]:
        found = list(islice(lines, room))
        return found + [_Entry("")] * (room - len(found) + 1)

    def _table_lines(self) -> Iterator[_Entry]:
        yield _Entry("[t]ables", ("recs", "%"), action="app.show_choices('tables')")
        total = sum(one.records for one in self._tables.values()) or 1
        for name, one in sorted(self._tables.items(), key=lambda item: (-item[1].records, item[0])):
            numbers = short_count(one.records), f"{100 * one.records / total:.0f}"
            yield _Entry(f" {name or '(no name)'}", numbers, enters=table_filter(name))

    def _transaction_lines(self) -> Iterator[_Entry]:
        yield _Entry("[x] transactions", ("recs", "size"), action="app.show_choices('transactions')")
        for one in self._transactions:
            name = (one.xid or one.csn) or f"RBA {one.span.begin}"
            opened = " open" if one.span.end is None else ""
            size = size_text(one.span.data_bytes).replace(" ", "").removesuffix("B") or "0"
            numbers = short_count(one.span.records), size
            yield _Entry(f" {name}{opened}", numbers, enters=f"POS {one.span.begin}")

    def _mark_lines(self) -> Iterator[_Entry]:
        yield _Entry("[M]arks", action="app.show_choices('marks')")
        for one in sorted(self._marks):
            yield _Entry(f" {one.name}  {one.rba}  {one.note}", enters=f"POSITION MARK {one.name}")

    def on_resize(self) -> None:
        """Other room."""
        self.update_lines()

    async def on_click(self, event: Click) -> None:
        """A heading opens its pane, a row does what it does there."""
        one = self._entries[event.y] if event.y < len(self._entries) else _Entry("")
        if one.action:
            await self.app.run_action(one.action)
        elif one.enters:
            self.post_message(ChoicePane.Chosen(Choice(one.text, enter=one.enters), "enter"))

    def render_line(self, y: int) -> Strip:
        """A line and the divider behind it."""
        width = self.size.width
        one = self._entries[y] if y < len(self._entries) else _Entry("")
        numbers = "".join(f"{number:>{_NUMBER}}" for number in one.numbers)
        room = width - 1 if one.action else width - 2
        text = fit(one.text, max(1, room - len(numbers)), self._glyphs) + numbers
        strip = self.strip(((text, "title" if one.action else ""),), width - 1)
        return Strip([*strip, *self.strip(((self._glyphs.divider, "dim"),), 1)])
