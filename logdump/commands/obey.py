"""OBEY: runs commands from a file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from logdump.language.command import Command
from logdump.language.execute import run_commands
from logdump.language.parameters import File
from logdump.language.words import MOST_CHARACTERS
from logdump.notation.escape import escape
from logdump.session.errors import CommandError
from logdump.session.events import Event, Failure
from logdump.session.session import Session
from trailformat.codec.regular_file import open_regular

_DEEPEST = 16
_MOST_FILES = 1000
"""Files that one OBEY leads to, at most: each could obey the next many times."""


class CommandFile:
    """The lines of a file of commands, read one by one.

    Attributes:
        number: that of the line read last, from 1.
    """

    def __init__(self, name: str, file: TextIO) -> None:
        self.number = 0
        self._name = name
        self._file = file

    def read(self) -> str | None:
        """The next line without its end; None after the last.

        Raises:
            CommandError: the file is no text, or cannot be read.
        """
        try:
            line = self._file.readline(MOST_CHARACTERS + 1)
        except OSError as error:
            raise CommandError(f"{self._name} cannot be read: {error.strerror}.") from error
        self.number += 1
        if len(line) > MOST_CHARACTERS or "\0" in line:
            raise CommandError(f"{self._name}, line {self.number}: this is not a file of commands.")
        return line.rstrip("\r\n") if line else None


def run_obey(session: Session, name: str) -> Iterator[Event]:
    """Run the commands of a file; what fails is reported with its line, and the rest runs."""
    path = Path(os.path.realpath(Path(name).expanduser()))
    if path in session.obeyed:
        raise CommandError(f"{name} is being obeyed already: a file cannot obey itself.")
    if len(session.obeyed) == _DEEPEST:
        raise CommandError(f"{name} is not obeyed: files can obey each other {_DEEPEST} deep.")
    if session.obeyed and session.obeyed_in_all >= _MOST_FILES:
        raise CommandError(f"{name} is not obeyed: one OBEY can lead to {_MOST_FILES} files.")
    try:
        file = os.fdopen(open_regular(path), encoding="utf-8-sig", errors="backslashreplace")
    except OSError as error:
        raise CommandError(f"{name} cannot be read: {error.strerror}.") from error
    outer_ask = session.ask
    commands = CommandFile(name, file)
    session.obeyed_in_all = session.obeyed_in_all + 1 if session.obeyed else 1
    session.obeyed.append(path)
    session.ask = lambda prompt: _read(session, commands, prompt)
    try:
        yield from _run(session, name, commands)
    finally:
        file.close()
        session.ask = outer_ask
        session.obeyed.pop()


def _read(session: Session, commands: CommandFile, prompt: str) -> str | None:
    """The next line of the file, which the session log has as if it had been typed."""
    line = commands.read()
    if line is not None:
        session.note_entered(escape(f"{prompt}{line}"))
    return line


def _run(session: Session, name: str, commands: CommandFile) -> Iterator[Event]:
    from logdump.commands import REGISTRY  # noqa: PLC0415 - OBEY is itself in the registry

    while not session.is_over and (line := _read(session, commands, session.prompt)) is not None:
        place = f"{name}, line {commands.number}: "
        for event in run_commands(session, REGISTRY, line):
            if isinstance(event, Failure):
                yield event._replace(lines=(place + event.lines[0], *event.lines[1:]))
            else:
                yield event


COMMANDS = (
    Command(
        "OBEY | O | SOURCE",
        File("<filename>", missing="takes a file name."),
        "Run the commands of a file",
        run_obey,
        details=(
            "OBEY dirprm/check.oby",
            "One line after the other; -- or # begins a comment. A file may obey another, 16 deep.",
            "A command that fails is reported with its line, and the rest runs.",
        ),
    ),
)
