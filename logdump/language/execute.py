"""Running a line: the one place where errors become messages."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.events import Event, Failure
from logdump.exit_status import ExitStatus
from logdump.language.command import ArgumentError
from logdump.language.registry import Registry
from logdump.language.words import first_word, split_commands
from logdump.render.hexdump import hexdump
from logdump.session import CommandError, Session
from trailformat import CannotWrite, NotATrail, PartialRecord, TrailError

_BYTES_SHOWN = 40


def run_line(session: Session, registry: Registry, line: str) -> Iterator[Event]:
    """Enter a line into the history and run its commands, one after the other, whatever becomes of each."""
    commands = split_commands(line)
    if commands:
        session.history.append(line.strip())
    for command in commands:
        if session.is_over:
            return
        yield from run_command(session, registry, command)


def run_command(session: Session, registry: Registry, text: str) -> Iterator[Event]:
    """Run one command; what goes wrong comes as a Failure."""
    word, arguments = first_word(text)
    try:
        command = registry.find(word)
    except CommandError as error:
        yield Failure(error.lines)
        return
    try:
        yield from command.run(session, arguments)
    except ArgumentError as error:
        yield Failure((f"{command.name}: {error.lines[0]}", *error.lines[1:], f"Syntax: {command.syntax}"))
    except CommandError as error:
        yield Failure(error.lines)
    except TrailError as error:
        yield Failure(tuple(_trail_error_lines(session, error)), ExitStatus.BAD_DATA)


def _trail_error_lines(session: Session, error: TrailError) -> Iterator[str]:
    """What is wrong, the bytes there, and what to do next."""
    if isinstance(error, NotATrail | CannotWrite) or error.rba is None or not session.has_trail:
        yield f"Error: {error}"
        return
    kind = "Partial" if isinstance(error, PartialRecord) else "Bad"
    detail = "".join(
        f", {word} {what}" for word, what in (("expected", error.expected), ("found", error.found)) if what
    )
    yield f"{kind} record found at RBA {error.rba}: {error.problem}{detail}"
    yield f"in {error.path}"
    yield from hexdump(session.trail.buffer[error.rba : error.rba + _BYTES_SHOWN])
    if isinstance(error, PartialRecord):
        yield "It may be still being written: NEXT tries again."
        return
    good = session.trail.next_good_header(error.rba + 1)
    if good is None:
        yield "No good header after it. SCANFORHEADER PREV (SFH PREV) goes back to the last one."
    else:
        yield f"Next good header at RBA {good}: SCANFORHEADER (SFH) goes there."
