"""What the threads report, and how the panes change with it."""

from __future__ import annotations

from textual.widgets import Static

from logdump.tui.panes.pages import Pages
from logdump.tui.panes.record_list import RecordList
from logdump.tui.panes.record_pane import RecordPane
from logdump.tui.panes.title import TitleState
from logdump.tui.reading.messages import (
    Asked,
    CommandEnded,
    FilePolled,
    HexRead,
    OutputGrew,
    PageRead,
    PaneRead,
    ReadFailed,
    Scanned,
    SummaryRead,
    TransactionsRead,
)
from logdump.tui.reading.rows import ListRow, RowKind
from logdump.tui.reading.state import State
from logdump.tui.reading.summary import Summary
from logdump.tui.screen_parts import ScreenParts
from trailformat import TrailName


def _goes_on(before: State, after: State) -> bool:
    """Whether the end of the trail is still followed after a line: it has moved nothing, or to the next file."""
    if after.opened == before.opened:
        return after.rba == before.rba
    name = TrailName.parse(before.path) if before.path is not None else None
    return name is not None and after.path == name.next.path


class Watching(ScreenParts):
    """The handlers of messages.

    Attributes:
        ended: the number of the line that was carried out last.
    """

    ended = 0

    # The session.

    def on_output_grew(self, message: OutputGrew) -> None:
        """A command under way has something to show."""
        self.log_strip.update_lines()
        entry = self.mode.transcript.last
        if entry is not None and (len(entry.records) > 1 or not self.log_strip.fits(entry)):
            self.show_output()
        progress = message.progress
        if progress is not None:
            part = f"{100 * progress.rba // progress.size} %, " if progress.size else ""
            busy = f"{part}Ctrl+C stops, {progress.records:,} scanned, RBA {progress.rba}"
            self.set_standing(self.standing._replace(busy=busy))

    def on_asked(self, message: Asked) -> None:
        """A command wants one more line."""
        self.log_strip.update_lines()
        self.query_one("#prompt-label", Static).update(message.prompt)
        self.prompt.begin(is_plain=True)
        self.prompt.focus()

    def on_command_ended(self, message: CommandEnded) -> None:
        """Show what the command has changed."""
        before, self.state = self.state, message.state
        self.ended = message.number
        if self.records.has_moved and self.state.opened == before.opened:
            self.state = self.state._replace(rba=before.rba)
        if self.state.is_over:
            self.exit()
            return
        self.set_standing(self.standing._replace(busy="", filter_text=self.state.filter_text))
        self.query_one("#prompt-label", Static).update(self.mode.prompt)
        self.prompt.lines = self.session.history.lines.copy()
        self.log_strip.update_lines()
        self.update_hint()
        self._follow_session(before)
        self._choose_pane(message)

    def _follow_session(self, before: State) -> None:
        """Bring the panes to the session's file, filter, position and switches."""
        state = self.state
        is_other_file = state.opened != before.opened
        if is_other_file:
            self._open()
        self.file.source = state.source
        is_other_source = state.filters is not None and state.source is not before.source
        has_other_rows = is_other_file or state.filter_text != before.filter_text or is_other_source
        if has_other_rows:
            self.standing = self.standing._replace(matches=None)
            self.file.filter(state.filters)
            self.records.clear()
        if state.path is None:
            return
        if self.standing.follows and not _goes_on(before, state):
            self.set_standing(self.standing._replace(follows=False))
        if is_other_file or state.marks != before.marks:
            self._show_marks()
        if state.switches != before.switches or state.source is not before.source:
            self.records.refresh()
            self.update_title()
        if has_other_rows or self.standing.follows or not self.records.has_moved:
            self._show_position()
        self.tell_current()

    def _show_position(self, *, fresh: bool = False) -> None:
        """Have the list's cursor where the session stands, or at the last row where that is followed."""
        if self.standing.follows:
            self.records.go_to(None, -1)
        else:
            self.records.go_to(self.state.rba, fresh=fresh)

    def _show_marks(self) -> None:
        """The marks in this file stand in the list and in the side pane, those of other files in the pane of marks."""
        here = [one for one in self.state.marks if one.path == self.state.path]
        self.records.marks = {one.rba: one.name[:1] for one in here}
        self.records.refresh()
        self.side.show_marks(here)
        self.update_choices(self.upper_shown)

    def _choose_pane(self, message: CommandEnded) -> None:
        """Show a record in detail, an answer that the strip above the prompt has no room for in the output pane."""
        entry = self.mode.transcript.last
        if entry is None:
            return
        is_elsewhere = bool(entry.records) and list(entry.records) != [self.state.rba]
        if message.records > 1 or is_elsewhere or not self.log_strip.fits(entry):
            self.show_output()
        elif message.records == 1 and self.page_shown == "output":
            self.show_tab(self.page_before)

    # The file.

    def _open(self) -> None:
        """Have everything read from the file that the session has open."""
        self.file.open(self.state.path)
        self.mode.share(self.file.index)
        self.summary = Summary()
        self.standing = TitleState(follows=self.standing.follows, filter_text=self.state.filter_text)
        self.transactions = []
        self.side.show_tables({})
        self.side.show_transactions([])

    def on_summary_read(self, message: SummaryRead) -> None:
        """The title line and the width of RBAs."""
        self.summary = message.summary
        self.records.size_of_file = message.summary.size
        self.records.refresh()
        self.update_title()

    def on_scanned(self, message: Scanned) -> None:
        """A scan is so far, or at its end."""
        part = f"{100 * message.covered // max(1, message.size)} %"
        busy = "" if message.is_done else f"{message.name} {part}, Ctrl+C stops, RBA {message.covered}"
        is_late = self.file.is_stopped and not message.is_done
        standing = self.standing if is_late else self.standing._replace(busy=busy)
        if message.name == "index":
            standing = standing._replace(records=self.file.index.places.records, is_complete=message.is_done)
            self._use_index()
        elif self.file.matches is not None:
            standing = standing._replace(matches=self.file.matches.records)
            self._show_more_rows()
        self.set_standing(standing)

    def _use_index(self) -> None:
        self.side.show_tables(self.file.index.sums.tables)
        self.file.ask_transactions()
        self.update_choices(self.upper_shown)
        if self.records.lacks_names or self.records.is_waiting:
            self.records.read_again()
        self.pages.index_has_grown()

    def _show_more_rows(self) -> None:
        """Where the cursor is behind the last row, the position may be a later one; rows that are awaited stay so."""
        row = self.records.row
        is_behind = row is None or row.kind in (RowKind.MORE, RowKind.END)
        if self.standing.follows or (is_behind and not self.records.is_waiting):
            self._show_position(fresh=True)
        elif self.records.is_at_end or self.records.is_waiting:
            self.records.read_again()

    def on_transactions_read(self, message: TransactionsRead) -> None:
        """The largest transactions."""
        self.transactions = message.transactions
        self.side.show_transactions(message.transactions)
        self.update_choices(self.upper_shown)

    def on_file_polled(self, message: FilePolled) -> None:
        """The file has grown, has been cut or removed, or the next one is there."""
        if message.path != self.state.path or message.known != self.summary.size or not self.summary.name:
            return
        warning = "FILE REMOVED" if message.is_gone else ""
        if message.size < self.summary.size:
            self._open()
            self.records.clear()
            self._show_position()
            warning = "FILE CUT"
        elif message.size > self.summary.size:
            self._grow(message.size)
        elif self.standing.follows and message.following is not None and self.file.is_idle:
            self.enter("NEXTTRAIL")
        if warning or message.is_gone != (self.standing.warning == "FILE REMOVED"):
            self.set_standing(self.standing._replace(warning=warning))

    def _grow(self, size: int) -> None:
        self.summary = self.summary._replace(size=size)
        self.records.size_of_file = size
        self.update_title()
        if not self.file.is_stopped:
            self.file.go_on()
        self._show_more_rows()

    def on_read_failed(self, message: ReadFailed) -> None:
        """A file went away or cannot be read."""
        self.records.give_up()
        self.pages.tell(message.problem)

    # RowSource and records.

    def on_record_list_page_needed(self, message: RecordList.PageNeeded) -> None:
        """Have rows read."""
        self.file.ask_page(message.wanted)

    def on_page_read(self, message: PageRead) -> None:
        """RowSource are here."""
        row = self.records.take(message.wanted, message.page)
        if row is not None and self.standing.follows and self.ended == self.mode.entered:
            self.records.has_moved = True
            self._stand_at(row)

    def row_stood(self, row: ListRow) -> None:
        """The user has moved: so does the session."""
        if self.standing.follows:
            self.set_standing(self.standing._replace(follows=False))
        self._stand_at(row)

    def _stand_at(self, row: ListRow) -> None:
        is_record = row.kind in (RowKind.RECORD, RowKind.FILE_HEADER)
        self.state = self.state._replace(rba=row.rba)
        self.mode.stand_at(row.rba, row.length if is_record else None, self.state.opened)

    def on_pane_read(self, message: PaneRead) -> None:
        """Lines of a page are here."""
        self.pages.take(message)

    def on_hex_read(self, message: HexRead) -> None:
        """The bytes of a record are here."""
        self.pages.take(message)

    def on_record_pane_picked(self, message: RecordPane.Picked) -> None:
        """A field has been picked: the other pages go to it when they are shown."""
        self.field_picked = message.field

    def on_pages_scrolled(self, _message: Pages.Scrolled) -> None:
        """The tabs tell which lines are visible."""
        self.update_tabs()
