"""X: a program, by way of the shell."""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator

from logdump.language.command import Command
from logdump.language.parameters import FreeText
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.session import Session
from logdump.session.settings import OutputFormat

_STDERR = 2


def run_x(session: Session, line: str) -> Iterator[Event]:
    """Run a program at the same terminal and wait for its end."""
    sys.stdout.flush()
    status = _run(line, output=_STDERR if session.settings.format is OutputFormat.JSONL else None)
    if status:
        how = f"with status {status}" if status > 0 else f"by signal {-status}"
        raise CommandError(f"{line.split(maxsplit=1)[0]} ended {how}.")
    return iter(())


def _run(line: str, output: int | None) -> int:
    """The status of a shell command. Commands that come through a pipe are ours to read, not the program's."""
    import subprocess  # noqa: PLC0415 - only X needs it

    source = None if sys.stdin.isatty() else subprocess.DEVNULL
    with _interrupts_left_to_the_program():
        return subprocess.run(line, shell=True, check=False, stdin=source, stdout=output).returncode  # noqa: S602 - X is a shell


@contextlib.contextmanager
def _interrupts_left_to_the_program() -> Iterator[None]:
    """Ctrl+C reaches the program and not us; a handler, unlike SIG_IGN, is not handed down to it."""
    try:
        before = signal.signal(signal.SIGINT, lambda *_: None)
    except ValueError:  # not the main thread, which alone gets interrupts
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


COMMANDS = (
    Command(
        "X",
        FreeText("<program> [<arguments>]", missing="takes a program and its arguments."),
        "Run a program through the shell",
        run_x,
        details=("X ls -l dirdat", "A semicolon outside double quotes begins the next command."),
    ),
)
