"""The errors that commands raise, and the exit statuses of ``logdump``."""

from __future__ import annotations

import enum


class ExitStatus(enum.IntEnum):
    """Exit status under ``-c`` and ``-f``: that of the first failure."""

    OK = 0
    COMMAND_FAILED = 1
    USAGE = 2
    FINDINGS = 3
    BAD_DATA = 4
    INTERRUPTED = 130


class CommandError(Exception):
    """A command that cannot be executed: the message, in lines for the user, and the exit status."""

    status = ExitStatus.COMMAND_FAILED

    def __init__(self, *lines: str) -> None:
        super().__init__("\n".join(lines))
        self.lines = lines


class MissingFileError(CommandError):
    """A file of the trail is missing."""

    status = ExitStatus.BAD_DATA


class ArgumentError(CommandError):
    """Wrong arguments; ``language.execute`` adds the command's name and syntax."""
