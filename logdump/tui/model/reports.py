"""Updates of the model by the reports of the threads about a session and its file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from logdump.session.events import SearchProgress
from logdump.session.reading import ReadSoFar
from logdump.tui.model.model import OF_COMMANDS, OUTPUT, SIDE_BY_SIDE, Model, ScanProgress, TablesRead
from logdump.tui.reading import messages
from logdump.tui.reading.background import FINDINGS, INDEX, OPEN_TRANSACTIONS, OVER_TIME, SHAPE
from logdump.tui.reading.open_file import OpenFile
from logdump.tui.reading.rows import ListRow, RowKind
from logdump.tui.reading.screen_mode import ScreenMode
from logdump.tui.reading.state import State
from logdump.tui.reading.transcript import TranscriptEntry

Fits = Callable[[TranscriptEntry, bool], bool]


class Reports:
    """Updates the model by reports, and has the threads read what has become current.

    ``mode`` is the thread of the session, ``file`` the threads that read its file; ``fits`` returns whether an answer
    fits in the strip above the prompt, given whether its line has moved the cursor; ``deferred`` are the delayed
    reports, None if reports are not delayed.
    """

    def __init__(self, model: Model, mode: ScreenMode, file: OpenFile, fits: Fits) -> None:
        self._model = model
        self._mode = mode
        self._file = file
        self._fits = fits
        self.deferred: list[messages.Report] | None = None
        self._takers: dict[type[messages.Report], Callable[[Any], None]] = {
            messages.OutputGrew: self._take_output,
            messages.AlignedGrew: self._take_aligned,
            messages.QuestionAsked: self._take_question,
            messages.CommandEnded: self._take_end,
            messages.Crossed: self._take_crossing,
            messages.SummaryRead: self._take_summary,
            messages.NeighboursRead: self._take_neighbours,
            messages.TrailFilesRead: self._take_files,
            messages.TrailsListed: self._take_trails,
            messages.StoryRead: self._take_story,
            messages.Scanned: self._take_scan,
            messages.TransactionsRead: self._take_transactions,
            messages.FilePolled: self._take_poll,
        }

    def take(self, report: messages.Report) -> None:
        """Update the model by a report; observers are called once."""
        if self.deferred is not None:
            self.deferred.append(report)
            return
        with self._model.changing():
            self._takers[type(report)](report)

    def hold(self) -> Callable[[], None]:
        """Delay reports until the returned function is called: a pane without a size has no room for an answer."""
        self.deferred = []
        return self._release

    def _release(self) -> None:
        reports, self.deferred = self.deferred or [], None
        for report in reports:
            self.take(report)

    # The session.

    def enter(self, text: str, *, is_step: bool = False) -> None:
        """Run a line, beginning at the current record of the session; ``is_step`` as in ``TranscriptEntry``."""
        self._model.has_moved = False
        self._mode.submit(text, is_step=is_step)

    def stand_at(self, row: ListRow) -> None:
        """Move the session to a row of the list."""
        is_record = row.kind in (RowKind.RECORD, RowKind.FILE_HEADER)
        self._model.rba, self._model.has_moved = row.rba, True
        self._model.is_landing = False
        self._mode.stand_at(row.rba, row.length if is_record else None, self._model.state.opened)

    def cross(self, rba: int | None, *, backwards: bool) -> None:
        """Continue in the next file, or the one before, at ``rba`` or at the start of that file."""
        self._mode.cross(rba, self._model.state.opened, backwards=backwards)

    def tell(self, text: str) -> None:
        """Print a message that is not output of the session in the strip above the prompt."""
        self._mode.transcript.begin("", "").print(text)
        self._model.output += 1

    def take_prompt(self) -> None:
        """Copy the prompt and the history of the session."""
        self._model.prompt = self._mode.prompt
        self._model.history = tuple(self._mode.session.history.lines)

    def _take_output(self, report: messages.OutputGrew) -> None:
        model, entry, progress = self._model, self._mode.transcript.last, report.progress
        model.output += 1
        if entry is not None and not model.has_moved and self._is_report(entry):
            model.show_page(OUTPUT)
        if isinstance(progress, SearchProgress):
            model.busy = f"Ctrl+C stops, searching for a good header, RBA {progress.rba}"
        elif isinstance(progress, ReadSoFar):
            model.busy = f"{progress.percent} %, {progress.stops}, RBA {progress.rba} of {progress.path.name}"
        elif progress is not None:
            part = f"{100 * progress.rba // progress.size} %, " if progress.size else ""
            model.busy = f"{part}Ctrl+C stops, {progress.records:,} scanned, RBA {progress.rba}"

    def _has_room(self, entry: TranscriptEntry, *, has_moved: bool = False) -> bool:
        """Return whether an answer can be read without the output page."""
        return entry.is_on_page or self._fits(entry, has_moved)

    def _is_report(self, entry: TranscriptEntry) -> bool:
        """Return whether an answer is shown on the output page even if the line has moved the cursor."""
        return len(entry.records) > 1 or (entry.is_long and not self._has_room(entry))

    @property
    def _place(self) -> tuple[int, int]:
        """The list and the RBA in it: if either changes, the cursor may have moved."""
        return self._model.listing, self._model.rba

    def _take_aligned(self, report: messages.AlignedGrew) -> None:
        model, before = self._model, self._model.aligned
        model.aligned = report.so_far
        if before is None or before.listing is not report.so_far.listing:
            model.show_page(SIDE_BY_SIDE)

    def _take_question(self, report: messages.QuestionAsked) -> None:
        self._model.output += 1
        self._model.prompt = report.prompt
        self._model.questions += 1

    def _take_end(self, report: messages.CommandEnded) -> None:
        model, state, before, place = self._model, report.state, self._model.state, self._place
        model.ended = report.number
        if state.is_over:
            model.is_over = True
            return
        model.end_line(state)
        self.take_prompt()
        self._show_session(before)
        self._choose_page(report, has_moved=self._place != place, has_opened=state.opened != before.opened)

    def _take_crossing(self, report: messages.Crossed) -> None:
        model, before = self._model, self._model.state
        model.end_line(report.state)
        self._show_session(before)
        model.is_landing = report.state.opened != before.opened
        model.crossings += 1

    def _show_session(self, before: State) -> None:
        """Show the new output of the session, and another file or other rows if the line has changed them."""
        model, state = self._model, self._model.state
        model.output += 1
        if state.opened != before.opened:
            self._open()
        elif state.has_other_rows(before):
            self._file.filter(state.filters, state.source)
            model.list_others()

    def _choose_page(self, report: messages.CommandEnded, *, has_moved: bool, has_opened: bool) -> None:
        """Show an answer that does not fit in the strip above the prompt, else the record if the cursor has moved.

        The title also shows what OPEN reports, so its answer replaces the record only if it is a report.
        """
        model, entry = self._model, self._mode.transcript.last
        if entry is None:
            return
        is_elsewhere = bool(entry.records) and list(entry.records) != [model.rba]
        is_report = has_opened and not entry.has_failed
        is_answer = self._is_report(entry) if is_report else not self._has_room(entry, has_moved=has_moved)
        if report.records > 1 or is_elsewhere or is_answer:
            model.show_page(OUTPUT)
        elif report.records == 1 and model.page in OF_COMMANDS:
            model.show_page(model.page_before)
        elif has_moved:
            model.show_records_page()

    # The file.

    def _open(self, *, is_rewritten: bool = False) -> None:
        """Read everything from the open file of the session again."""
        state = self._model.state
        self._file.open(state.path)
        self._file.filter(state.filters, state.source)
        self._mode.share(self._file.index, is_rewritten=is_rewritten)
        self._model.open(self._file.index)

    def _take_summary(self, report: messages.SummaryRead) -> None:
        self._model.summary = report.summary

    def _take_neighbours(self, report: messages.NeighboursRead) -> None:
        if report.path == self._model.state.path:
            self._model.neighbours = report.neighbours

    def _take_files(self, report: messages.TrailFilesRead) -> None:
        if report.path == self._model.state.path:
            self._model.files = report.files

    def _take_trails(self, report: messages.TrailsListed) -> None:
        self._model.trails = report
        percent = report.percent
        self._model.busy = f"{percent} % of the trails, Ctrl+C stops" if percent is not None else ""

    def _take_story(self, report: messages.StoryRead) -> None:
        self._model.story = report

    def _take_scan(self, report: messages.Scanned) -> None:
        model, file = self._model, self._file
        lacks = {name: reading for name, reading in model.lacks.items() if name != report.name}
        model.lacks = lacks if report.reading is None else {**lacks, report.name: report.reading}
        is_done = report.reading is not None and not report.reading.is_stopped
        if is_done:
            model.busy = ""
        elif not file.is_stopped:
            model.busy = _progress(report)
        if report.name == INDEX:
            sums = file.index.sums  # the scan goes on in it: what is shown is what this report has
            model.tables_read = TablesRead(sums.tables, sums.other_tables.records)
            model.indexed = ScanProgress(report.covered, file.index.places.sound_records, is_done)
            file.ask_transactions(model.transactions)
        elif report.name == OVER_TIME:
            model.timeline = file.timeline.timeline if file.timeline is not None else None
        elif report.name == SHAPE:
            model.shape = file.shape.shape if file.shape is not None else None
        elif report.name == FINDINGS:
            model.findings = file.findings.found if file.findings is not None else None
        elif report.name == OPEN_TRANSACTIONS:
            model.open_transactions = file.open_transactions.answer if file.open_transactions is not None else None
        elif file.matches is not None:
            model.matched = ScanProgress(report.covered, file.matches.records, is_done, file.matches.undecided)

    def _take_transactions(self, report: messages.TransactionsRead) -> None:
        self._model.transactions = tuple(report.transactions)

    @property
    def _has_answered(self) -> bool:
        """True if all entered lines have ended: the model then shows the file of the session."""
        return self._model.ended == self._mode.entered

    def _take_poll(self, report: messages.FilePolled) -> None:
        """Handle a file that has grown, was truncated, rewritten, replaced or removed, or has a successor."""
        model, size = self._model, self._model.summary.size
        if report.path != model.state.path or report.known != size or not model.summary.name:
            return
        if report.size < size or report.is_rewritten:
            self._open(is_rewritten=True)
        elif report.size > size:
            model.summary = model.summary._replace(size=report.size)
            if not self._file.is_stopped:
                self._file.go_on()
        elif model.follows and report.following is not None and self._file.is_read and self._has_answered:
            self.enter("NEXTTRAIL")
        model.warn(report, is_cut=report.size < size)


def _progress(report: messages.Scanned) -> str:
    """Return the progress of a scan: the percentage of a file, or the number of records if the trail is read twice."""
    if report.name == FINDINGS:
        return f"{report.name}, Ctrl+C stops"
    if report.name == OPEN_TRANSACTIONS:
        return f"{report.name}, Ctrl+C stops, {report.covered:,} records read"
    return f"{report.name} {100 * report.covered // max(1, report.size)} %, Ctrl+C stops, RBA {report.covered}"
