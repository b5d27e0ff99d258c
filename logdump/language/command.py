"""Commands and their registry, from which HELP, completion and the tables of the reference are generated."""

from __future__ import annotations

import enum
import importlib
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from logdump.language.reader import Form
from logdump.session.errors import CommandError
from logdump.session.events import Event
from logdump.session.session import Session, is_trail
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of

with on_demand:
    import difflib

    from logdump.session import files

A = TypeVar("A")


class Origin(enum.Enum):
    """Where a command comes from: Logdump, or this program."""

    LOGDUMP = "Logdump"
    OURS = "ours"


class Term(NamedTuple):
    """A word that a command takes and that HELP explains by itself: its syntax, what it does, an example.

    ``words`` are all spellings of ``keyword``.
    """

    keyword: str
    syntax: str
    summary: str
    example: str
    words: tuple[str, ...]


def no_terms() -> tuple[Term, ...]:
    """Return no terms, for the commands whose words need no explanation of their own."""
    return ()


class Command(NamedTuple, Generic[A]):
    """A command of the registry.

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
        """The full name in capitals."""
        return self.names.partition(" ")[0]

    @property
    def aliases(self) -> tuple[str, ...]:
        """All other names, those that HELP does not show included."""
        return (*re.findall(r"\w+", self.names)[1:], *self.also)

    @property
    def syntax(self) -> str:
        """The names and the arguments, as HELP prints them."""
        return f"{self.names} {self.form.grouped}".rstrip()


AnyCommand = Command[Any]
"""A command with arguments of any type."""


_SHORTEST_ABBREVIATION = 3


_MESSAGE_NUMBER = re.compile(r"\bOGG-[0-9]{3,6}\b", re.IGNORECASE)


def is_message(text: str) -> bool:
    """Return True if a text has the number of a message of GoldenGate."""
    return _MESSAGE_NUMBER.search(text) is not None


class Registry:
    """The commands of a session.

    A word is looked up as a name, then as an alias, then as an abbreviation. An abbreviation has at least three letters
    and fits only one of Logdump's own commands, or one whose name begins all the others that it fits (NEXT, not
    NEXTTRAIL). Commands of this program are spelled in full. A module is loaded when a command of it is found.

    Args:
        homes: modules and the names and aliases of the commands that each defines, in the order of HELP.
        elsewhere: words of other programs, and the sentence that names the command to use here.
        for_messages: name of the command that explains messages of GoldenGate; empty without one.
    """

    def __init__(
        self, homes: Sequence[tuple[str, list[str]]], elsewhere: dict[str, str], for_messages: str = ""
    ) -> None:
        self._elsewhere, self._for_messages = elsewhere, for_messages
        self._homes = {word: module for module, words in homes for word in words}
        self._loaded: dict[str, AnyCommand] = {}

    @property
    def commands(self) -> tuple[AnyCommand, ...]:
        """All commands, in the order of HELP."""
        commands = (self.find(word) for word in self._homes)
        return tuple({command.name: command for command in commands}.values())

    def words(self) -> list[str]:
        """Return all names and aliases, sorted."""
        return sorted(self._homes)

    def knows(self, word: str) -> bool:
        """Return True if a word is the name, an alias or an abbreviation of one or more commands."""
        return word.upper() in self._homes or bool(self._abbreviated(word.upper()))

    def for_message(self, text: str) -> AnyCommand | None:
        """Return the command that explains a text with the number of a message of GoldenGate; None for others."""
        return self.find(self._for_messages) if self._for_messages and is_message(text) else None

    def _load(self, module: str) -> tuple[AnyCommand, ...]:
        commands: tuple[AnyCommand, ...] = importlib.import_module(module).COMMANDS
        self._loaded |= {word: command for command in commands for word in (command.name, *command.aliases)}
        return commands

    def find(self, word: str) -> AnyCommand:
        """Return the command that ``word`` names or abbreviates.

        Raises:
            CommandError: ``word`` fits no command, or more than one.
        """
        entered, word = word, word.upper()
        if word in self._homes:
            if word not in self._loaded:
                self._load(self._homes[word])
            return self._loaded[word]
        fitting = self._abbreviated(word)
        shortest = [command for command in fitting if all(other.name.startswith(command.name) for other in fitting)]
        if shortest:
            return shortest[0]
        if fitting:
            raise CommandError(f"{word} is ambiguous: {', '.join(command.name for command in fitting)}.")
        if is_trail(entered):
            raise CommandError(f"Unknown command: {entered}.", f"It is a file: OPEN {entered} opens it.")
        if any(character.isdigit() for character in word) and (near := files.near_files(path_of(entered))):
            raise CommandError(f"Unknown command: {entered}.", f"Did you mean the file {' or '.join(near)}?")
        raise CommandError(f"Unknown command: {word}.", self._hint(word))

    def _abbreviated(self, word: str) -> list[AnyCommand]:
        """Return the commands that ``word``, in capitals, abbreviates."""
        if len(word) < _SHORTEST_ABBREVIATION or not word.isalpha():
            return []
        commands = (self.find(name) for name in self._homes if name.startswith(word))
        fitting = {command.name: command for command in commands}.values()
        return [command for command in fitting if command.origin is Origin.LOGDUMP]

    def _hint(self, word: str) -> str:
        if word in self._elsewhere:
            return f"{self._elsewhere[word]} HELP lists all commands."
        begun = [name for name in self.words() if len(word) > 1 and name.startswith(word)]
        near = begun or difflib.get_close_matches(word, self.words(), n=3, cutoff=0.7)
        return f"Did you mean {' or '.join(near)}? HELP lists all commands." if near else "HELP lists all commands."
