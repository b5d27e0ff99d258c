"""The error of a command."""

from __future__ import annotations


class CommandError(Exception):
    """A command that cannot be carried out: what is wrong, in lines for the user."""

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class ArgumentError(CommandError):
    """Arguments that do not fit; ``language.execute`` adds the command's name and syntax."""
