"""The screen: panes around one session. It holds no logic of Logdump's; it sends lines and shows what they change."""

from __future__ import annotations

from typing import ClassVar

from textual import events
from textual.app import App, ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widgets import Input, Static

from logdump.history_file import KeptHistory
from logdump.session import Session
from logdump.tui.footer import footer_text
from logdump.tui.glyphs import Glyphs
from logdump.tui.keys import Area, bindings
from logdump.tui.hex_pane import HexPane
from logdump.tui.log_strip import LogStrip
from logdump.tui.messages import Asked, CommandEnded, HexRead, OutputGrew, PageRead, PaneRead, ReadFailed, SummaryRead
from logdump.tui.one_line import OneLine
from logdump.tui.page import Wanted, read_page
from logdump.tui.panes import read_page_of_record
from logdump.tui.prompt import Prompt
from logdump.tui.reader import Reader
from logdump.tui.record_pane import RecordPane
from logdump.tui.record_list import RecordList
from logdump.tui.rows import Kind, Walk
from logdump.tui.screen_mode import ScreenMode
from logdump.tui.state import State
from logdump.tui.summary import Summary, summary_of
from logdump.tui.tabs import TABS, tab_pieces
from logdump.tui.text import Line, line
from logdump.tui.text_pane import TextPane
from logdump.tui.title import Standing, title_pieces

_SHORT_ANSWER = 2
"""Lines of an answer that the strip above the prompt shows; longer ones come into the output pane."""


class Panes(Horizontal):
    """Everything between the title and the prompt."""

    BINDINGS = bindings(Area.PANES)


class TrailApp(App[None]):
    """The full-screen view of a session.

    Args:
        session: the session; it may have a trail open already.
        first: a line to run at the start.
        kept: where the history goes.
        glyphs: the characters for what is more than text.
    """

    CSS_PATH = "layout.tcss"
    BINDINGS: ClassVar = bindings(Area.EVERYWHERE)
    ENABLE_COMMAND_PALETTE = False

    def __init__(self, session: Session, first: str, kept: KeptHistory, glyphs: Glyphs) -> None:
        super().__init__()
        self.animation_level = "none"
        self.session = session
        self.glyphs = glyphs
        self.mode = ScreenMode(session, self.post_message, kept)
        self.list_reader = Reader("list", session.settings, self.post_message)
        self.pane_reader = Reader("panes", session.settings, self.post_message)
        self.state = State()
        self.summary = Summary()
        self.standing = Standing()
        self._first = first
        self._shown = "detail"
        self._shown_before = "detail"
        self._field = ""
        self._moves = self._moves_at_start = 0

    def compose(self) -> ComposeResult:
        """The panes, from top to bottom."""
        yield OneLine("title", look="title")
        with Panes(id="panes"), Vertical(id="main"):
            yield RecordList(self.session.settings, self.glyphs)
            yield OneLine("tabs")
            with Vertical(id="pages"):
                for tab in TABS:
                    yield HexPane(tab.name) if tab.name == "hex" else RecordPane(tab.name)
                yield TextPane("output")
        yield LogStrip(self.mode.transcript, self.glyphs)
        with Horizontal(id="prompt-line"):
            yield Static(self.mode.prompt, id="prompt-label", markup=False)
            yield Prompt()
        yield OneLine("footer")

    @property
    def records(self) -> RecordList:
        """The record list."""
        return self.query_one(RecordList)

    @property
    def prompt(self) -> Prompt:
        """The prompt."""
        return self.query_one(Prompt)

    def page(self, name: str) -> TextPane:
        """One page of the lower pane."""
        return self.query_one(f"#{name}", TextPane)

    @property
    def is_quiet(self) -> bool:
        """Whether every line is carried out and every pane has what it asked for."""
        threads = (self.mode, self.list_reader, self.pane_reader)
        return all(one.is_idle for one in threads) and not self.records.is_waiting

    def on_mount(self) -> None:
        """Show the empty panes, then begin."""
        self.show_tab("detail")
        self.prompt.focus()
        self.prompt.lines = self.session.history.lines.copy()
        self.records.empty_text = "Opening…" if self._first else self.records.empty_text
        self.update_title()
        self.call_after_refresh(self._begin)

    def _begin(self) -> None:
        if self._first or self.session.has_trail:
            self.enter(self._first or "OPEN")

    def on_unmount(self) -> None:
        """End the threads."""
        for one in (self.mode, self.list_reader, self.pane_reader):
            one.close()

    # Lines: what keys and the prompt send, and what comes of it.

    def enter(self, text: str) -> None:
        """Run a line as if it had been typed."""
        self._moves_at_start = self._moves
        self.mode.submit(text)

    def action_send(self, text: str) -> None:
        """A key that stands for a line."""
        self.enter(text)

    def action_type_in(self, text: str) -> None:
        """A key that begins a line."""
        self.prompt.begin(text)
        self.prompt.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Enter: run the line, answer the command that asks, or go to the records."""
        text = event.value
        self.prompt.begin()
        if self.mode.is_asking:
            self.mode.answer(text)
        elif text.strip():
            self.enter(text)
        else:
            self.records.focus()

    def on_output_grew(self, message: OutputGrew) -> None:
        """A command under way has something to show."""
        self.query_one(LogStrip).update_lines()
        progress = message.progress
        if progress is not None:
            part = f" {100 * progress.rba // progress.size} %" if progress.size else ""
            busy = f"scanned {progress.records:,}, RBA {progress.rba}{part}, Ctrl+C stops"
            self.set_standing(self.standing._replace(busy=busy))

    def on_asked(self, message: Asked) -> None:
        """A command wants one more line."""
        self.query_one(LogStrip).update_lines()
        self.query_one("#prompt-label", Static).update(message.prompt)
        self.prompt.begin()
        self.prompt.focus()

    def on_command_ended(self, message: CommandEnded) -> None:
        """Show what the command has changed."""
        before, self.state = self.state, message.state
        if self.state.is_over:
            self.exit()
            return
        self.set_standing(self.standing._replace(busy="", filter_text=self.state.filter_text))
        self.query_one("#prompt-label", Static).update(self.mode.prompt)
        self.prompt.lines = self.session.history.lines.copy()
        self.query_one(LogStrip).update_lines()
        if self.state.opened != before.opened:
            self._open()
        self._follow_session(before)
        self._choose_pane(message)

    def _follow_session(self, before: State) -> None:
        """Bring the list to the session's position and the panes up to its switches."""
        if self.state.path is None:
            return
        if self.state.switches != before.switches:
            self.records.refresh()
            self.read_pane()
        if self._moves == self._moves_at_start:
            self.records.go_to(self.state.rba)

    def _choose_pane(self, message: CommandEnded) -> None:
        entry = self.mode.transcript.last
        if entry is None:
            return
        if message.records == 1 or (message.records == 0 and entry.printed <= _SHORT_ANSWER):
            if self._shown == "output" and message.records:
                self.show_tab(self._shown_before)
            return
        if entry.printed:
            self.show_output()

    # The open file: what is read of it.

    def _open(self) -> None:
        """Have the readers open what the session has open."""
        for reader in (self.list_reader, self.pane_reader):
            reader.open(self.state.path)
        self.records.clear()
        self.summary = Summary()
        for tab in TABS:
            self.page(tab.name).show([])
        self.list_reader.ask("summary", lambda session: SummaryRead(summary_of(session)))

    def on_summary_read(self, message: SummaryRead) -> None:
        """The title line and the width of RBAs."""
        self.summary = message.summary
        self.records.size_of_file = message.summary.size
        self.records.refresh()
        self.update_title()

    def on_record_list_needs(self, message: RecordList.Needs) -> None:
        """Have rows read."""
        wanted = message.wanted

        def read(session: Session) -> PageRead:
            return PageRead(wanted, read_page(Walk(session.trail), wanted, session.trail.size))

        self.list_reader.ask("page", read)

    def on_page_read(self, message: PageRead) -> None:
        """Rows are here."""
        if self.records.take(message.wanted, message.page) is not None:
            self.read_pane()

    def on_record_list_stood(self, message: RecordList.Stood) -> None:
        """The user has moved: so does the session."""
        self._moves += 1
        row = message.row
        is_record = row.kind in (Kind.RECORD, Kind.FILE_HEADER)
        self.mode.stand_at(row.rba, row.length if is_record else None)
        self.read_pane()

    def read_pane(self) -> None:
        """Have the page that is shown read for the record under the cursor."""
        row, name, width = self.records.row, self._shown, self.page(self._shown).size.width
        if row is not None:
            self.pane_reader.ask("pane", lambda session: read_page_of_record(session, name, row.rba, width))

    def on_pane_read(self, message: PaneRead) -> None:
        """Lines of a page are here."""
        row = self.records.row
        if row is not None and row.rba == message.rba:
            self.page(message.pane).show(message.lines)

    def on_hex_read(self, message: HexRead) -> None:
        """The bytes of a record are here."""
        row = self.records.row
        if row is not None and row.rba == message.rba:
            self.query_one(HexPane).show_record(message.text)

    def on_record_pane_picked(self, message: RecordPane.Picked) -> None:
        """A field has been picked: the other pages go to it when they are shown."""
        self._field = message.field

    def on_read_failed(self, message: ReadFailed) -> None:
        """A file went away or cannot be read."""
        self.page(self._shown).show([line(message.problem, "warn")])

    # Panes and the keyboard.

    def show_tab(self, name: str) -> None:
        """Show one page of the lower pane."""
        self._shown_before = name if name != "output" else self._shown_before
        self._shown = name
        for page in self.query(TextPane):
            page.set_class(page.id == name, "-shown")
        self.update_tabs()
        self.read_pane()
        page = self.page(name)
        if self._field and isinstance(page, RecordPane | HexPane):
            page.pick(self._field)
        if self.focused is not None and isinstance(self.focused, TextPane):
            page.focus()

    def action_show_tab(self, name: str) -> None:
        """A key that shows a page."""
        self.show_tab(name)

    def show_output(self) -> None:
        """Show what the commands printed, from the last one on."""
        lines: list[Line] = []
        start = 0
        for entry in self.mode.transcript.entries:
            start = len(lines)
            lines += [line(text, "strong" if at == 0 else "") for at, text in enumerate(entry.lines())]
        self.show_tab("output")
        self.page("output").show(lines, top=start)

    def action_show_output(self) -> None:
        """A key that shows the output of the commands."""
        self.show_output()

    def action_leave(self) -> None:
        """Esc: one level back, and never out of the program."""
        if self.mode.is_asking:
            self.mode.answer(None)
        elif self._shown == "output":
            self.show_tab(self._shown_before)
        self.records.focus()

    def action_leave_or_quit(self) -> None:
        """``q``: one level back, from the records out."""
        if self.focused is self.records and self._shown != "output":
            self.enter("EXIT")
        else:
            self.action_leave()

    def action_focus_prompt(self) -> None:
        """To the prompt."""
        self.prompt.focus()

    def action_enter_pane(self) -> None:
        """To the lower pane."""
        self.page(self._shown).focus()

    def action_maximise_pane(self) -> None:
        """The lower pane alone, or both."""
        self.query_one("#main").toggle_class("-maximised")

    def action_save_from_here(self) -> None:
        """Stand in front of the record under the cursor and begin a SAVE."""
        if self.records.row is not None:
            self.enter(f"POS {self.records.row.rba}")
            self.action_type_in("save ")

    def action_stop(self) -> None:
        """Ctrl+C."""
        self.mode.stop()

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        """Tell the keys of the place."""
        self.query_one("#footer", OneLine).say((footer_text(in_prompt=self.focused is self.prompt), ""))

    def set_standing(self, standing: Standing) -> None:
        """What the title tells beside the file."""
        self.standing = standing
        self.update_title()

    def update_title(self) -> None:
        """Draw the title line."""
        pieces = title_pieces(self.summary, self.standing, self.session.settings, self.size.width)
        self.query_one("#title", OneLine).say(*pieces)

    def update_tabs(self) -> None:
        """Draw the line above the lower pane."""
        where = self.page(self._shown).where
        self.query_one("#tabs", OneLine).say(*tab_pieces(self._shown, where, self.glyphs, self.size.width))

    def on_text_pane_scrolled(self, _message: TextPane.Scrolled) -> None:
        """The tabs tell which lines are visible."""
        self.update_tabs()

    def on_resize(self, _event: events.Resize) -> None:
        """Both lines know the width."""
        self.update_title()
        self.update_tabs()
