"""A command: one entry of the registry, from which HELP, completion and the table of the documents are made."""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Iterable
from typing import Any, Generic, NamedTuple, TypeVar

from logdump.language.reader import Form
from logdump.session.events import Event
from logdump.session.session import Session

A = TypeVar("A")


class Origin(enum.Enum):
    """The origin of a command: Logdump, or this program."""

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
    """No terms: most commands have none."""
    return ()


class Command(NamedTuple, Generic[A]):
    """One command.

    Attributes:
        names: full name and aliases, as HELP shows them: ``OPEN | FROM | LOGTRAIL`` or ``POSITION (POS)``.
        form: the form of its arguments, which converts them to the argument of ``run``.
        summary: one line.
        run: called with the session and the arguments; yields events.
        details: further lines for HELP <command>.
        terms: returns the words that HELP <command> lists and HELP <command> <term> explains, on demand.
        origin: Logdump's, or ours: ours cannot be abbreviated.
        also: aliases that HELP does not show.
        is_narrowing: True if it restricts other commands: if it fails, these would read too much.
        is_one_shot: True if it needs no open trail, so that it can be run alone from a shell.
        stops: the effect of Ctrl+C on it.
    """

    names: str
    form: Form[A]
    summary: str
    run: Callable[[Session, A], Iterable[Event]]
    details: tuple[str, ...] = ()
    terms: Callable[[], tuple[Term, ...]] = no_terms
    origin: Origin = Origin.LOGDUMP
    also: tuple[str, ...] = ()
    is_narrowing: bool = False
    is_one_shot: bool = False
    stops: str = "Ctrl+C stops"

    @property
    def name(self) -> str:
        """Its full name in capitals."""
        return self.names.partition(" ")[0]

    @property
    def aliases(self) -> tuple[str, ...]:
        """All other spellings."""
        return (*re.findall(r"\w+", self.names)[1:], *self.also)

    @property
    def syntax(self) -> str:
        """The syntax as HELP prints it, names included."""
        return f"{self.names} {self.form.grouped}".rstrip()


AnyCommand = Command[Any]
"""A command of the registry, whatever its arguments are."""
