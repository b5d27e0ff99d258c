"""Ways to records: findings, answers, jumps, the timeline, two trails and the strip; and copies of what is shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from logdump.notation.text import amount
from logdump.session.reading import Reading
from logdump.tui.keys.places import Jumps, MarkLetters, WordsOfCursor, line_to
from logdump.tui.model.model import OUTPUT, Model
from logdump.tui.model.reports import Reports
from logdump.tui.panes.choices import SIGNS
from logdump.tui.panes.pages import Pages
from logdump.tui.panes.prompt import Prompt
from logdump.tui.panes.record_list import RecordList
from logdump.tui.panes.record_pane import AnswerPane, HexPane, RecordPane
from logdump.tui.panes.shape_strip import ShapeStrip
from logdump.tui.panes.side_by_side_pane import SideBySidePane
from logdump.tui.panes.timeline_pane import TimelinePane
from logdump.tui.reading import messages
from logdump.tui.reading.open_file import OpenFile
from logdump.tui.reading.screen_mode import ScreenMode
from logdump.tui.text.appearance import NOTICE, Appearance, HarmlessApp, as_shown, copied_value
from trailformat.codec.on_demand import on_demand
from trailformat.trail.sequence import FilePosition

with on_demand:
    from logdump.commands import help as help_words
    from logdump.tui.keys import time_range
    from logdump.tui.panes import value_screen

if TYPE_CHECKING:
    from logdump.features.doctor.findings_scan import TrailFindings
    from logdump.tui.keys.time_range import TimeRange
    from logdump.tui.text.row_copies import WholeValue
    from logdump.tui.text.shown_value import ValuePart

_MOST_COPIED = 74_994
"""Bytes of UTF-8 that are copied: terminals drop sequences of more than 100,000 bytes; three bytes are four in them."""
TALL = 40
"""Number of lines of a screen from which on the strip above the list is always shown."""


class AwaitedStep(NamedTuple):
    """A step to a finding (1 or -1) that waits for them: from which record, and after how many lines."""

    step: int
    here: FilePosition
    entered: int


class NavigatingApp(HarmlessApp):
    """An application that goes to records of a session by entering lines; the panes are those of its subclass."""

    model: Model
    mode: ScreenMode
    file: OpenFile
    records: RecordList
    pages: Pages
    prompt: Prompt
    _reports: Reports

    def __init__(self, appearance: Appearance) -> None:
        super().__init__(appearance)
        self._letters = MarkLetters()
        self._jumps = Jumps()
        self._time_range: TimeRange | None = None
        self._page_after = 0
        self._awaited: AwaitedStep | None = None
        self._told_after: Sequence[str] = ()

    def enter(self, text: str, *, is_step: bool = False) -> None:
        """Run a line as if it had been typed, and note where it began; ``is_step`` as in ``TranscriptEntry``."""
        self._reports.enter(text, is_step=is_step)
        self._jumps.begin(self.mode.entered, self._position_of_row, self.model.row.end if self.model.row else 0)

    def action_type_in(self, text: str) -> None:
        """Begin a line in the prompt."""
        raise NotImplementedError

    @property
    def _position_of_row(self) -> FilePosition | None:
        row, path = self.model.row, self.model.state.path
        return FilePosition(path, row.rba) if row is not None and path is not None else None

    def on_answer_pane_opened(self, message: AnswerPane.Opened) -> None:
        """Show the record that a line of an answer is about."""
        self._show_record(message.position, is_step=True)

    def on_timeline_pane_opened(self, message: TimelinePane.Opened) -> None:
        """Show the record of a point of the timeline, which may be in another file of the trail."""
        path = message.path or self.model.state.path
        self._show_record(FilePosition(path, message.rba) if path is not None else None)

    def on_side_by_side_pane_opened(self, message: SideBySidePane.Opened) -> None:
        """Show the record of the first trail, or type the line that leads to the one of the second."""
        if not message.is_second:
            self._show_record(message.position)
        elif text := self.line_to(message.position):
            self.action_type_in(text)

    def line_to(self, position: FilePosition | None) -> str:
        """Return the line that goes to a record; empty if there is none, which is then said."""
        text, refusal = line_to(position, self.model.state.path)
        if refusal:
            self._reports.tell(refusal)
        return text

    def _show_record(self, position: FilePosition | None, *, is_step: bool = False) -> None:
        """Go to a record and show it."""
        if text := self.line_to(position):
            self._letters.came_from = self._position_of_row
            self.model.upper = "records"
            self.model.show_page(self.model.record_page)
            self.records.focus()
            self.enter_way(text, is_step=is_step)

    def enter_way(self, text: str, told: Sequence[str] = (), *, is_step: bool = False) -> None:
        """Enter a line that leads to a record, show its page, which has all that POS prints, and say ``told``."""
        self.enter(text, is_step=is_step)
        self._page_after, self._told_after = self.mode.entered, told

    def end_way(self) -> None:
        """Show the page of the record that a line has led to, unless the line has failed."""
        told, self._told_after = self._told_after, ()
        entry = self.mode.transcript.last
        if entry is None or entry.has_failed:
            return
        self.model.show_records_page()
        if told:
            self._reports.tell("\n".join(told))

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
        return WordsOfCursor(self._position_of_row, point.time if point is not None else None)

    def action_save_from_here(self) -> None:
        """Move to the record under the cursor and begin a SAVE."""
        if self.model.row is not None:
            self.enter(f"POS {self.model.row.rba}")
            self.action_type_in("save ")

    def action_go_to_related(self, what: str) -> None:
        """Go to a record on which the one under the cursor depends."""
        self.file.ask_related(what, self.model.current)

    def action_go_to_finding(self, step: int) -> None:
        """Go to the next finding of DOCTOR (``step`` 1) or the one before (-1), once the findings are known."""
        here = self._position_of_row
        if here is not None:
            self._awaited = AwaitedStep(step, here, self.mode.entered)
            self.file.ask_findings()

    def take_findings(self, reading: Reading) -> None:
        """Go to the finding for which a key has waited, unless the user has gone elsewhere meanwhile."""
        awaited, self._awaited = self._awaited, None
        if awaited is None or self.model.findings is None:
            return
        if (awaited.here, awaited.entered) == (self._position_of_row, self.mode.entered):
            self._go_to_finding(self.model.findings, awaited.here, awaited.step)
        elif not reading.is_stopped:
            self._reports.tell("The trail is examined: the same key goes to the next finding.")

    def _drop_awaited(self) -> None:
        """Drop the step that waits for the findings: another file is open, and its examination was given up."""
        self._awaited = None

    def _go_to_finding(self, findings: TrailFindings, here: FilePosition, step: int) -> None:
        position = findings.next_position(here, step)
        if position is None:
            self._reports.tell(f"No finding in this trail{', as far as it is read' * (not findings.is_whole)}.")
        elif line := self.line_to(position):
            told = [f"{SIGNS[finding.severity][0]} {finding.text}".strip() for finding in findings.at(position)]
            self.enter_way(line, told)

    def _scan_findings(self) -> None:
        """Examine the trail while its findings are shown."""
        if self.model.upper == "findings" and self.model.state.path is not None:
            self.file.ask_findings()

    def action_jump_back(self) -> None:
        """Go to where the cursor was before the last jump."""
        position = self._jumps.back()
        if position is None:
            self._reports.tell("There is no jump to go back from.")
        elif line := self.line_to(position):
            self._reports.enter(line)

    def action_copy_rba(self) -> None:
        """Copy the RBA under the cursor to the terminal's clipboard."""
        if self.model.row is not None:
            self._copy(str(self.model.row.rba), f"RBA {self.model.row.rba}")

    def action_copy_row(self, form: str) -> None:
        """Copy the row under the cursor as JSON, SQL or CSV."""
        self.file.ask_copy(form, self.model.current)

    def on_copy_made(self, message: messages.CopyMade) -> None:
        """Copy the text of a row, or report that there is none."""
        if message.text is None:
            self._reports.tell(f"This record is no row that can be copied as {message.what.upper()}.")
        else:
            self._copy(message.text, f"the row as {message.what.upper()}")

    def action_copy_value(self) -> None:
        """Copy the value of the current column of the page of a row."""
        self._ask_value(is_copied=True)

    def action_open_value(self) -> None:
        """Show the value of the current column as a whole."""
        self._ask_value(is_copied=False)

    def _ask_value(self, *, is_copied: bool) -> None:
        page = self.pages.page("values")
        fields = page.current_line.fields if isinstance(page, RecordPane) else ()
        self.file.ask_value(fields[0] if fields else "", self.model.current, is_copied=is_copied)

    async def on_value_read(self, message: messages.ValueRead) -> None:
        """Copy a value, or show it as a whole."""
        value = message.value
        if value is None:
            self._reports.tell(message.problem or "This line is about no value.")
        elif message.is_copied:
            self._copy_value(value, value.parts[0])
        else:
            await self.push_screen(value_screen.ValueScreen(value, self.glyphs))

    def on_value_screen_copy_wanted(self, message: value_screen.ValueScreen.CopyWanted) -> None:
        """Copy the value that is shown as a whole."""
        self._copy_value(message.value, message.part)

    def _copy_value(self, value: WholeValue, part: ValuePart) -> None:
        what = f"the value of {value.name}{f' ({part.name})' * (len(value.parts) > 1)}"
        if part.refusal:
            self._say(f"{part.refusal} Nothing is copied.")
        elif isinstance(part.value, bytes):
            self._copy(part.value.hex(), f"{what} as hex digits")
        else:
            self._copy(part.value, what)

    def action_help_of_field(self) -> None:
        """Explain the words of the format in the current line, or that of the picked field."""
        page = self.pages.shown
        field = page.field if isinstance(page, HexPane) else None
        names = [field.name] if field is not None else []
        names = list(page.current_line.fields) if isinstance(page, RecordPane) else names
        words = [name.replace(" ", "") for name in names if help_words.meaning_of(name)]
        if words:
            self.enter(f"HELP {' '.join(words)}")
        elif names and names[0].startswith("Column "):
            self._reports.tell("A column of the table: S shows its definition.")
        else:
            self._reports.tell(f"There is no word {names[0]} in HELP." if names else "This line is about no field.")

    def action_copy_line(self) -> None:
        """Copy the current line of the output, such as an ALTER command."""
        page = self.pages.page(OUTPUT)
        if isinstance(page, AnswerPane):
            self._copy_lines(page.current_line.text.strip(), "the line")

    def action_copy_text(self) -> None:
        """Copy the lines of the lower pane, without margins, to the terminal's clipboard."""
        text = self.pages.shown.whole_text
        count = text.count("\n")
        self._copy_lines(text, f"{count:,} line{'s' * (count != 1)} of the page {self.model.page}")

    def _copy(self, text: str, what: str) -> None:
        """Copy a value, and say so; also what of it is written in another way."""
        shown, controls = copied_value(text)
        if self._fits_clipboard(shown):
            self.copy_value(shown)
            note = f"; {amount(controls, 'control character')} as \\xNN" if controls else ""
            self.notify(f"Copied: {what}{note}", timeout=NOTICE)

    def _copy_lines(self, text: str, what: str) -> None:
        """Copy lines as they are shown, and say so."""
        if self._fits_clipboard(as_shown(text)):
            self.copy_to_clipboard(text)
            self.notify(f"Copied: {what}", timeout=NOTICE)

    def _fits_clipboard(self, text: str) -> bool:
        size = len(text.encode())
        if size > _MOST_COPIED:
            self._say(f"{size:,} bytes are too many for the clipboard of a terminal.")
        return size <= _MOST_COPIED

    def _say(self, text: str) -> None:
        """Say something above the prompt, or over the screen that hides it."""
        if len(self.screen_stack) > 1:
            self.notify(text, timeout=2 * NOTICE)
        self._reports.tell(text)

    def on_related_found(self, message: messages.RelatedFound) -> None:
        """Go to the record that was requested, or report that there is none."""
        if message.position is None:
            self._reports.tell(f"This record has no {message.what}.")
        elif line := self.line_to(message.position):
            self.enter(line)

    def _scan_shape(self) -> None:
        """Scan for the strip if it is shown, but only after the index, as both read the same disk."""
        indexed, strip = self.model.indexed, self.query_one(ShapeStrip)
        is_shown = strip.has_class("-shown") or self.size.height >= TALL
        if is_shown and indexed is not None and indexed.is_done:
            self.file.ask_shape()

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
        if (former := self._range_in_force) is not None:
            self.enter(former.back)
        self._time_range = None
        self.records.focus()

    @property
    def _range_in_force(self) -> TimeRange | None:
        """The range of the strip that the filter has; None also if the user has changed the filter since."""
        former = self._time_range
        return former if former is not None and former.is_in(self.model.state.filter_set) else None

    def on_shape_strip_range_chosen(self, message: ShapeStrip.RangeChosen) -> None:
        """Go to the first record of a column, or filter to the times of a range of columns."""
        first, last = message.first, message.last
        if first is last and first.rba is not None:
            self.enter(f"POS {first.rba}")
        elif first is not last:
            former = self._range_in_force
            before = former.before if former is not None else self.model.state.filter_set
            chosen = time_range.TimeRange.added(before, first.start, last.end)
            if isinstance(chosen, str):
                self._reports.tell(chosen)
                return
            self._time_range = chosen
            self.enter(f"{former.back}; {chosen.line}" if former is not None else chosen.line)

    def on_timeline_pane_transactions_needed(self, _message: TimelinePane.TransactionsNeeded) -> None:
        """Scan the trail for its long transactions."""
        if self.model.state.path is not None:
            self.file.ask_open_transactions(self.model.state.parameters, self.model.summary.size)
