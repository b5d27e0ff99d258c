"""What a command is: one entry of the registry, from which HELP, completion and the README's table are made."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import NamedTuple

from logdump.events import Event
from logdump.session import CommandError, Session

Run = Callable[[Session, str], Iterable[Event]]


class Origin(enum.Enum):
    """Where a command comes from."""

    LOGDUMP = "Logdump"
    OURS = "ours"


class Command(NamedTuple):
    """One command.

    Attributes:
        name: its full name, upper case.
        syntax: as HELP prints it, name included.
        summary: one line.
        run: takes the session and the text after the command word; yields events.
        aliases: other spellings.
        options: keywords that may follow, for completion; brackets mark what may be left out.
        details: further lines for HELP <command>.
        origin: Logdump's, or ours: ours take part in no abbreviation.
    """

    name: str
    syntax: str
    summary: str
    run: Run
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    origin: Origin = Origin.LOGDUMP


class ArgumentError(CommandError):
    """Arguments that do not fit; whoever runs the command adds its name and syntax."""
