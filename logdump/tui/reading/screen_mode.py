"""Line mode for the prompt of the view: it runs lines on a thread and keeps their output in a transcript."""

from __future__ import annotations

import ctypes
import queue
import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from textual.message import Message

from logdump.features.diff.model import DifferenceShown
from logdump.features.row.model import RowChangeShown, RowStoryShown
from logdump.features.sql.model import RowsShown
from logdump.line.history_file import KeptHistory, UnusableHistory
from logdump.line.line_mode import LineMode
from logdump.notation.text import Harmless
from logdump.session.across import cross_towards
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Failure, JobProgress, Notice, Progress, SearchProgress
from logdump.session.known_record import KnownRecord
from logdump.session.reading import ReadSoFar
from logdump.session.session import Session
from logdump.tui.reading.background import Background
from logdump.tui.reading.messages import AlignedGrew, CommandEnded, Crossed, OutputGrew, QuestionAsked, StoryRead
from logdump.tui.reading.state import NeighbourFiles, State, neighbour_files, state_of
from logdump.tui.reading.transcript import Answer, TableLine, Transcript
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.index import TrailIndex, attach

with on_demand:
    from logdump.features.diff import side_by_side

if TYPE_CHECKING:
    from logdump.features.diff.model import AlignedRow, DiffLevel, DiffShown
    from logdump.features.diff.side_by_side import AlignedListing

Post = Callable[[Message], object]
MOST_CHANGES = 1000
"""Maximum number of changes of a row that a pane lists; the output has all."""
_EVERY = 0.25
"""Seconds between two reports of a running command."""


class ReportedAlignment:
    """The aligned rows of two trails, reported at the start, at most every _EVERY seconds, and at :meth:`close`."""

    def __init__(self, listing: AlignedListing, post: Post) -> None:
        self._listing, self._post = listing, post
        self._report(is_ended=False)

    def add(self, row: AlignedRow) -> None:
        """Add the next row."""
        self._listing.add(row)
        if time.monotonic() - self._told >= _EVERY:
            self._report(is_ended=False)

    def shows(self, event: object) -> bool:
        """Return whether the page shows an event."""
        return isinstance(event, DifferenceShown)

    def end(self, shown: DiffShown) -> None:
        """Set the totals of both trails."""
        self._listing.end(shown)

    def close(self) -> None:
        """Report the last rows."""
        self._report(is_ended=True)

    def _report(self, *, is_ended: bool) -> None:
        self._told = time.monotonic()
        self._post(AlignedGrew(self._listing.so_far(is_ended=is_ended)))


class ScreenMode(LineMode):
    """Runs the entered lines in order; only its thread uses the session.

    Attributes:
        transcript: the lines entered and their output.
        is_asking: True if the running command requests a line.
        entered: number of the line entered last.
    """

    def __init__(self, session: Session, post: Post, history: KeptHistory) -> None:
        super().__init__(session=session)
        session.standard_output = None
        session.takes_lines = 0
        session.begin_aligned = self._begin_aligned
        self.transcript = Transcript()
        self.is_asking = False
        self._post = post
        self._kept = history
        self._thread = Background("commands")
        self._answers: queue.SimpleQueue[str | type[KeyboardInterrupt] | None] = queue.SimpleQueue()
        self._gate = threading.Lock()
        self._is_interruptible = self._is_elsewhere = self._is_table = False
        self._alignment: ReportedAlignment | None = None
        self.entered = self._records = self._opened = 0
        self._trail: TrailFile | None = None
        self._neighbours = NeighbourFiles()
        self._told = 0.0
        self._has_read = False
        self._changes: list[RowChangeShown] = []

    @property
    def is_idle(self) -> bool:
        """True if no line is running or waiting."""
        return self._thread.is_idle

    def submit(self, line: str, *, is_step: bool = False) -> None:
        """Run a line after those entered before; ``is_step`` as in ``TranscriptEntry``."""
        self.entered += 1
        number = self.entered
        self._thread.do(f"line {number}", lambda: self._carry_out(line, number, is_step=is_step))

    def stand_at(self, rba: int, length: int | None, opened: int) -> None:
        """Move to the end of the record at ``rba``, as if it had just been read; without a length, to ``rba``.

        ``opened`` is the number of the opening that ``rba`` refers to; if a line has opened another file since, nothing
        happens.
        """

        def stand() -> None:
            if opened != self._opened or not self.session.has_trail:
                return
            if length is None:
                self.session.cursor.move(rba)
            else:
                self.session.cursor.stand_at(rba, length)

        # waiting lines begin at the current record of the time when they were entered
        self._thread.do(f"stand after {self.entered}", stand)

    def cross(self, rba: int | None, opened: int, *, backwards: bool) -> None:
        """Continue in the next file of the trail, or the one before, at ``rba`` or at its start.

        As in ``stand_at``, nothing happens if another file was opened since ``opened``.
        """

        def go() -> None:
            if opened != self._opened or not self.session.has_trail:
                return
            self.transcript.begin("", "")
            cross_to(self.session, rba, self._print, backwards=backwards)
            self._post(Crossed(self._state()))

        self._thread.do(f"cross after {self.entered}", go)

    def share(self, index: TrailIndex, *, is_rewritten: bool) -> None:
        """Attach the index to the session's file; of a rewritten one the session forgets what it has read."""

        def share() -> None:
            if self.session.has_trail:
                if is_rewritten:
                    self.session.forget_read()
                attach(self.session.trail, index)

        self._thread.do("share", share)

    def answer(self, line: str | type[KeyboardInterrupt] | None) -> None:
        """Pass the line that the running command has requested; None is the end of input, KeyboardInterrupt Ctrl+C."""
        self.is_asking = False
        self._answers.put(line)

    def stop(self) -> None:
        """Interrupt the running command, as Ctrl+C does in line mode."""
        if self.is_asking:
            self.answer(KeyboardInterrupt)
            return
        with self._gate:
            if self._is_interruptible:
                thread = ctypes.c_ulong(self._thread.ident)
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(KeyboardInterrupt))

    def close(self) -> None:
        """Stop the running command and end the thread."""
        self.stop()
        self._thread.close()
        self.session.begin_aligned = None

    def _carry_out(self, line: str, number: int, *, is_step: bool) -> None:
        self._records, self._has_read = 0, False
        self._changes = []
        self._told = time.monotonic()
        self.transcript.begin(self.prompt, line).is_step = is_step
        was_stopped = False
        try:
            self._is_interruptible = True
            self.enter(line)
        except KeyboardInterrupt:
            was_stopped = True
        try:
            with self._gate:
                self._is_interruptible = False
        except KeyboardInterrupt:
            was_stopped = True
        self._end_aligned()
        self._save_history()
        self._post(CommandEnded(self._state(), self._records, number, was_stopped=was_stopped))

    def _begin_aligned(self, level: DiffLevel, a: str, b: str) -> ReportedAlignment:
        """Begin a page that shows two trails side by side."""
        self._end_aligned()
        if self.transcript.last is not None:
            self.transcript.last.is_on_page = True
        self._alignment = ReportedAlignment(side_by_side.AlignedListing(level, (a, b)), self._post)
        return self._alignment

    def _end_aligned(self) -> None:
        alignment, self._alignment = self._alignment, None
        if alignment is not None:
            alignment.close()

    def _state(self) -> State:
        trail = self.session.trail if self.session.has_trail else None
        if trail is not self._trail:
            self._opened += 1
            self._trail = trail
            self._neighbours = neighbour_files(trail.path) if trail is not None else NeighbourFiles()
        return state_of(self.session, self._opened)._replace(neighbours=self._neighbours)

    def _save_history(self) -> None:
        try:
            self._kept.save(self.session.history)
        except UnusableHistory as error:
            self._print(Notice((str(error),), ExitStatus.COMMAND_FAILED))

    def _read(self, prompt: str) -> str | None:
        self.is_asking = True
        self._post(QuestionAsked(prompt))
        answer = self._answers.get()
        if isinstance(answer, type):
            raise KeyboardInterrupt
        if self.transcript.last is not None:
            self.transcript.last.print(Answer(prompt, answer or ""))
        return answer

    def _print(self, event: Event) -> None:
        is_on_page = self._alignment is not None and self._alignment.shows(event)
        self._is_elsewhere = is_on_page or isinstance(event, KnownRecord)
        entry = self.transcript.last
        if isinstance(event, KnownRecord) and entry is not None:
            self._records += 1
            entry.records.append(event.record.rba)
        elif isinstance(event, Failure) and entry is not None:
            entry.has_failed = True
        self._is_table = isinstance(event, RowsShown)
        super()._print(event)
        if isinstance(event, RowChangeShown) and len(self._changes) < MOST_CHANGES:
            self._changes.append(event)
        elif isinstance(event, RowStoryShown):
            self._post(StoryRead(tuple(self._changes), event))
            self._changes = []
        if isinstance(event, KnownRecord) and self._records > 1 and not event.record.is_file_header:
            record, size = event.record, self.session.trail.size
            self._tell(Progress(self._records, record.rba, record.header.io_time, size))

    def _show_progress(self, event: Progress | SearchProgress | JobProgress | ReadSoFar) -> None:
        self._has_read = self._has_read or isinstance(event, ReadSoFar)
        if not (self._has_read and isinstance(event, Progress)):
            self._tell(None if isinstance(event, JobProgress) else event)

    def _write_lines(self, lines: Sequence[Harmless], *, is_narration: bool) -> None:  # noqa: ARG002 - one pane shows both
        if self.transcript.last is not None:
            for line in map(TableLine, lines) if self._is_table else lines:
                self.transcript.last.print(line, is_elsewhere=self._is_elsewhere)
        self._tell()

    def _flush(self) -> None:
        """Do nothing: no output is buffered."""

    def _tell(self, progress: Progress | SearchProgress | ReadSoFar | None = None) -> None:
        now = time.monotonic()
        if now - self._told >= _EVERY:
            self._told = now
            self._post(OutputGrew(progress))


def cross_to(session: Session, rba: int | None, show: Callable[[Event], object], *, backwards: bool) -> None:
    """Continue in the next file of the trail, or the one before, at ``rba`` or its start; ``show`` gets the events."""
    try:
        for event in cross_towards(session, backwards=backwards):
            show(event)
    except CommandError as error:
        show(Failure(error.lines))
    except (TrailError, CannotRead) as error:
        show(Failure((f"Error: {error}",), ExitStatus.BAD_DATA))
    else:
        if rba is not None:
            session.cursor.move(rba)
