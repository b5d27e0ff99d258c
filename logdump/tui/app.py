"""The full-screen application: panes around one session. It enters lines and shows results, without own logic."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import Input

from logdump.line.history_file import KeptHistory
from logdump.notation.times import iso_time
from logdump.session.errors import ExitStatus
from logdump.session.session import Session
from logdump.tui.keys.keys import Area, Jumps, MarkLetters, WordsOfCursor, bindings
from logdump.tui.model.model import OUTPUT, SIDE_BY_SIDE, TIMELINE, Model
from logdump.tui.model.reports import Reports
from logdump.tui.panes.choice_pane import ChoicePane
from logdump.tui.panes.choices import CHOICES, CurrentChoices, line_to
from logdump.tui.panes.one_line import Footer, LogStrip, Tabs, Title
from logdump.tui.panes.overlays import HelpScreen, LeaveScreen, Palette, PaletteChoice
from logdump.tui.panes.pages import Pages
from logdump.tui.panes.prompt import Prompt, PromptLabel, without_colon
from logdump.tui.panes.record_list import RecordList
from logdump.tui.panes.record_pane import AnswerPane
from logdump.tui.panes.shape_strip import ShapeStrip
from logdump.tui.panes.side_by_side_pane import SideBySidePane
from logdump.tui.panes.sidebar import Panes, Sidebar
from logdump.tui.panes.text_pane import TextPane
from logdump.tui.panes.timeline_pane import TimelinePane
from logdump.tui.reading import messages
from logdump.tui.reading.background import INDEX
from logdump.tui.reading.open_file import OpenFile
from logdump.tui.reading.rows import ListRow, RowKind
from logdump.tui.reading.screen_mode import ScreenMode
from logdump.tui.reading.start_page import StartPage, StartPlace
from logdump.tui.text.appearance import NOTICE, Appearance, HarmlessApp
from logdump.tui.text.styled import StyledScreen
from trailformat.trail.sequence import FilePosition

_POLL_EVERY = 1.0
_TALL = 40
"""Number of lines of a screen from which on the strip above the list is always shown."""


class TrailApp(HarmlessApp):
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
    VERTICAL_BREAKPOINTS = [(0, "-flat"), (10, "-low"), (18, "-high"), (_TALL, "-tall")]  # noqa: RUF012

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
        self._letters = MarkLetters()
        self._jumps = Jumps()
        self._has_brushed = False
        self._page_after = 0
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
            and not self._reports.held
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

    def _scan_shape(self) -> None:
        """Scan for the strip if it is shown, but only after the index, as both read the same disk."""
        indexed, strip = self.model.indexed, self.query_one(ShapeStrip)
        is_shown = strip.has_class("-shown") or self.size.height >= _TALL
        if is_shown and indexed is not None and indexed.is_done:
            self.file.ask_shape()

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

    def enter(self, text: str, *, is_step: bool = False) -> None:
        """Run a line as if it had been typed, and note where it began; ``is_step`` as in ``TranscriptEntry``."""
        self._reports.enter(text, is_step=is_step)
        self._jumps.begin(self.mode.entered, self._spot_of_row, self.model.row.end if self.model.row else 0)

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
            self.model.place = getattr(self.focused, "place", Area.PANES)
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
        line = self._letters.take(event.character or "", self._spot_of_row)
        if line is not None:
            event.prevent_default()
        if line:
            self.enter(line)
        elif line is None and event.is_printable and event.key not in self.screen.active_bindings:
            self.action_type_in(event.character or "")

    @property
    def _spot_of_row(self) -> FilePosition | None:
        row, path = self.model.row, self.model.state.path
        return FilePosition(path, row.rba) if row is not None and path is not None else None

    def on_choice_pane_chosen(self, message: ChoicePane.Chosen) -> None:
        """Enter the command of a chosen line; for ``save`` type it, as the file name is missing."""
        sends = message.choice.sends
        if message.what in ("undo", "undo_transaction"):
            self.enter(sends[message.what])
            return
        self._letters.came_from = self._spot_of_row
        self.model.upper = "records"
        self.records.focus()
        if message.what == "save":
            self.enter(sends["enter"])
            self.action_type_in(sends["save"])
            self.prompt.cursor_position = sends["save"].index(" ") + 1
        else:
            if message.choice.finds_data:
                self.records.begin_on_data()
            self.enter(sends[message.what])

    def on_answer_pane_opened(self, message: AnswerPane.Opened) -> None:
        """Show the record that a line of an answer is about."""
        if message.spot is None:
            self._reports.tell("This line is about no place.")
        else:
            self._show_record(message.spot.path, message.spot.rba, is_step=True)

    def on_timeline_pane_opened(self, message: TimelinePane.Opened) -> None:
        """Show the record of a point of the timeline, which may be in another file of the trail."""
        self._show_record(message.path, message.rba)

    def on_side_by_side_pane_opened(self, message: SideBySidePane.Opened) -> None:
        """Show the record of the first trail, or type the line that leads to the one of the second."""
        self._show_record(*message.spot, is_proposed=message.is_second)

    def _show_record(self, path: Path | None, rba: int, *, is_proposed: bool = False, is_step: bool = False) -> None:
        """Go to a record and show it, or, if ``is_proposed``, type the line that leads there."""
        text = line_to(path, rba, self.model.state.path)
        if not text:
            self._reports.tell("The name of its file cannot be entered.")
        elif is_proposed:
            self.action_type_in(text)
        else:
            self._letters.came_from = self._spot_of_row
            self.model.upper = "records"
            self.model.show_page(self.model.record_page)
            self.records.focus()
            self.enter(text, is_step=is_step)

    def on_timeline_pane_transactions_needed(self, _message: TimelinePane.TransactionsNeeded) -> None:
        """Scan the trail for its long transactions."""
        if self.model.state.path is not None:
            self.file.ask_open_transactions(self.model.state.parameters, self.model.summary.size)

    # The actions that bindings name.

    def action_send(self, text: str) -> None:
        """Enter the line of a key."""
        self.enter(text)

    def action_send_of_cursor(self, text: str) -> None:
        """Enter the line of a key, with the words of the cursor replaced."""
        line, missing = self._of_cursor.filled(text)
        if missing:
            self._reports.tell(f"There is no {missing} here: {text}")
        else:
            self.enter(line)

    @property
    def _of_cursor(self) -> WordsOfCursor:
        point = self.query_one(TimelinePane).point
        return WordsOfCursor(self._spot_of_row, point.time if point is not None else None)

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
        self.pages.shown.focus()

    def action_maximise_pane(self) -> None:
        """Show the lower pane alone, or both panes again."""
        main = self.query_one("#main")
        main.toggle_class("-maximised")
        if main.has_class("-maximised"):
            self.action_enter_pane()

    def action_save_from_here(self) -> None:
        """Move to the record under the cursor and begin a SAVE."""
        if self.model.row is not None:
            self.enter(f"POS {self.model.row.rba}")
            self.action_type_in("save ")

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

    def action_go_to_related(self, what: str) -> None:
        """Go to a record on which the one under the cursor depends."""
        self.file.ask_related(what, self.model.current)

    def action_go_to_damage(self) -> None:
        """Go to the next damaged place after the cursor; after the last one to the first."""
        places = [span.rba for span in self.model.index.places.bad_spans]
        here = self.model.row.rba if self.model.row is not None else 0
        after = next((rba for rba in places if rba > here), places[0] if places else None)
        if after is None:
            self._reports.tell(f"No damage in this file{', as far as it is read' * self.model.has_more(INDEX)}.")
        else:
            self.enter(f"POS {after}")
            self._page_after = self.mode.entered  # the page about the damage has all that POS prints

    def action_jump_back(self) -> None:
        """Go to where the cursor was before the last jump."""
        spot = self._jumps.back()
        if spot is None:
            self._reports.tell("There is no jump to go back from.")
        else:
            self._reports.enter(line_to(spot.path, spot.rba, self.model.state.path))

    def action_follow(self) -> None:
        """Begin or end following the end of the trail."""
        self.model.follows = not self.model.follows
        self.model.show_records_page()

    def action_copy_rba(self) -> None:
        """Copy the RBA under the cursor to the terminal's clipboard."""
        if self.model.row is not None:
            self._copy(str(self.model.row.rba), f"RBA {self.model.row.rba}")

    def action_copy_text(self) -> None:
        """Copy the lines of the lower pane, without margins, to the terminal's clipboard."""
        text = self.pages.shown.whole_text
        count = text.count("\n")
        self._copy(text, f"{count:,} line{'s' * (count != 1)} of the page {self.model.page}")

    def _copy(self, text: str, what: str) -> None:
        self.copy_to_clipboard(text)
        self.notify(f"Copied: {what}", timeout=NOTICE)

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

    def action_show_shape(self) -> None:
        """Show the strip above the list and go there; if the keyboard is there, hide it."""
        strip = self.query_one(ShapeStrip)
        if strip.has_focus:
            strip.remove_class("-shown")
            self.records.focus()
        else:
            strip.add_class("-shown")
            self._scan_shape()
            strip.focus()

    def action_leave_shape(self) -> None:
        """Remove the filter of a range of the strip, and go to the list."""
        if self._has_brushed:
            self.enter("FILTER CLEAR STARTTIME; FILTER CLEAR ENDTIME")
            self._has_brushed = False
        self.records.focus()

    def on_shape_strip_range_chosen(self, message: ShapeStrip.RangeChosen) -> None:
        """Go to the first record of a column, or filter to the times of a range of columns."""
        first, last = message.first, message.last
        if first is last and first.rba is not None:
            self.enter(f"POS {first.rba}")
        elif first is not last:
            back = "FILTER CLEAR STARTTIME; FILTER CLEAR ENDTIME; " * self._has_brushed
            times = f"FILTER STARTTIME {iso_time(first.start)}; FILTER ENDTIME {iso_time(last.end - 1)}"
            self._has_brushed = True
            self.enter(f"{back}FILTER MATCH ALL; {times}")

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
        if isinstance(report, messages.CommandEnded):
            path = self.model.state.path
            if report.number == self._page_after:
                self.model.show_records_page()
            self._jumps.end(report.number, FilePosition(path, self.model.rba) if path is not None else None)

    def _show_story(self) -> None:
        """Show the changes of a row in a pane over the list instead of the output page."""
        if self.mode.transcript.last is not None:
            self.mode.transcript.last.is_on_page = True
        self.model.show_records_page()
        self.model.upper = "story"
        self.query_one("#story").focus()

    def on_related_found(self, message: messages.RelatedFound) -> None:
        """Go to the record that was requested, or report that there is none."""
        if message.spot is None:
            self._reports.tell(f"This record has no {message.what}.")
        else:
            self.enter(line_to(message.spot.path, message.spot.rba, self.model.state.path))

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
