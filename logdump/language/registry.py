"""All commands, by name, alias and abbreviation."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from logdump.language.command import Command, Origin
from logdump.session import CommandError

_SHORTEST_ABBREVIATION = 3


class Registry:
    """The commands that a session knows.

    A word is looked up as a name, as an alias, then as an abbreviation of at least three letters that fits only one of
    Logdump's own commands; our commands are spelled in full.
    """

    def __init__(self, commands: Iterable[Command]) -> None:
        self.commands = tuple(commands)
        self._exact = {word: one for one in self.commands for word in (one.name, *one.aliases)}

    def words(self) -> list[str]:
        """Every name and alias."""
        return sorted(self._exact)

    def find(self, word: str) -> Command:
        """The command that ``word`` means.

        Raises:
            CommandError: none, or more than one.
        """
        word = word.upper()
        if word in self._exact:
            return self._exact[word]
        fitting = [
            one
            for one in self.commands
            if one.origin is Origin.LOGDUMP
            and len(word) >= _SHORTEST_ABBREVIATION
            and any(name.startswith(word) for name in (one.name, *one.aliases))
        ]
        if len(fitting) == 1:
            return fitting[0]
        if fitting:
            raise CommandError(f"{word} is ambiguous: {', '.join(one.name for one in fitting)}.")
        raise CommandError(f"Unknown command: {word}.", self._hint(word))

    def _hint(self, word: str) -> str:
        near = get_close_matches(word, self.words(), n=3, cutoff=0.7)
        return f"Did you mean {' or '.join(near)}? HELP lists all commands." if near else "HELP lists all commands."
