"""SHOW and TIME."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.commands.env import run_env
from logdump.language.arguments import no_arguments, one_option
from logdump.language.command import ArgumentError, Command
from logdump.notation.conversions import ctime_lines, interpret_timestamp
from logdump.notation.times import current_timestamp
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat import IO_TYPES
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH

_MICROSECONDS = 1_000_000


def run_show(session: Session, arguments: str) -> Iterator[Event]:
    """Show one of the things that can be shown."""
    show = one_option(arguments, _SUBJECTS)
    if show is None:
        raise ArgumentError(f"takes one of {', '.join(_SUBJECTS)}.")
    yield from show(session, "")


def run_time(_session: Session, arguments: str) -> Iterator[Event]:
    """Show the present moment as a Julian timestamp, in GMT and local time, and as a C time."""
    no_arguments(arguments)
    now = current_timestamp()
    yield say(
        f"JulianTimestamp {now}",
        *interpret_timestamp(now),
        *ctime_lines((now - JULIAN_UNIX_EPOCH) // _MICROSECONDS),
    )


def _show_filter(session: Session, _arguments: str) -> Iterator[Event]:
    from logdump.filters import show  # noqa: PLC0415 - a session without FILTER starts faster

    yield say(*show(session.filters))


def _show_open(session: Session, _arguments: str) -> Iterator[Event]:
    paths = [session.trail.path] if session.has_trail else []
    paths += [session.log.path] if session.log.path else []
    yield say(*(f"{number} : {path}" for number, path in enumerate(paths))) if paths else say("No file is open")


def _show_record_types(_session: Session, _arguments: str) -> Iterator[Event]:
    yield say(*(f"{number} - {name}" for number, name in sorted(IO_TYPES.items())))


_SUBJECTS = {
    "ENV": run_env,
    "FILTER": _show_filter,
    "OPEN": _show_open,
    "RECTYPE": _show_record_types,
    "TIME": run_time,
}

COMMANDS = (
    Command(
        "SHOW",
        "SHOW | SH | SHO {ENV | FILTER | OPEN | RECTYPE | TIME}",
        "Show settings, filters, open files, record types, the time",
        run_show,
        aliases=("SH", "SHO"),
        options=tuple(_SUBJECTS),
        details=("SHOW RECTYPE", "SHOW OPEN lists the trail file and the session log."),
    ),
    Command("TIME", "TIME", "Show the current time: Julian, GMT, local", run_time),
)
