"""What a command is: one entry of the registry, from which HELP, completion and the README's table are made."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import NamedTuple

from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.session import Session

Run = Callable[[Session, str], Iterable[Event]]


class Origin(enum.Enum):
    """Where a command comes from."""

    LOGDUMP = "Logdump"
    OURS = "ours"


class Term(NamedTuple):
    """A word that a command takes and that has its own explanation: its syntax, what it does, an example.

    ``words`` are all spellings of ``keyword``.
    """

    keyword: str
    syntax: str
    summary: str
    example: str
    words: tuple[str, ...]


def no_terms() -> tuple[Term, ...]:
    """What most commands have."""
    return ()


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
        terms: gives the words that HELP <command> lists and HELP <command> <term> explains, when they are asked for.
        origin: Logdump's, or ours: ours take part in no abbreviation.
    """

    name: str
    syntax: str
    summary: str
    run: Run
    aliases: tuple[str, ...] = ()
    options: tuple[str, ...] = ()
    details: tuple[str, ...] = ()
    terms: Callable[[], tuple[Term, ...]] = no_terms
    origin: Origin = Origin.LOGDUMP


class ArgumentError(CommandError):
    """Arguments that do not fit; whoever runs the command adds its name and syntax."""
