"""The commands CD and FILES."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from logdump.language.command import Command
from logdump.language.forms import Maybe
from logdump.language.parameters import File
from logdump.session.directory_listing import FilesShown, list_directory
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from logdump.session.events import Event, Notice, say
from logdump.session.session import Session
from trailformat.codec.remote.path import place


def run_cd(_session: Session, name: str | None) -> Iterator[Event]:
    """Change the current directory, or show it."""
    if name is not None:
        try:
            os.chdir(Path(name).expanduser())
        except OSError as error:
            raise CommandError(f"The directory stays: {name}: {error.strerror}.") from error
    yield say(f"Current Directory is {Path.cwd()}")


def run_files(_session: Session, name: str | None) -> Iterator[Event]:
    """List files: those of a directory, those that fit a wildcard, or one."""
    path = place(name or ".").expanduser()
    directory, pattern = (path, "*") if path.is_dir() else (path.parent, path.name)
    try:
        entries = list_directory(directory, pattern)
    except OSError as error:
        raise MissingFileError(f"{directory}: {error.strerror}.") from error
    if not entries:
        raise MissingFileError(f"No file {path}." if pattern != "*" else f"No files in {directory.absolute()}.")
    yield FilesShown(directory.absolute(), entries)
    if lines := tuple(f"{directory / one.name}: {one.problem}" for one in entries if one.problem is not None):
        yield Notice(lines, ExitStatus.COMMAND_FAILED)


COMMANDS = (
    Command(
        "CD | VOLUME | VOL | V",
        Maybe(File("<directory>"), is_shown=False),
        "Change the current directory, or show it",
        run_cd,
        details=("CD /u01/ogg", "The open trail stays open."),
    ),
    Command(
        "FILES | FI | DIR | FILEINFO",
        Maybe(File("<directory> | <wildcard>")),
        "List files; of trails with sequence number and first CSN",
        run_files,
        details=(
            "FILES dirdat/lt*",
            "Without an argument those in the current directory. Put a name with blanks into double quotes.",
        ),
        is_one_shot=True,
    ),
)
