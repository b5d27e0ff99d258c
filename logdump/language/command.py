"""What a command is: one entry of the registry, from which HELP, completion and the README's table are made."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from logdump.language.reader import Form
from logdump.session.events import Event
from logdump.session.session import Session

A = TypeVar("A")


class Origin(enum.Enum):
    """Where a command comes from."""

    LOGDUMP = "Logdump"
    OURS = "ours"


class Aliases(enum.Enum):
    """How the syntax shows the aliases of a command."""

    EITHER = "NAME | ALIAS"
    BESIDE = "NAME (ALIAS)"
    HIDDEN = "NAME"


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


class Command(NamedTuple, Generic[A]):
    """One command.

    Attributes:
        name: its full name, upper case.
        form: what its arguments look like; it makes them the value that ``run`` takes.
        summary: one line.
        run: takes the session and the arguments; yields events.
        aliases: other spellings, which the syntax shows as ``shows_aliases`` says.
        details: further lines for HELP <command>.
        terms: gives the words that HELP <command> lists and HELP <command> <term> explains, when they are asked for.
        origin: Logdump's, or ours: ours take part in no abbreviation.
    """

    name: str
    form: Form[A]
    summary: str
    run: Callable[[Session, A], Iterable[Event]]
    aliases: tuple[str, ...] = ()
    shows_aliases: Aliases = Aliases.EITHER
    details: tuple[str, ...] = ()
    terms: Callable[[], tuple[Term, ...]] = no_terms
    origin: Origin = Origin.LOGDUMP

    @property
    def syntax(self) -> str:
        """As HELP prints it, name included."""
        names = self.name
        if self.shows_aliases is Aliases.EITHER:
            names = " | ".join((self.name, *self.aliases))
        elif self.shows_aliases is Aliases.BESIDE:
            names = f"{self.name} ({', '.join(self.aliases)})"
        return f"{names} {self.form.grouped}".rstrip()


AnyCommand = Command[Any]
"""A command of the registry, whatever its arguments are."""
