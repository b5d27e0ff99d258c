"""LOG and WRITELOG: the session log."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from logdump.language.command import ArgumentError, Command
from logdump.language.words import is_keyword, split_words
from logdump.notation.escape import escape
from logdump.notation.times import current_timestamp, format_timestamp
from logdump.session.errors import CommandError
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat.search.peek import peek


def run_log(session: Session, arguments: str) -> Iterator[Event]:
    """Start or stop copying the session to a file, or tell which file."""
    words = split_words(arguments)
    if not words:
        yield say(f"Session log is {session.log.path or 'OFF'}")
    elif len(words) == 1 and is_keyword(words[0], "STOP"):
        yield from _stop(session)
    else:
        _start(session, _file_name(words))
        yield _mark(session, "opened")


def _file_name(words: list[str]) -> str:
    names = words[1:] if is_keyword(words[0], "TO") else words
    if len(names) != 1:
        raise ArgumentError("takes [TO] and one file name, or STOP; put a name with blanks into double quotes.")
    return names[0]


def _start(session: Session, name: str) -> None:
    path = Path(os.path.abspath(Path(name).expanduser()))  # noqa: PTH100 - resolve() follows links nobody named
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


def run_write_log(session: Session, arguments: str) -> Iterator[Event]:
    """Write a line of text to the session log."""
    if session.log.path is None:
        raise CommandError("There is no session log. LOG <filename> opens one.")
    is_quoted = len(arguments) > 1 and arguments[0] == arguments[-1] == '"' and '"' not in arguments[1:-1]
    session.log.write_line(escape(arguments[1:-1] if is_quoted else arguments))
    return iter(())


COMMANDS = (
    Command(
        "LOG",
        "LOG | OUT {[TO] <filename> | STOP}",
        "Copy the session to a file, or stop",
        run_log,
        aliases=("OUT",),
        options=("TO", "STOP"),
        details=(
            "LOG TO dirrpt/logdump.txt",
            "What is printed and what is entered is appended to the file, until LOG STOP or the end of the session.",
            "What a program started by X prints goes to the terminal alone.",
        ),
    ),
    Command(
        "WRITELOG",
        "WRITELOG <text>",
        "Write text to the session log",
        run_write_log,
        details=('WRITELOG "Before the first gap"', "LOG must be on."),
    ),
)
