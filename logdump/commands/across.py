"""ACROSS: reading on in the next file of the trail, optionally up to a given one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from logdump.language.command import Command, Origin
from logdump.language.forms import Alternatives, Keyword, Maybe
from logdump.language.parameters import File, OneOf
from logdump.session.errors import CommandError, MissingFileError
from logdump.session.events import Event, say
from logdump.session.session import Session
from logdump.session.settings import Across
from trailformat.codec.remote.path import place
from trailformat.trail.sequence import names_around


def run_across(session: Session, choice: Across | str | None) -> Iterator[Event]:
    """Set ACROSS, or show it."""
    settings = session.settings
    if choice is None:
        end = f", up to {settings.across_to}" if settings.across_to is not None else ""
        yield say(f"ACROSS is {settings.across.name}{end}")
        return
    settings.across_to = _last(session, choice) if isinstance(choice, str) else None
    settings.across = choice if isinstance(choice, Across) else Across.ON


def _last(session: Session, name: str) -> Path:
    """The file that is named, of the open trail."""
    path = place(name).expanduser().absolute()
    if not path.is_file():
        raise MissingFileError(f"{name}: No such file.")
    if path not in [one.path for one in names_around(session.trail.path)]:
        raise CommandError(f"{name} is not a file of the open trail.")
    return path


COMMANDS = (
    Command(
        "ACROSS",
        Maybe(
            Alternatives(
                OneOf({"ON": Across.ON, "OFF": Across.OFF, "GAPS": Across.GAPS}), Keyword("TO", File("<file>"))
            ),
            is_shown=False,
        ),
        "Read on in the next file of the trail, at the end of the open one",
        run_across,
        details=(
            "ON: NEXT, SKIP, SCANFOR..., FIND, SAMETABLE and TRANSACTION read over the files of the trail, both ways;",
            "a line names each file. COUNT, CHECK, DDL and HEARTBEAT go over the open file and those after it;",
            "SAVE, EXPORT, REDO and UNDO from the position on, and leave the file of the last record open.",
            "Where a file between two is missing, they stop and name it; GAPS reads on. TO: ON, up to this file.",
        ),
        origin=Origin.OURS,
    ),
)
