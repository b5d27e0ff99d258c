"""The screen: panes around one session. It holds no logic of Logdump's; it sends lines and shows what they change."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.filter import LineFilter
from textual.notifications import SeverityLevel
from textual.widgets import Input, Static

from logdump.language.reader import Context
from logdump.line.history_file import KeptHistory
from logdump.notation.escape import escape
from logdump.session.exit_status import ExitStatus
from logdump.session.session import Session
from logdump.tui.key_actions import KeyActions
from logdump.tui.keys.keys import Area, bindings
from logdump.tui.panes.choice_pane import ChoicePane
from logdump.tui.panes.log_strip import LogStrip
from logdump.tui.panes.one_line import OneLine
from logdump.tui.panes.pages import Pages
from logdump.tui.panes.prompt import Prompt
from logdump.tui.panes.record_list import RecordList
from logdump.tui.panes.sidebar import Side
from logdump.tui.panes.title import TitleState
from logdump.tui.reading.open_file import OpenFile
from logdump.tui.reading.screen_mode import ScreenMode
from logdump.tui.reading.state import State
from logdump.tui.reading.summary import Summary
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.cells import HarmlessLines
from logdump.tui.watching import Watching

CHOICES = ("tables", "transactions", "marks")
_POLL_EVERY = 1.0


class Panes(Horizontal):
    """Everything between the title and the prompt."""

    BINDINGS = bindings(Area.PANES)

    async def on_key(self, event: events.Key) -> None:
        """The letter of a mark goes before what the key else does."""
        app = self.app
        if isinstance(app, TrailApp) and app.take_letter(event):
            event.stop()


class TrailApp(KeyActions, Watching):
    """The full-screen view of a session.

    Args:
        session: the session; it may have a trail open already.
        first: a line to run at the start.
        kept: where the history goes.
        appearance: characters, colours and keys.
    """

    CSS_PATH = "layout.tcss"
    BINDINGS = bindings(Area.EVERYWHERE)
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own form
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (10, "-low"), (18, "-high")]  # noqa: RUF012

    def __init__(self, session: Session, first: str, kept: KeptHistory, appearance: Appearance | None = None) -> None:
        appearance = appearance or Appearance()
        self.glyphs = appearance.glyphs
        self._harmless = HarmlessLines(appearance.glyphs)
        super().__init__(ansi_color=appearance.theme.ansi)
        self.register_theme(appearance.theme)
        self.theme = appearance.theme.name
        self.set_keymap(appearance.keymap.keys)
        self.keys_in_use = appearance.keymap.keys
        self._problems = appearance.keymap.problems
        self.animation_level = "none"
        self.session = session
        self.mode = ScreenMode(session, self.post_message, kept)
        self.file = OpenFile(session.settings, self.post_message)
        self.state = State()
        self.summary = Summary()
        self.standing = TitleState()
        self.transactions = []
        self._first = first

    def compose(self) -> ComposeResult:
        """The panes, from top to bottom."""
        yield OneLine("title", style="title")
        with Panes(id="panes"):
            yield Side(self.glyphs)
            with Vertical(id="main"):
                with Vertical(id="upper"):
                    yield RecordList(self.session.settings, self.glyphs, self.row_stood)
                    for name in CHOICES:
                        yield ChoicePane(name, self.glyphs)
                yield OneLine("tabs")
                yield Pages(self.glyphs, self.file.ask_record)
        yield LogStrip(self.mode.transcript, self.glyphs)
        with Horizontal(id="prompt-line"):
            yield Static(self.mode.prompt, id="prompt-label", markup=False)
            yield Prompt()
        yield OneLine("footer")

    def get_line_filters(self) -> Sequence[LineFilter]:
        """What every line of every widget goes through: at last it is made harmless."""
        return [*super().get_line_filters(), self._harmless]

    def copy_to_clipboard(self, text: str) -> None:
        """Put lines of harmless text into the terminal's clipboard."""
        super().copy_to_clipboard("\n".join(escape(one) for one in text.split("\n")))

    def notify(
        self,
        message: str,
        *,
        title: str = "",
        severity: SeverityLevel = "information",
        timeout: float | None = None,
        markup: bool = False,  # noqa: ARG002 - of the base class
    ) -> None:
        """Show a short text as it is, for a while."""
        super().notify(escape(message), title=escape(title), severity=severity, timeout=timeout, markup=False)

    @property
    def is_quiet(self) -> bool:
        """Whether every line is carried out and every pane has what it asked for."""
        return self.mode.is_idle and self.file.is_idle and not self.records.is_waiting

    def on_mount(self) -> None:
        """Show the empty panes, then begin."""
        self.watch(self.records, "row", self.tell_current, init=False)
        self.show_tab("detail")
        self.show_upper("records")
        self.prompt.focus()
        self.prompt.lines = self.session.history.lines.copy()
        self.update_hint()
        self.update_title()
        self.prompt.context = self._line_context
        for problem in self._problems:
            self.tell(problem)
        self.set_interval(_POLL_EVERY, self._poll)
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        self.call_after_refresh(self._begin)

    def _line_context(self) -> Context:
        marks = [one.name for one in self.state.marks]
        return Context(self.session.settings.time_offset, self.file.index.sums.tables, marks)

    def _begin(self) -> None:
        if self._first or self.session.has_trail:
            self.enter(self._first or "OPEN")

    def _poll(self) -> None:
        if not self.is_headless and not os.isatty(sys.stdin.fileno()):
            self.exit(return_code=ExitStatus.INTERRUPTED)  # a lost connection need not send a signal
        elif self.state.path is not None:
            self.file.ask_poll(self.summary.size)

    def on_unmount(self) -> None:
        """End the threads."""
        self.mode.close()
        self.file.close()

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

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        """Tell the keys of the place."""
        if len(self.screen_stack) == 1:
            self.update_footer()

    def on_prompt_offered(self, message: Prompt.Offered) -> None:
        """What Tab may complete to stands in the bottom line until the next key."""
        words = "  ".join(message.words[:40]) or "nothing begins like that"
        self.query_one("#footer", OneLine).say((f" {words}", "strong"))

    def on_input_changed(self, _event: Input.Changed) -> None:
        """The offers of Tab have had their time."""
        if len(self.screen_stack) == 1:
            self.update_footer()

    def on_prompt_refused(self, message: Prompt.Refused) -> None:
        """A paste that is too long."""
        self.tell(message.why)

    def on_resize(self, _event: events.Resize) -> None:
        """The lines that know the width."""
        self.update_title()
        self.update_tabs()
        self.update_footer()
