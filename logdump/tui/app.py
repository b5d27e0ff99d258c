"""The full-screen application: panes around one session. It enters lines and shows results, without own logic."""

from __future__ import annotations

import os
import sys

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input

from logdump.line.history_file import KeptHistory
from logdump.session.errors import ExitStatus
from logdump.session.session import Session
from logdump.tui.keys.keys import Area, bindings
from logdump.tui.model.model import NOT_OF_RECORD, OUTPUT, SIDE_BY_SIDE, TIMELINE, Model
from logdump.tui.model.reports import Reports
from logdump.tui.navigation import TALL, NavigatingApp
from logdump.tui.panes.choice_pane import ChoicePane
from logdump.tui.panes.choices import CHOICES, CurrentChoices
from logdump.tui.panes.one_line import Footer, LogStrip, Tabs, Title
from logdump.tui.panes.overlays import HelpScreen, LeaveScreen, Palette, PaletteChoice
from logdump.tui.panes.pages import Pages
from logdump.tui.panes.prompt import Prompt, PromptLabel, without_colon
from logdump.tui.panes.record_list import RecordList
from logdump.tui.panes.shape_strip import ShapeStrip
from logdump.tui.panes.sidebar import Panes, Sidebar
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.reading import messages
from logdump.tui.reading.background import FINDINGS
from logdump.tui.reading.open_file import OpenFile
from logdump.tui.reading.rows import ListRow, RowKind
from logdump.tui.reading.screen_mode import ScreenMode
from logdump.tui.reading.start_page import StartPage, StartPlace
from logdump.tui.text.appearance import Appearance
from logdump.tui.text.styled import StyledScreen
from trailformat.trail.sequence import FilePosition

_POLL_EVERY = 1.0
_HEIGHTS = [(0, "-flat"), (10, "-low"), (18, "-high"), (30, "-roomy"), (TALL, "-tall")]
"""The class of the screen from each number of lines on."""
_UPPER_ALONE, _LOWER_ALONE = "-upper-alone", "-lower-alone"
_SIZES = (_UPPER_ALONE, "-upper-large", "", "-lower-large", _LOWER_ALONE)
"""Classes of the panes, by the part that the lower pane has of the room."""


class TrailApp(NavigatingApp):
    """The full-screen view of a session: it composes the panes, owns the threads, and dispatches keys.

    Reports of threads update the model, and panes that observe it are redrawn; rows and pages are passed to the pane
    that has requested them.

    Args:
        session: the session; it may have an open trail.
        first: a line to run at the start.
        history: the history file.
        appearance: characters, colours and keys.
        start: the trails of the start page; None: no start page.
        finds_data: True if the cursor begins on the first record of data instead of the file header.
    """

    CSS_PATH = "layout.tcss"
    BINDINGS = bindings(Area.EVERYWHERE)
    ENABLE_COMMAND_PALETTE = False
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]  # noqa: RUF012 - Textual's own form
    VERTICAL_BREAKPOINTS = _HEIGHTS

    records: RecordList
    pages: Pages
    log_strip: LogStrip
    prompt: Prompt

    def __init__(
        self,
        session: Session,
        first: str,
        history: KeptHistory,
        appearance: Appearance | None = None,
        start: StartPlace | None = None,
        *,
        finds_data: bool = False,
    ) -> None:
        super().__init__(appearance or Appearance())
        self.session = session
        self.model = Model()
        self.model.columns = self.appearance.choices.columns
        self.mode = ScreenMode(session, self.post_message, history)
        self.file = OpenFile(session.settings, self.post_message)
        self._first = first
        self._start = start
        self._start_page = StartPage(self.post_message)
        self._finds_data = finds_data
        self._goes_back_to: Widget | None = None

    def get_default_screen(self) -> StyledScreen:
        """Return the screen of the panes."""
        return StyledScreen(id="_default")

    def compose(self) -> ComposeResult:
        """Yield the panes, from top to bottom."""
        model, transcript = self.model, self.mode.transcript
        self.records = RecordList(model, self.session.settings, self.glyphs, self.row_stood, self.row_beyond)
        self.pages = Pages(model, transcript, self.glyphs, self.file.ask_record, self.session.settings)
        self.log_strip = LogStrip(model, transcript, self.glyphs)
        self.prompt = Prompt(model, self.session.settings)
        yield Title(model, self.session.settings)
        with Panes(id="panes"):
            yield Sidebar(model, self.glyphs)
            with Vertical(id="main"):
                yield ShapeStrip(model, self.glyphs)
                with Vertical(id="upper"):
                    yield self.records
                    for name in CHOICES:
                        yield CurrentChoices(name, model, self.glyphs)
                yield Tabs(model)
                yield self.pages
        yield self.log_strip
        with Horizontal(id="prompt-line"):
            yield PromptLabel(model)
            yield self.prompt
        yield Footer(model, self.appearance.keymap.keys)

    @property
    def is_quiet(self) -> bool:
        """True if all lines have ended and every pane has what it requested."""
        return (
            self.mode.is_idle
            and self.file.is_idle
            and self._start_page.is_idle
            and not self.records.is_waiting
            and not self._reports.deferred
        )

    def on_mount(self) -> None:
        """Begin the session; the file is opened while the empty panes are painted."""
        self.records.focus()
        self._reports = Reports(self.model, self.mode, self.file, self.log_strip.fits)
        self._reports.take_prompt()
        for problem in self.appearance.keymap.problems:
            self._reports.tell(problem)
        self.model.observe(self.exit, Model.is_over)
        self.model.observe(self._keep_choices, Model.columns)
        self.model.observe(self._ask_files, Model.upper, Model.neighbours, Model.opened)
        self.model.observe(self._drop_awaited, Model.opened)
        self.model.observe(self._make_room, Model.upper, Model.shown, Model.state)
        self.model.observe(self._scan_findings, Model.upper, Model.opened)
        self.model.observe(self._scan_shape, Model.state, Model.indexed)
        self.model.observe(self._scan_timeline, Model.shown, Model.listing, Model.state)
        self.set_interval(_POLL_EVERY, self._poll)
        self.app_resume_signal.subscribe(self, lambda _: self.refresh(layout=True))
        if self._start is not None:
            self._show_trails(self._start)
        if self._first or self.session.has_trail:
            self.call_after_refresh(self._reports.hold())
            self.enter(self._first or "OPEN")
            if self._finds_data:
                self.records.begin_on_data()

    def _show_trails(self, place: StartPlace) -> None:
        """Show the start page of a place, and read its trails."""
        self._start_page.read(place)
        self.action_show_choices("trails")

    def _scan_timeline(self) -> None:
        if self.model.page == TIMELINE and self.model.state.path is not None:
            self.file.ask_timeline(self.model.state)

    def _poll(self) -> None:
        if not self.is_headless and not os.isatty(sys.stdin.fileno()):
            self.exit(return_code=ExitStatus.INTERRUPTED)  # a lost connection need not send a signal
        elif self.model.state.path is not None:
            self.file.ask_poll(self.model.summary.size)

    def _ask_files(self) -> None:
        """Read the files of the trail while they are shown."""
        if self.model.upper == "files" and self.model.state.path is not None:
            self.file.ask_files(self.model.files)

    def on_unmount(self) -> None:
        """End the threads."""
        self.mode.close()
        self.file.close()
        self._start_page.close()

    # Keys and events without a binding.

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Run the line, answer the command that requests one, or go to the records if the line is empty."""
        self.prompt.begin()
        if self.mode.is_asking:
            self.mode.answer(event.value)
        elif (text := without_colon(event.value)).strip():
            self.enter(text)
            if self._goes_back_to is not None:
                self._goes_back_to.focus()
        else:
            self.records.focus()
        self._goes_back_to = None

    def on_descendant_focus(self, _event: events.DescendantFocus) -> None:
        """Set the place and the pane of the keyboard in the model."""
        if len(self.screen_stack) == 1:
            place = getattr(self.focused, "place", Area.PANES)
            self.model.places = getattr(self.focused, "keys_places", (place,))
            self.model.pane = "pages" if isinstance(self.focused, TextPane) else getattr(self.focused, "id", "") or ""
            self.model.offers = ""

    def on_prompt_offered(self, message: Prompt.Offered) -> None:
        """Show completions until the next key."""
        self.model.offers = "  ".join(message.words[:40]) or "no completions"

    def on_input_changed(self, _event: Input.Changed) -> None:
        """Remove the offers of Tab."""
        self.model.offers = ""

    def on_prompt_explained(self, message: Prompt.Explained) -> None:
        """Say that a paste is explained, and explain it."""
        self.enter(message.line)
        self._reports.tell(f"A paste of {message.number} lines that are no commands: EXPLAIN reads it.")

    def on_prompt_refused(self, message: Prompt.Refused) -> None:
        """Report a paste that is too long."""
        self._reports.tell(message.why)

    def on_key(self, event: events.Key) -> None:
        """Use a key as the letter of a mark if one is expected; a letter without a binding begins a line."""
        if len(self.screen_stack) > 1 or self.focused is self.prompt:
            return
        line = self._letters.take(event.character or "", self._position_of_row)
        if line is not None:
            event.prevent_default()
        if isinstance(line, FilePosition):
            self.enter(self.line_to(line))
        elif line:
            self.enter(line)
        elif line is None and event.is_printable and event.key not in self.screen.active_bindings:
            self.action_type_in(event.character or "")

    def on_choice_pane_chosen(self, message: ChoicePane.Chosen) -> None:
        """Enter the command of a chosen line; for ``save`` type it, as the file name is missing."""
        sends = message.choice.sends
        if not sends[message.what]:
            self._reports.tell(message.choice.refusal)
            return
        if message.what in ("undo", "undo_transaction"):
            self.enter(sends[message.what])
            return
        if message.choice.is_place:
            self._start_page.read(StartPlace((sends["enter"],)))
            return
        self._letters.came_from = self._position_of_row
        self.model.upper = "records"
        self.records.focus()
        if message.what == "save":
            self.enter(sends["enter"])
            self.action_type_in(sends["save"])
            self.prompt.cursor_position = sends["save"].index(" ") + 1
        else:
            if message.choice.finds_data:
                self.records.begin_on_data()
            self.enter_way(sends[message.what])

    # The actions that bindings name.

    def action_send(self, text: str) -> None:
        """Enter the line of a key."""
        self.enter(text)

    def action_type_in(self, text: str) -> None:
        """Begin a line in the prompt; Enter returns to the pane that had the keyboard."""
        self._goes_back_to = self.focused if self.focused is not self.prompt else self._goes_back_to
        self.prompt.begin(text)
        self.prompt.focus()

    def action_to_prompt(self) -> None:
        """Go to the prompt and begin an empty line; Enter does not leave it. The answer to a question stays."""
        self._goes_back_to = None
        if not self.mode.is_asking:
            self.prompt.begin()
        self.prompt.focus()

    def on_paste(self, event: events.Paste) -> None:
        """Type a paste outside the prompt as a line."""
        if len(self.screen_stack) == 1 and self.focused is not self.prompt:
            self.action_type_in("")
            self.prompt.on_paste(event)

    def action_show_tab(self, name: str) -> None:
        """Show a page of the lower pane."""
        self.pages.open(name, self.records)
        if self._is_flat:
            self.action_enter_pane()

    def action_leave(self) -> None:
        """Go back one level, but never leave the program."""
        if self.mode.is_asking:
            self.mode.answer(None)
        elif self.focused is self.prompt:
            self.prompt.begin()
            if self.model.page == SIDE_BY_SIDE or self.pages.has_places:
                self.action_enter_pane()
                return
        elif self.model.upper != "records":
            self.model.upper = "records"
        elif self.pages.leave_output():
            return
        if self.model.sizes == _LOWER_ALONE:
            self._size_panes("")
        self.records.focus()

    async def action_leave_or_quit(self) -> None:
        """Go back one level; in the records, leave the program, after a question if something would be lost."""
        if self.focused is not self.records or self.model.page == OUTPUT:
            self.action_leave()
        elif lost := self.model.lost_at_end(is_running=not self.mode.is_idle):
            await self.push_screen(LeaveScreen(lost, self.glyphs), self._leave_if)
        else:
            self.enter("EXIT")

    def _leave_if(self, ends: bool | None) -> None:  # noqa: FBT001 - called by Textual with the answer
        if ends:
            self.mode.stop()
            self.enter("EXIT")

    def action_enter_pane(self) -> None:
        """Go to the lower pane."""
        if self._is_flat:
            self._size_panes(_LOWER_ALONE)
        elif self.model.sizes == _UPPER_ALONE:
            self._size_panes("")
        self.pages.shown.focus()

    def action_maximise_pane(self) -> None:
        """Show the lower pane alone, or both panes again."""
        self._size_panes("" if self.model.sizes == _LOWER_ALONE else _LOWER_ALONE)
        if self.model.sizes == _LOWER_ALONE:
            self.action_enter_pane()

    def action_enlarge(self, step: int) -> None:
        """Give the pane that has the keyboard more room (``step`` 1), in the end all of it, or less (-1)."""
        is_lower = isinstance(self.focused, TextPane)
        sizes = _SIZES if is_lower else _SIZES[::-1]
        self._size_panes(sizes[max(0, min(sizes.index(self.model.sizes) + step, len(sizes) - 1))])

    def _make_room(self) -> None:
        """Show a pane that is wanted beside one that is alone; without a trail pages about the record take no room."""
        is_output = self.model.page == OUTPUT
        is_blank = self.model.state.path is None and self.model.page not in NOT_OF_RECORD
        hidden = {_UPPER_ALONE: is_output, _LOWER_ALONE: self.model.upper != "records"}
        if hidden.get(self.model.sizes, False):
            self._size_panes("")
        if self._is_flat and is_output and self.model.upper == "records":
            self._size_panes(_LOWER_ALONE)
            if self.focused is self.records:
                self.pages.shown.focus()
        self.query_one("#main").set_class(is_blank, "-no-trail")

    @property
    def _is_flat(self) -> bool:
        """True if the screen has room for one pane only: the list, or the lower pane in place of it."""
        return self.screen_stack[0].has_class(_HEIGHTS[0][1])

    def _size_panes(self, sizes: str) -> None:
        """Set the sizes of the list and the lower pane; the keyboard goes to the one that is alone."""
        main = self.query_one("#main")
        for name in filter(None, _SIZES):
            main.set_class(name == sizes, name)
        self.model.sizes = sizes

    def action_stop(self) -> None:
        """Stop the running command, else clear the line that is typed, else stop the scans in the background."""
        if not self.mode.is_idle:
            self.mode.stop()
        elif self.focused is self.prompt and self.prompt.value:
            self.prompt.begin()
        elif not self._start_page.is_idle:
            self._start_page.stop()
            self.model.busy = "stopped, O reads again"
        elif self.file.stop():
            self.model.busy = "stopped, Ctrl+L continues"

    def action_scan_on(self) -> None:
        """Continue the scans that were stopped."""
        self.file.go_on()

    def action_follow(self) -> None:
        """Begin or end following the end of the trail."""
        self.model.follows = not self.model.follows
        self.model.show_records_page()

    def action_toggle_margin(self) -> None:
        """Show or hide names and values in the margin of the detail page."""
        page = self.pages.page("detail")
        page.shows_margin = not page.shows_margin
        page.refresh()

    async def action_show_help(self) -> None:
        """Show the keys."""
        await self.push_screen(HelpScreen(self.appearance.keymap.keys, self.glyphs))

    async def action_show_palette(self) -> None:
        """Show all actions and commands; a chosen command begins a line."""
        await self.push_screen(Palette(self.glyphs), self._take_from_palette)

    async def _take_from_palette(self, choice: PaletteChoice | None) -> None:
        if choice is None:
            return
        if choice.theme:
            self.use_theme(choice.theme)
            self.appearance.choices.theme = choice.theme
            self._keep_choices()
        if choice.command:
            self.action_type_in(f"{choice.command} ")
        elif choice.key is not None:
            if choice.key.pane and self.model.upper != choice.key.pane:
                self.action_show_choices(choice.key.pane)
            await self.run_action(choice.key.action, self.query_one(f"#{choice.key.pane}") if choice.key.pane else self)

    def _keep_choices(self) -> None:
        self.appearance.choices.columns = self.model.columns
        problem = self.appearance.choices.save()
        if problem:
            self._reports.tell(f"The choice is not kept: {problem}.")

    def action_show_choices(self, name: str) -> None:
        """Show a pane over the record list; if it is shown, return to the list."""
        if self.model.upper == name:
            self.action_leave()
        else:
            self.model.upper = name
            self.query_one(f"#{name}").focus()

    def action_show_start_page(self) -> None:
        """Show the trails in the folder of the open file, or those that the view began with."""
        path = self.model.state.path
        if self.model.upper == "trails":
            self.action_leave()
        else:
            self._show_trails(StartPlace((str(path.parent),)) if path is not None else self._start or StartPlace())

    def action_await_letter(self, purpose: str) -> None:
        """Expect the letter of a mark as the next key."""
        self._letters.begin(purpose)

    # Messages of the threads.

    @on(messages.Report)
    def take_report(self, report: messages.Report) -> None:
        """Update the model by a report."""
        self._reports.take(report)
        if isinstance(report, messages.StoryRead) and self.focused is not self.prompt:
            self._show_story()
        if isinstance(report, messages.Scanned) and report.name == FINDINGS and report.reading is not None:
            self.take_findings(report.reading)
        if isinstance(report, messages.CommandEnded):
            path = self.model.state.path
            if report.number == self._page_after:
                self.end_way()
            self._jumps.end(report.number, FilePosition(path, self.model.rba) if path is not None else None)

    def _show_story(self) -> None:
        """Show the changes of a row in a pane over the list instead of the output page."""
        if self.mode.transcript.last is not None:
            self.mode.transcript.last.is_on_page = True
        self.model.show_records_page()
        self.model.upper = "story"
        self.query_one("#story").focus()

    def on_read_failed(self, message: messages.ReadFailed) -> None:
        """Show that a file cannot be read, and end the requests for its rows."""
        self.records.give_up()
        self.pages.tell(message.problem)

    def on_record_list_page_needed(self, message: RecordList.PageNeeded) -> None:
        """Read rows for the list."""
        self.file.ask_page(message.request, self.model.state.source)

    def on_page_read(self, message: messages.PageRead) -> None:
        """Show rows; if the end is followed or a file was crossed, move the session to the row under the cursor."""
        row = self.records.take(message.request, message.page)
        if row is None:
            return
        lands = self.model.is_landing and row.kind is not RowKind.MORE
        if lands or (self.model.follows and self.model.ended == self.mode.entered):
            self._reports.stand_at(row)

    def row_stood(self, row: ListRow) -> None:
        """Move the session to the row of the cursor."""
        with self.model.changing():
            self._reports.stand_at(row)
            self.model.move()

    def row_beyond(self, rba: int | None, is_before: bool) -> None:  # noqa: FBT001 - called by the list alone
        """Move the session over an end of the file, as the cursor."""
        with self.model.changing():
            self._reports.cross(rba, backwards=is_before)
            self.model.move()

    def on_pane_read(self, message: messages.PaneRead) -> None:
        """Show a page about a record."""
        self.pages.take(message)
