"""The lower pane: pages about the record under the cursor, of which one is shown, and the output of the commands."""

from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Resize
from textual.message import Message
from textual.reactive import reactive
from textual.timer import Timer

from logdump.tui.panes.hex_pane import HexPane
from logdump.tui.panes.record_pane import RecordPane
from logdump.tui.panes.tabs import TABS
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.reading.messages import HexRead, PaneRead
from logdump.tui.reading.rows import RowKind
from logdump.tui.reading.state import Current
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import line

OUTPUT = "output"
_PATIENCE = 0.25
"""Seconds for which a page may show what was current before, while what is current is read."""
_WITHOUT_RECORD = (RowKind.END, RowKind.MORE)

Ask = Callable[[str, Current, int], None]


class Pages(Vertical):
    """Has the page that is shown read whenever it, its width or what is current becomes another.

    Args:
        glyphs: the characters for what is more than text.
        ask: has a page of so many cells read; the answer comes to :meth:`take`.

    Attributes:
        current: what the pages are about.
        shown: the name of the page that is shown.
        before: the page about the record that was shown last.
    """

    class Scrolled(Message):
        """Other lines of a page are visible, or another one is current."""

    current: reactive[Current] = reactive(Current(), repaint=False, init=False)

    def __init__(self, glyphs: Glyphs, ask: Ask) -> None:
        super().__init__(id="pages")
        self.shown = self.before = TABS[0].name
        self._glyphs = glyphs
        self._ask = ask
        self._pick = ""
        self._waits_for_index = False
        self._patience: Timer | None = None

    def compose(self) -> ComposeResult:
        """The pages."""
        for tab in TABS:
            yield (HexPane if tab.name == "hex" else RecordPane)(tab.name, self._glyphs)
        yield TextPane(OUTPUT, self._glyphs)

    def page(self, name: str) -> TextPane:
        """One of the pages."""
        return self.query_one(f"#{name}", TextPane)

    def show_page(self, name: str, *, pick: str = "") -> None:
        """Show a page, with a field picked in it."""
        if name != OUTPUT:
            self.before = name
        self.shown, self._pick = name, pick
        for page in self.query(TextPane):
            page.set_class(page.id == name, "-shown")
        self._read()

    def watch_current(self) -> None:
        """Empty what is about something else, and have the page that is shown read."""
        for tab in TABS:
            if tab.name != self.shown:
                self.page(tab.name).empty()
        self._read()

    def on_resize(self, _event: Resize) -> None:
        """The width of the bytes depends on that of the page."""
        self._read()

    def on_text_pane_scrolled(self, message: TextPane.Scrolled) -> None:
        """Say it in the own name: Textual lets no message go on that a watcher of the parent has caused."""
        message.stop()
        self.post_message(self.Scrolled())

    def index_has_grown(self) -> None:
        """Read what had to wait for the index."""
        if self._waits_for_index:
            self._read()

    def _read(self) -> None:
        row = self.current.row
        if self.shown == OUTPUT:
            return
        if row is None or row.kind in _WITHOUT_RECORD:
            self._waits_for_index = False
            self._end_patience()
            self.page(self.shown).empty()
            return
        if self._patience is None:
            self._patience = self.set_timer(_PATIENCE, self._empty_shown)
        self._ask(self.shown, self.current, self.size.width)

    def _empty_shown(self) -> None:
        """What is current takes its time; what was current before must not be taken for it."""
        if self._patience is None:
            return  # Textual queues what a timer does, and the answer has come meanwhile
        self._patience = None
        if self.shown != OUTPUT:
            self.page(self.shown).empty()

    def _end_patience(self) -> None:
        if self._patience is not None:
            self._patience.stop()
            self._patience = None

    def take(self, message: PaneRead | HexRead) -> None:
        """A page has been read; one about something else comes too late."""
        if message.about != self.current:
            return
        page = self.page(message.pane)
        if isinstance(message, HexRead) and isinstance(page, HexPane):
            page.show_record(message.text)
        elif isinstance(message, PaneRead):
            self._waits_for_index = message.is_preliminary
            page.show(message.lines)
        if message.pane != self.shown:
            return
        self._end_patience()
        if self._pick and isinstance(page, RecordPane | HexPane):
            page.pick(self._pick)
        self._pick = ""

    def tell(self, problem: str) -> None:
        """The file cannot be read: the page that is shown says why."""
        self._end_patience()
        if self.shown != OUTPUT:
            self.page(self.shown).show([line(problem, "warn")])
