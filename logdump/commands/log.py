"""LOG and WRITELOG: the session log."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.language.command import Command
from logdump.language.forms import Alternatives, Maybe, Sequence
from logdump.language.parameters import File, FreeText, OneOf
from logdump.notation.escape import escape
from logdump.notation.times import current_timestamp, format_timestamp
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat.trail.peek import peek


class Logging(NamedTuple):
    """The file that the session is copied to; None for none."""

    path: str | None


def run_log(session: Session, given: Logging | None) -> Iterator[Event]:
    """Start or stop copying the session to a file, or show which file."""
    if given is None:
        yield say(f"Session log is {session.log.path or 'OFF'}")
    elif given.path is None:
        yield from _stop(session)
    else:
        _start(session, given.path)
        yield _mark(session, "opened")


def _logging(_keyword: None, path: str) -> Logging:
    return Logging(path)


def _start(session: Session, name: str) -> None:
    path = Path(os.path.abspath(Path(name).expanduser()))  # noqa: PTH100 - resolve() follows links that were not named
    try:
        if path.is_file() and peek(path) is not None:
            raise CommandError(f"{path} is a trail file: the session log is not written into it.")
        session.check_target(path, "LOG")
        session.log.start(path)
    except OSError as error:
        raise CommandError(f"The session log {path} cannot be written: {error.strerror}.") from error


def _stop(session: Session) -> Iterator[Event]:
    if session.log.path is None:
        yield say("Session log is OFF")
        return
    yield _mark(session, "closed")
    try:
        session.log.stop()
    except OSError as error:
        raise CommandError(f"The session log is not complete: {error.strerror}.") from error


def _mark(session: Session, what: str) -> Event:
    now = format_timestamp(current_timestamp(), session.settings.time_offset)
    return say(f"--- Session log {session.log.path} {what} {now} ---")


def run_write_log(session: Session, text: str | None) -> Iterator[Event]:
    """Write a line of text to the session log."""
    if session.log.path is None:
        raise CommandError("There is no session log. LOG <filename> opens one.")
    text = text or ""
    is_quoted = len(text) > 1 and text[0] == text[-1] == '"' and '"' not in text[1:-1]
    session.log.write_line(escape(text[1:-1] if is_quoted else text))
    return iter(())


_FILES = "takes [TO] and one file name, or STOP; put a name with blanks into double quotes."

COMMANDS = (
    Command(
        "LOG | OUT",
        Maybe(
            Alternatives(
                Sequence(_logging, Maybe(OneOf({"TO": None})), File("<filename>", missing=_FILES)),
                OneOf({"STOP": Logging(None)}),
                surplus=_FILES,
            ),
            is_shown=False,
        ),
        "Copy the session to a file, or stop",
        run_log,
        details=(
            "LOG TO dirrpt/logdump.txt",
            "What is printed and what is entered is appended to the file, until LOG STOP or the end of the session.",
            "What a program started by X prints goes to the terminal alone.",
        ),
    ),
    Command(
        "WRITELOG",
        Maybe(FreeText("<text>"), is_shown=False),
        "Write text to the session log",
        run_write_log,
        details=('WRITELOG "Before the first gap"', "LOG must be on."),
    ),
)
