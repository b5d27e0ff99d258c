"""The lower pane: it shows one of the pages about the record under the cursor, or the output of the commands."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Resize
from textual.timer import Timer
from textual.widget import Widget

from logdump.display.text import PlacedLine, Severity
from logdump.session.settings import Settings
from logdump.tui.keys.keys import Area
from logdump.tui.model.model import NOT_OF_RECORD, OF_COMMANDS, OUTPUT, RECORD_TABS, Model
from logdump.tui.panes.record_pane import AnswerPane, HexPane, RecordPane, RowPane
from logdump.tui.panes.side_by_side_pane import SideBySidePane
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.panes.timeline_pane import TimelinePane
from logdump.tui.reading.messages import PaneRead
from logdump.tui.reading.rows import RowKind
from logdump.tui.reading.state import Current
from logdump.tui.reading.transcript import TableLine, Transcript
from logdump.tui.text.styled import Glyphs, Line, line

_PATIENCE = 0.25
"""Seconds for which a page may show the former record while the current one is read."""
_WITHOUT_RECORD = (RowKind.END, RowKind.MORE)

Ask = Callable[[str, Current, int], None]


_PANES_OF_RECORD = {"hex": HexPane, "values": RowPane}
_SEVERITIES = {Severity.DAMAGE: "warn", Severity.WARNING: "changed", Severity.NOTE: ""}


def _answer_line(text: str) -> Line:
    """Return a line of output, with its place and the colour of its severity."""
    if isinstance(text, PlacedLine):
        return line(text, _SEVERITIES[text.severity])._replace(position=text.position, is_advice=text.is_advice)
    return line(text)._replace(wraps=not isinstance(text, TableLine))


class Pages(Vertical):
    """Shows one of the pages, and reads it again whenever the page, its width or the current record changes.

    Args:
        model: has the current record and the page that is shown.
        transcript: the content of the output page.
        glyphs: the characters of the terminal.
        ask: requests a page for a width in cells; the answer is passed to :meth:`take`.
        settings: the settings of the session.
    """

    def __init__(self, model: Model, transcript: Transcript, glyphs: Glyphs, ask: Ask, settings: Settings) -> None:
        super().__init__(id="pages")
        self._model = model
        self._settings = settings
        self._transcript = transcript
        self._glyphs = glyphs
        self._ask = ask
        self._current, self._shown = model.current, model.shown
        self._pick = ""
        self._waits_for_index = False
        self._patience: Timer | None = None
        self._borrowing: TextPane | None = None
        model.observe(self._show_current, Model.shown, Model.row, Model.opened, Model.state)
        model.observe(self._use_index, Model.indexed)

    def compose(self) -> ComposeResult:
        """Yield the pages."""
        for tab in RECORD_TABS:
            yield _PANES_OF_RECORD.get(tab.name, RecordPane)(tab.name, self._glyphs)
        yield TimelinePane(self._model, self._settings, self._glyphs)
        yield SideBySidePane(self._model, self._glyphs)
        yield AnswerPane(OUTPUT, self._glyphs)

    def page(self, name: str) -> TextPane:
        """Return a page by name."""
        return self.query_one(f"#{name}", TextPane)

    @property
    def shown(self) -> TextPane:
        """The page that is shown."""
        return self.page(self._model.page)

    def open(self, name: str, lender: Widget) -> None:
        """Show a page. One with its own keys takes the keyboard; the next one without them returns it to ``lender``."""
        focused = self.app.focused
        is_borrowed = focused is self._borrowing or not isinstance(focused, TextPane)
        self._model.show_page(name)
        self.shown.open()
        if self.shown.place is not Area.PANES:
            self._borrowing = self.shown if is_borrowed else None
            self.shown.focus()
        elif focused is not None and focused is self._borrowing:
            lender.focus()

    @property
    def has_places(self) -> bool:
        """True if the output page is shown, and a line of the newest answer is about a place."""
        return isinstance(self.shown, AnswerPane) and self.shown.has_places

    def leave_output(self) -> bool:
        """Show the page before the output again; return whether it has keys of its own and keeps the keyboard."""
        was_inside = self._model.page == OUTPUT and self.shown.has_focus
        self._model.show_records_page()
        return was_inside and self.shown.place is not Area.PANES

    def on_mount(self) -> None:
        """Show the first page."""
        self._show_page()

    def _show_current(self) -> None:
        """Empty pages about another record, show the page of the model, and read it."""
        current, shown, before = self._model.current, self._model.shown, self._shown
        is_other, is_shown = current != self._current, shown != before
        self._current, self._shown = current, shown
        for tab in RECORD_TABS if is_other else ():
            if not tab.name == shown.name == before.name:
                self.page(tab.name).empty()
        if is_shown:
            self._pick = self._model.field
            self._show_page()
        if is_other or is_shown:
            self._read()

    def _show_page(self) -> None:
        for page in self.query(TextPane):
            page.set_class(page is self.shown, "-shown")
        if isinstance(self.app.focused, TextPane):
            self.shown.focus()
        if self._model.page == OUTPUT:
            self._show_output()
        self._model.where = self.shown.where

    def _show_output(self) -> None:
        """Show the output of the commands, beginning at the last one that was no step to a place of an answer."""
        lines: list[Line] = []
        start = 0
        for entry in self._transcript.entries:
            start = start if entry.is_step else len(lines)
            first, *rest = entry.lines()
            lines.append(line(first, "strong"))
            lines += map(_answer_line, rest)
        self.shown.show(lines, top=start)

    def on_resize(self, _event: Resize) -> None:
        """Read the page again: the width of the bytes depends on that of the page."""
        self._read()

    def on_text_pane_scrolled(self, message: TextPane.Scrolled) -> None:
        """Update the indicator of the visible lines."""
        message.stop()
        self._model.where = self.shown.where
        if self.shown.has_focus:
            self._model.places = self.shown.keys_places

    def on_record_pane_picked(self, message: RecordPane.Picked) -> None:
        """Keep the field, which the other pages pick when they are shown."""
        self._model.field = message.field

    def _use_index(self) -> None:
        """Read a page that has waited for the index."""
        if self._waits_for_index:
            self._read()

    def _read(self) -> None:
        row = self._current.row
        if self._model.page in NOT_OF_RECORD:
            return
        if row is None or row.kind in _WITHOUT_RECORD:
            self._waits_for_index = False
            self._end_patience()
            self.shown.empty()
            return
        if self._patience is None:
            self._patience = self.set_timer(_PATIENCE, self._empty_shown)
        self._ask(self._model.page, self._current, self.size.width)

    def _empty_shown(self) -> None:
        """Empty a page that still shows another record, which could be mistaken for the current one."""
        if self._patience is None:
            return  # Textual queues the timer's call, and the answer has come meanwhile
        self._patience = None
        if self._model.page not in NOT_OF_RECORD:
            self.shown.empty()

    def _end_patience(self) -> None:
        if self._patience is not None:
            self._patience.stop()
            self._patience = None

    def take(self, message: PaneRead) -> None:
        """Show a page that has been read, unless another record has become current."""
        if message.about != self._current:
            return
        page = self.page(message.pane)
        if isinstance(message.content, list):
            self._waits_for_index = message.is_preliminary
            page.show(message.content)
        elif isinstance(page, HexPane):
            page.show_record(message.content)
        if message.pane != self._model.page:
            return
        self._end_patience()
        if self._pick and isinstance(page, RecordPane | HexPane):
            page.pick(self._pick)
        self._pick = ""

    def tell(self, problem: str) -> None:
        """Show on the page why the file cannot be read."""
        self._end_patience()
        if self._model.page not in OF_COMMANDS:
            self.shown.show([line(problem, "warn")])
