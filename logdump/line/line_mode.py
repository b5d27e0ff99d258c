"""Line mode from a pipe and from a script; the one at a terminal is in :mod:`logdump.line.interactive`."""

from __future__ import annotations

import contextlib
import shutil
import sys
import time
from collections.abc import Generator, Iterable, Iterator, Sequence
from typing import BinaryIO, TextIO

from logdump import __version__
from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.language.execute import run_line
from logdump.language.words import MOST_CHARACTERS
from logdump.line import terminal
from logdump.notation.text import Harmless, cut_names, escape, size_text
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Failure, JobProgress, NoRecordThere, Notice, Pause, Progress, SearchProgress
from logdump.session.reading import Hint, ReadProgress, ReadSoFar
from logdump.session.session import Session, SessionLog
from logdump.session.settings import OutputFormat, Settings
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.url import keeping_secrets
from trailformat.errors import CannotRead, reason_of
from trailformat.trail import command_files
from trailformat.trail.command_files import OUTCOMES

with on_demand:
    from logdump.display import json_lines

Shown = Progress | SearchProgress | JobProgress | ReadSoFar
_EVERY = 0.25
"""Least number of seconds between two updates of the progress line."""
_LONG = 1.0
"""Number of seconds after which the progress of a search is shown."""
_ECHO = len("^C")
"""Number of cells of the ``^C`` that a terminal shows after the line."""


class Scroller:
    """Shows progress on standard error if that is a terminal."""

    def __init__(self) -> None:
        self._started: float | None = None
        self._shown = 0.0
        self._width = 0
        self._scanned: Progress | None = None
        self._has_read = False

    def show(self, event: Shown, settings: Settings) -> None:
        """Show the percentage read and the number of scanned records, or the progress of a job."""
        self._has_read = self._has_read or isinstance(event, ReadSoFar)
        if isinstance(event, Progress):
            self._scanned = event._replace(size=0) if self._has_read else event
            if self._has_read:
                return
        now = time.monotonic()
        if self._started is None:
            self._started = now
        if isinstance(event, SearchProgress) and (self._has_read or now - self._started < _LONG):
            return
        if now - self._shown < _EVERY or not sys.stderr.isatty():
            return
        self._shown = now
        room = max(1, shutil.get_terminal_size().columns - _ECHO - 1)
        text = self._text(event, settings, now - self._started)[:room]
        terminal.write_over(escape(text), self._width)
        self._width = len(text)

    def _text(self, event: Shown, settings: Settings, since: float) -> str:
        if isinstance(event, ReadSoFar):
            scanned = f"{render(self._scanned, settings)[0]}{_rate(self._scanned, since)}, " if self._scanned else ""
            where = "" if self._scanned else f", RBA {event.rba} of {event.path.name}"
            return f"{event.percent} %, {event.stops}, {scanned}{since:.0f} s{where}"
        rate = _rate(event, since) if isinstance(event, Progress) else f", {since:.0f} s"
        return render(event, settings)[0] + rate

    def clear(self) -> None:
        """Erase the line."""
        if self._width:
            terminal.wipe(self._width + _ECHO)
        self._started, self._width, self._scanned, self._has_read = None, 0, None, False


def _rate(event: Progress, seconds: float) -> str:
    rate = f", {event.records / seconds:,.0f} records/s" if seconds else ""
    return rate + (f", {100 * event.rba // event.size} % of {size_text(event.size)}" if event.size else "")


BANNER = tuple(
    map(
        escape,
        ("", "logdump, a reader of Oracle GoldenGate trails (not an Oracle product)", f"Version {__version__}", "", ""),
    )
)
_MESSAGES = (Notice, NoRecordThere)
"""Events that are narration whatever the output is."""


def _after(events: Generator[Event, None, None], interrupt: KeyboardInterrupt) -> Iterator[Event]:
    """Yield the remaining events of a command if Ctrl+C was pressed while an event was printed."""
    with contextlib.suppress(KeyboardInterrupt, StopIteration):
        yield events.throw(interrupt)
        yield from events


class LineMode:
    """Runs lines and prints the events that they yield.

    Records, counts and texts go to standard output. Failures also go there at a prompt, as Logdump prints them, and to
    standard error in a script; notices always go to standard error. While a command writes its own data to standard
    output, everything else goes to standard error.
    """

    failures_to_stderr = False
    output_is_data = False
    """True if standard output is reserved for the data of EXPORT, for all commands."""
    records_together = 64
    """Maximum number of records printed together."""

    def __init__(self, first: str = "", session: Session | None = None) -> None:
        self.session = session or Session()
        self.session.ask = self._ask
        self.session.standard_output = self._standard_output
        self.session.takes_lines = self.records_together
        self._narrates = False
        self._hint = Hint()
        self.session.note_entered = self._log
        self.status = ExitStatus.OK
        self._first = first
        self._scroller = Scroller()
        self._needs_schema = True

    def run(self) -> int:
        """Run all lines and return the exit status."""
        try:
            return self._run()
        finally:
            self.session.end()

    def _run(self) -> int:
        raise NotImplementedError

    def _read(self, prompt: str) -> str | None:
        """Return the next line of input, without its line end; None at the end."""
        raise NotImplementedError

    def enter(self, line: str) -> None:
        """Run one line and print its events."""
        self._print_answer(keeping_secrets(line), run_line(self.session, REGISTRY, line))

    def _print_answer(self, line: str, events: Generator[Event, None, None]) -> None:
        """Run a line, whose events are not begun yet, and print them."""
        OUTCOMES.forget()
        self._log(escape(f"{self.prompt}{line}"))
        try:
            progress = ReadProgress(self._show_reading, lambda: self.session.stops)
            with command_files.search_observed(self._show_search), command_files.observed(progress):
                self._print_all(events)
        except KeyboardInterrupt as interrupt:
            for event in _after(events, interrupt):
                self._print(event)
            raise
        finally:
            # closed now, as the command needs the open file to clean up
            with contextlib.suppress(RuntimeError):
                events.close()
            self._scroller.clear()
            self._tell_what_is_left()
            self._flush()
            with self._log_that_may_fail() as log:
                log.flush()
            self._narrates = False

    def _tell_what_is_left(self) -> None:
        """Print the files that a command should have removed or restored and could not."""
        lines = [f"{former} is the former {path}: it could not be put back." for former, path in OUTCOMES.displaced]
        lines += [f"{path} could not be removed; nothing needs it." for path in OUTCOMES.left]
        if lines:
            self._print(Notice(tuple(lines), ExitStatus.OK))

    def _print_all(self, events: Generator[Event, None, None]) -> None:
        """Print events. A CannotRead while an event is printed is thrown into the command that has yielded it."""
        failed: CannotRead | None = None
        with contextlib.suppress(StopIteration):
            while True:
                event = next(events) if failed is None else events.throw(failed)
                failed = None
                try:
                    self._print(event)
                except CannotRead as error:
                    failed = error

    def _standard_output(self) -> BinaryIO:
        """Return standard output for data; all other output of this line becomes narration."""
        self._narrates = True
        terminal.flush()
        return sys.stdout.buffer

    def _ask(self, prompt: str) -> str | None:
        """Read one more line for the current command."""
        self._flush()
        line = self._read(prompt)
        self._log(escape(f"{prompt}{line or ''}"))
        return line

    def _log(self, *lines: Harmless) -> None:
        if self.session.log.path is not None:
            with self._log_that_may_fail() as log:
                for line in lines:
                    log.write_line(line)

    @contextlib.contextmanager
    def _log_that_may_fail(self) -> Iterator[SessionLog]:
        """Yield the session log; if it cannot be written, it is switched off."""
        log = self.session.log
        path = log.path
        try:
            yield log
        except OSError as error:
            with contextlib.suppress(OSError):
                log.stop()
            lines = (f"The session log {path} cannot be written: {reason_of(error)}. It is off now.",)
            self._print(Notice(lines, ExitStatus.COMMAND_FAILED))

    def _print(self, event: Event) -> None:
        if isinstance(event, JobProgress) or (isinstance(event, Progress) and self.session.settings.scan_scrolling):
            self._show_progress(event)
            return
        self._scroller.clear()
        if isinstance(event, Pause):
            self._flush()
            return
        self.status = self.status or getattr(event, "status", ExitStatus.OK)
        is_message = isinstance(event, _MESSAGES) or (self.failures_to_stderr and isinstance(event, Failure))
        is_narration = self._narrates or self.output_is_data or (is_message and not self.is_json)
        lines = self._render(event)
        if self._needs_schema and self.is_json and not is_narration and lines:
            lines, self._needs_schema = self._with_schema(lines), False
        if isinstance(event, Failure | Notice):
            lines = list(map(cut_names, lines))
        self._write_lines(lines, is_narration=is_narration)
        self._log(*lines)

    def _show_progress(self, event: Progress | SearchProgress | JobProgress | ReadSoFar) -> None:
        """Show the progress of a scan in a line that is overwritten."""
        self._scroller.show(event, self.session.settings)

    def _show_search(self, rba: int) -> None:
        """Show the RBA that a search for a sound record has reached, if the search is long."""
        if self.session.settings.scan_scrolling:
            self._show_progress(SearchProgress(rba))

    def _show_reading(self, so_far: ReadSoFar) -> None:
        if self._hint.due(so_far.size):
            self._write_lines([escape(self._hint.text)], is_narration=True)
        if self.session.settings.scan_scrolling:
            self._show_progress(so_far)

    def _write_lines(self, lines: Sequence[Harmless], *, is_narration: bool) -> None:
        """Write lines to standard output, narration to standard error."""
        terminal.write_lines(lines, is_narration=is_narration)

    def _flush(self) -> None:
        terminal.flush()

    def _render(self, event: Event) -> list[Harmless]:
        if self.is_json:
            return json_lines.render(event, self.session.settings)
        return render(event, self.session.settings)

    def _with_schema(self, lines: list[Harmless]) -> list[Harmless]:
        return [json_lines.with_schema(lines[0]), *lines[1:]]

    @property
    def is_json(self) -> bool:
        """True if FORMAT is JSONL: standard output then has only JSON objects."""
        return self.session.settings.format is OutputFormat.JSONL

    def _greet(self) -> None:
        for line in BANNER:
            terminal.write_line(line)

    @property
    def prompt(self) -> str:
        """The prompt of the session."""
        return self.session.prompt


class Script(LineMode):
    """Runs the commands of -c and -f: no banner and no prompts; the status of the first failure is the exit status."""

    failures_to_stderr = True

    def __init__(self, lines: Iterable[str], *, output_is_data: bool = False) -> None:
        super().__init__()
        self.session.is_script = True
        self.output_is_data = output_is_data
        self._lines = iter(lines)

    def _read(self, prompt: str) -> str | None:  # noqa: ARG002 - a script has no prompts
        return next(self._lines, None)

    def _run(self) -> int:
        while not self.session.is_over and (line := self._read("")) is not None:
            self.enter(line)
        return self.status


class PipedInput(LineMode):
    """Runs commands from standard input, with banner and prompts on standard output."""

    def _read(self, prompt: str) -> str | None:
        terminal.write_prompt(escape("" if self.is_json else prompt))
        return next(lines_of(sys.stdin), None)

    def _run(self) -> int:
        if not self.is_json:
            self._greet()
        if self._first:
            terminal.write_prompt(escape("" if self.is_json else self.prompt))
            self.enter(self._first)
        while not self.session.is_over:
            line = self._read(self.prompt)
            if line is None:
                if not self.is_json:
                    terminal.write_line(escape(""))
                break
            self.enter(line)
        return ExitStatus.OK


def lines_of(file: TextIO) -> Iterator[str]:
    """Yield the lines of a file without their ends, each cut just above MOST_CHARACTERS.

    A byte order mark, as editors of Windows write it, begins no line: joined files have several.
    """
    while line := file.readline(MOST_CHARACTERS + 1):
        rest = line
        while len(rest) > MOST_CHARACTERS and not rest.endswith("\n"):
            rest = file.readline(MOST_CHARACTERS + 1)
        yield line.removeprefix("\ufeff").rstrip("\r\n")
