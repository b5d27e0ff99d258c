"""The parts of the screen by name, and which of them are shown."""

from __future__ import annotations

from textual.app import App

from logdump.session import Session
from logdump.tui.choice_pane import ChoicePane
from logdump.tui.footer import footer_text
from logdump.tui.glyphs import Glyphs
from logdump.tui.hex_pane import HexPane
from logdump.tui.keys import Area
from logdump.tui.log_strip import LogStrip
from logdump.tui.one_line import OneLine
from logdump.tui.open_file import OpenFile
from logdump.tui.prompt import Prompt
from logdump.tui.record_list import RecordList
from logdump.tui.record_pane import RecordPane
from logdump.tui.screen_mode import ScreenMode
from logdump.tui.side import Side
from logdump.tui.state import State
from logdump.tui.summary import Summary
from logdump.tui.tabs import tab_pieces
from logdump.tui.text import Line, line
from logdump.tui.text_pane import TextPane
from logdump.tui.title import Standing, title_pieces
from logdump.tui.transactions import LargeTransaction


class ScreenParts(App[None]):
    """What every part of the app reaches for; the attributes are those of :class:`logdump.tui.app.TrailApp`."""

    session: Session
    glyphs: Glyphs
    mode: ScreenMode
    file: OpenFile
    state: State
    summary: Summary
    standing: Standing
    page_shown = "detail"
    page_before = "detail"
    upper_shown = "records"
    field_picked = ""
    transactions: list[LargeTransaction]
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

    def page(self, name: str) -> TextPane:
        """One page of the lower pane."""
        return self.query_one(f"#{name}", TextPane)

    def choice_pane(self, name: str) -> ChoicePane:
        """One of the panes over the record list."""
        return self.query_one(f"#{name}", ChoicePane)

    def show_tab(self, name: str) -> None:
        """Show one page of the lower pane."""
        if name != "output":
            self.page_before = name
        self.page_shown = name
        for page in self.query(TextPane):
            page.set_class(page.id == name, "-shown")
        self.update_tabs()
        self.read_pane()
        page = self.page(name)
        if self.field_picked and isinstance(page, RecordPane | HexPane):
            page.pick(self.field_picked)
        if isinstance(self.focused, TextPane):
            page.focus()

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

    def read_pane(self) -> None:
        """Have the page that is shown read for the record under the cursor."""
        row = self.records.row
        if row is not None and self.page_shown != "output":
            self.file.ask_record(self.page_shown, row.rba, self.page(self.page_shown).size.width)

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
        tabs = self.query_one("#tabs", OneLine)
        tabs.say(*tab_pieces(self.page_shown, self.page(self.page_shown).where, self.glyphs, tabs.size.width))

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
        self.mode.transcript.begin("", text)
        self.log_strip.update_lines()

    def update_footer(self) -> None:
        """Draw the line of keys."""
        areas = {Area.EVERYWHERE, Area.PROMPT if self.focused is self.prompt else Area.PANES}
        footer = self.query_one("#footer", OneLine)
        footer.say((footer_text(frozenset(areas), self.keys_in_use, self.size.width), ""))

    def enter(self, text: str) -> None:
        """Run a line as if it had been typed."""
        self.records.has_moved = False
        self.mode.submit(text)
