"""The side pane of a wide screen: a summary of tables, largest transactions, restarts and marks."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from textual.containers import Horizontal
from textual.events import Click
from textual.strip import Strip

from logdump.notation.text import size_text
from logdump.tui.keys.keys import Area, bindings
from logdump.tui.model.model import Model
from logdump.tui.panes.choice_pane import Choice, ChoicePane
from logdump.tui.panes.choices import short_count, table_filter
from logdump.tui.reading.background import INDEX
from logdump.tui.text.styled import Glyphs, Styled, fit, fit_name, width_of
from trailformat import io_type_name

_NUMBER = 6
_LEAST_WIDTH, _LARGEST_PART = 29, 4


class _Entry(NamedTuple):
    """A line: text, numbers after it, the action of a click on a heading, the line that a click on a row enters.

    If ``is_table``, the text is the name of a table.
    """

    text: str
    numbers: tuple[str, ...] = ()
    action: str = ""
    enters: str = ""
    is_table: bool = False


class Sidebar(Styled):
    """Three sections with the key of their pane in the heading; a click does the same as Enter in that pane.

    If Extract was restarted in the file, a fourth section lists the restarts.
    """

    def __init__(self, model: Model, glyphs: Glyphs) -> None:
        super().__init__(id="sidebar")
        self._model = model
        self._glyphs = glyphs
        self._entries: list[_Entry] = []
        model.observe(self.draw, Model.opened, Model.indexed, Model.transactions, Model.state, Model.lacks)

    def draw(self) -> None:
        """Lay the sections out, and repaint them if they differ."""
        sections = [self._table_lines(), self._transaction_lines(), self._mark_lines()]
        if self._model.index.places.restart_count:
            sections.insert(2, self._restart_lines())
        entries = self._laid_out([list(islice(lines, max(2, self.app.size.height))) for lines in sections])
        self.set_class(not any(entry.text and not entry.action for entry in entries), "-blank")
        if entries != self._entries:
            self._entries = entries
            self.refresh()
        self._widen()

    def _widen(self) -> None:
        """Set the width that the values need, up to a quarter of the screen."""
        rows = [entry for entry in self._entries if not entry.action]
        need = (
            max(width_of(entry.text, self._glyphs) + _NUMBER * len(entry.numbers) + entry.is_table for entry in rows)
            + 2
        )
        self.styles.width = max(_LEAST_WIDTH, min(need, self.app.size.width // _LARGEST_PART))

    def _laid_out(self, sections: list[list[_Entry]]) -> list[_Entry]:
        """Return the lines of the sections, a blank one between two; those that need less leave room to the others."""
        left = self.size.height - len(sections) + 1
        rooms: dict[int, int] = {}
        for number, section in enumerate(sorted(range(len(sections)), key=lambda index: len(sections[index]))):
            rooms[section] = min(len(sections[section]), max(2, left // (len(sections) - number)))
            left -= rooms[section]
        shown = (sections[index][: rooms[index]] for index in range(len(sections)))
        return [entry for lines in shown for entry in (*lines, _Entry(""))]

    @property
    def _so_far(self) -> str:
        return " so far" if self._model.has_more(INDEX) else ""

    def _table_lines(self) -> Iterator[_Entry]:
        yield _Entry(f"[t]ables{self._so_far}", ("recs", "%"), action="app.show_choices('tables')")
        for name, totals, part in self._model.tables[: self.size.height]:
            numbers = short_count(totals.records), f"{part:.0f}"
            yield _Entry(name or "(no name)", numbers, enters=table_filter(name), is_table=True)

    def _transaction_lines(self) -> Iterator[_Entry]:
        yield _Entry("[x] transactions", ("recs", "size"), action="app.show_choices('transactions')")
        for transaction in self._model.transactions:
            name = (transaction.xid or transaction.csn) or f"RBA {transaction.span.begin}"
            goes_on = "" if self._model.has_more(INDEX) else " open"
            opened = " cut" if transaction.span.cut_at is not None else goes_on if transaction.span.end is None else ""
            size = size_text(transaction.span.data_bytes).replace(" ", "").removesuffix("B") or "0"
            numbers = short_count(transaction.span.records), size
            yield _Entry(f" {name}{opened}", numbers, enters=f"POS {transaction.span.begin}")

    def _restart_lines(self) -> Iterator[_Entry]:
        places = self._model.index.places
        yield _Entry("restarts", (short_count(places.restart_count),), action="app.send('RECOVERY RESTARTS')")
        for restart in places.restarts:
            yield _Entry(f" {io_type_name(restart.io_type)}  {restart.rba}", enters=f"POS {restart.rba}")

    def _mark_lines(self) -> Iterator[_Entry]:
        yield _Entry("[M]arks", action="app.show_choices('marks')")
        for mark in sorted(self._model.marks_here):
            yield _Entry(f" {mark.name}  {mark.rba}  {mark.note}", enters=f"POSITION MARK {mark.name}")

    def on_resize(self) -> None:
        """Lay the sections out in the new size."""
        self.draw()

    async def on_click(self, event: Click) -> None:
        """Open the pane of a heading, or enter the line of a row."""
        entry = self._entries[event.y] if event.y < len(self._entries) else _Entry("")
        if entry.action:
            await self.app.run_action(entry.action)
        elif entry.enters:
            self.post_message(ChoicePane.Chosen(Choice(entry.text, enter=entry.enters), "enter"))

    def render_line(self, y: int) -> Strip:
        """Return a line and the divider after it."""
        width = self.size.width
        entry = self._entries[y] if y < len(self._entries) else _Entry("")
        numbers = "".join(f"{number:>{_NUMBER}}" for number in entry.numbers)
        room = width - 1 if entry.action else width - 2
        cells = max(1, room - len(numbers))
        text = (
            f" {fit_name(entry.text, cells - 1, self._glyphs)}"
            if entry.is_table
            else fit(entry.text, cells, self._glyphs)
        )
        text += numbers
        strip = self.strip(((text, "title" if entry.action else ""),), width - 1)
        return Strip([*strip, *self.strip(((self._glyphs.divider, "dim"),), 1)])


class Panes(Horizontal):
    """The panes between the title and the prompt."""

    BINDINGS = bindings(Area.PANES)

    def on_resize(self) -> None:
        """Set the width of the side pane."""
        self.query_one(Sidebar).draw()
