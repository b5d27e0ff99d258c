"""The commands SHOW and TIME."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from logdump.commands.env import run_env
from logdump.language.command import Command
from logdump.language.forms import NOTHING
from logdump.language.parameters import OneOf
from logdump.notation.conversions import ctime_lines, interpret_timestamp
from logdump.notation.times import current_timestamp
from logdump.session.events import Event, say
from logdump.session.session import Session
from trailformat import IO_TYPES
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH

_MICROSECONDS = 1_000_000

Show = Callable[[Session, None], Iterator[Event]]


def run_show(session: Session, show: Show) -> Iterator[Event]:
    """Show one of the things that can be shown."""
    yield from show(session, None)


def run_time(_session: Session, _arguments: None) -> Iterator[Event]:
    """Show the present moment as a Julian timestamp, in GMT and local time, and as a C time."""
    now = current_timestamp()
    yield say(
        f"JulianTimestamp {now}",
        *interpret_timestamp(now),
        *ctime_lines((now - JULIAN_UNIX_EPOCH) // _MICROSECONDS),
    )


def _show_filter(session: Session, _arguments: None) -> Iterator[Event]:
    from logdump.filters import show  # noqa: PLC0415 - a session without FILTER starts faster

    yield say(*show(session.filters))


def _show_open(session: Session, _arguments: None) -> Iterator[Event]:
    paths = [session.trail.path] if session.has_trail else []
    paths += [session.log.path] if session.log.path else []
    yield say(*(f"{number} : {path}" for number, path in enumerate(paths))) if paths else say("No file is open")


def _show_record_types(_session: Session, _arguments: None) -> Iterator[Event]:
    yield say(*(f"{number} - {name}" for number, name in sorted(IO_TYPES.items())))


_SUBJECTS: dict[str, Show] = {
    "ENV": run_env,
    "FILTER": _show_filter,
    "OPEN": _show_open,
    "RECTYPE": _show_record_types,
    "TIME": run_time,
}

COMMANDS = (
    Command(
        "SHOW | SH | SHO",
        OneOf(_SUBJECTS, missing=f"takes one of {', '.join(_SUBJECTS)}."),
        "Show settings, filters, open files, record types, the time",
        run_show,
        details=("SHOW RECTYPE", "SHOW OPEN lists the trail file and the session log."),
    ),
    Command("TIME", NOTHING, "Show the current time: Julian, GMT, local", run_time),
)
