"""The three ways to run commands by line: at a terminal, from a pipe, from a script."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from logdump import __version__
from logdump.commands import REGISTRY
from logdump.events import Event, Failure, Notice
from logdump.exit_status import ExitStatus
from logdump.language.execute import run_line
from logdump.render.text import render
from logdump.session import Session

_BANNER = (
    "",
    "logdump, a reader of Oracle GoldenGate trails (not an Oracle product)",
    f"Version {__version__}",
    "",
    "",
)


class LineMode:
    """Runs lines and prints what they yield.

    Records, counts and texts go to standard output. Failures go there too at a prompt, as Logdump prints them, and to
    standard error in a script; notices go to standard error always.
    """

    failures_to_stderr = False

    def __init__(self, first: str = "") -> None:
        self.session = Session()
        self.status = ExitStatus.OK
        self._first = first

    def run(self) -> int:
        """Run to the end; returns the exit status."""
        raise NotImplementedError

    def enter(self, line: str) -> None:
        """Run one line and print its events."""
        for event in run_line(self.session, REGISTRY, line):
            self._print(event)
        sys.stdout.flush()

    def _print(self, event: Event) -> None:
        stream = sys.stdout
        if isinstance(event, Failure | Notice):
            self.status = self.status or event.status
            if self.failures_to_stderr or isinstance(event, Notice):
                sys.stdout.flush()
                stream = sys.stderr
        for line in render(event, self.session.settings):
            stream.write(line + "\n")

    @property
    def prompt(self) -> str:
        """The prompt, as Logdump prints it: scripts in the field look for it."""
        return f"Logdump {self.session.number} >"


class Batch(LineMode):
    """The commands of -c and -f: no banner, no prompts, an exit status."""

    failures_to_stderr = True

    def __init__(self, lines: Iterable[str]) -> None:
        super().__init__()
        self._lines = lines

    def run(self) -> int:
        """Run all lines."""
        for line in self._lines:
            self.enter(line)
            if self.session.is_over:
                break
        return self.status


class Piped(LineMode):
    """Commands from standard input, with banner and prompts on standard output."""

    def run(self) -> int:
        """Read lines up to the end of the input or EXIT."""
        sys.stdout.write("\n".join(_BANNER) + "\n")
        if self._first:
            sys.stdout.write(self.prompt)
            self.enter(self._first)
        while not self.session.is_over:
            sys.stdout.write(self.prompt)
            sys.stdout.flush()
            line = sys.stdin.readline()
            if not line:
                sys.stdout.write("\n")
                break
            self.enter(line)
        return ExitStatus.OK


class Interactive(LineMode):
    """A terminal: line editing, history and completion."""

    def run(self) -> int:
        """Ask for lines up to the end of the input or EXIT; Ctrl+C ends a command, not the session."""
        from logdump.line_editor import use_line_editor  # noqa: PLC0415 - readline is for a terminal only

        use_line_editor()
        sys.stdout.write("\n".join(_BANNER) + "\n")
        if self._first:
            sys.stdout.write(f"{self.prompt}{self._first}\n")
            self.enter(self._first)
        while not self.session.is_over:
            try:
                self.enter(input(self.prompt))
            except EOFError:
                sys.stdout.write("\n")
                break
            except KeyboardInterrupt:
                sys.stdout.write("\n")
        return ExitStatus.OK
