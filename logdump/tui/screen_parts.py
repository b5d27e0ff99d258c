"""The parts of the screen by name, and which of them are shown."""

from __future__ import annotations

from textual.app import App

from logdump.session.session import Session
from logdump.tui.keys.keys import Area
from logdump.tui.panes.choice_pane import ChoicePane
from logdump.tui.panes.footer import GAP, footer_words
from logdump.tui.panes.log_strip import LogStrip
from logdump.tui.panes.one_line import OneLine
from logdump.tui.panes.pages import Pages
from logdump.tui.panes.prompt import Prompt
from logdump.tui.panes.record_list import RecordList
from logdump.tui.panes.sidebar import Side
from logdump.tui.panes.tabs import tab_pieces
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.panes.title import TitleState, title_pieces
from logdump.tui.reading.open_file import OpenFile
from logdump.tui.reading.screen_mode import ScreenMode
from logdump.tui.reading.state import Current, State
from logdump.tui.reading.summary import Summary
from logdump.tui.reading.transactions import ListedTransaction
from logdump.tui.text.glyphs import Glyphs
from logdump.tui.text.styled import Line, Piece, line


class ScreenParts(App[None]):
    """What every part of the app reaches for; the attributes are those of :class:`logdump.tui.app.TrailApp`."""

    session: Session
    glyphs: Glyphs
    mode: ScreenMode
    file: OpenFile
    state: State
    summary: Summary
    standing: TitleState
    upper_shown = "records"
    field_picked = ""
    transactions: list[ListedTransaction]
    keys_in_use: dict[str, str]

    @property
    def records(self) -> RecordList:
        """The record list."""
        return self.query_one(RecordList)

    @property
    def prompt(self) -> Prompt:
        """The prompt."""
        return self.query_one(Prompt)

    @property
    def side(self) -> Side:
        """The side pane."""
        return self.query_one(Side)

    @property
    def log_strip(self) -> LogStrip:
        """The strip above the prompt."""
        return self.query_one(LogStrip)

    @property
    def pages(self) -> Pages:
        """The lower pane."""
        return self.query_one(Pages)

    @property
    def page_shown(self) -> str:
        """The name of the page that is shown."""
        return self.pages.shown

    @property
    def page_before(self) -> str:
        """The page about the record that was shown last."""
        return self.pages.before

    def page(self, name: str) -> TextPane:
        """One page of the lower pane."""
        return self.pages.page(name)

    def choice_pane(self, name: str) -> ChoicePane:
        """One of the panes over the record list."""
        return self.query_one(f"#{name}", ChoicePane)

    def show_tab(self, name: str) -> None:
        """Show one page of the lower pane."""
        self.pages.show_page(name, pick=self.field_picked)
        self.update_tabs()
        if isinstance(self.focused, TextPane):
            self.page(name).focus()

    def show_upper(self, name: str) -> None:
        """Show the record list, or one of the panes over it."""
        self.upper_shown = name
        self.records.set_class(name == "records", "-shown")
        for pane in self.query(ChoicePane):
            pane.set_class(pane.id == name, "-shown")

    def show_output(self) -> None:
        """Show what the commands printed, from the last one on."""
        lines: list[Line] = []
        start = 0
        for entry in self.mode.transcript.entries:
            start = len(lines)
            lines += [line(text, "strong" if at == 0 else "") for at, text in enumerate(entry.lines())]
        self.show_tab("output")
        self.page("output").show(lines, top=start)

    def tell_current(self) -> None:
        """Tell the pages what they are about; the record list says so whenever its cursor is on another row."""
        self.pages.current = Current(self.records.row, self.file.opened, self.state.switches, self.file.source)

    def set_standing(self, standing: TitleState) -> None:
        """What the title tells beside the file."""
        self.standing = standing
        self.update_title()

    def update_title(self) -> None:
        """Draw the title line."""
        pieces = title_pieces(self.summary, self.standing, self.session.settings, self.glyphs, self.size.width)
        self.query_one("#title", OneLine).say(*pieces)

    def update_tabs(self) -> None:
        """Draw the line above the lower pane."""
        tabs = self.query_one("#tabs", OneLine)
        where = self.page(self.page_shown).where
        pieces, actions = tab_pieces(self.page_shown, where, self.glyphs, tabs.size.width)
        tabs.say(*pieces, actions=actions)

    def update_hint(self) -> None:
        """What the list says where it has no record to show."""
        if self.state.path is None:
            hint = "No trail is open. OPEN <filename> opens one."
        elif self.state.filter_text:
            hint = "No record passes the filter. FILTER CLEAR ALL (F) shows all records again."
        else:
            hint = "The file has no record yet. w follows it as it grows."
        if hint != self.records.hint:
            self.records.hint = hint
            self.records.refresh()

    def update_choices(self, name: str) -> None:
        """Fill one of the panes over the record list."""
        raise NotImplementedError

    def tell(self, text: str) -> None:
        """Say something beside the session, in the strip above the prompt."""
        self.mode.transcript.begin("", "").print(text)
        self.log_strip.update_lines()

    def update_footer(self) -> None:
        """Draw the line of keys."""
        areas = {Area.EVERYWHERE, Area.PROMPT if self.focused is self.prompt else Area.PANES}
        pieces: list[Piece] = [(" ", "")]
        actions: dict[int, str] = {}
        for word, key in footer_words(frozenset(areas), self.keys_in_use, self.size.width):
            actions[len(pieces)] = key.action
            pieces += [(word, ""), (GAP, "")]
        self.query_one("#footer", OneLine).say(*pieces, actions=actions)

    def enter(self, text: str) -> None:
        """Run a line as if it had been typed."""
        self.records.has_moved = False
        self.mode.submit(text)
