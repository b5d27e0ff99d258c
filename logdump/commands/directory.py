"""CD and FILES."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from logdump.language.arguments import one_path
from logdump.language.command import Command
from logdump.session.directory_listing import list_directory
from logdump.session.errors import CommandError
from logdump.session.events import Event, FilesShown, say
from logdump.session.session import Session


def run_cd(_session: Session, arguments: str) -> Iterator[Event]:
    """Change the current directory, or tell it."""
    name = one_path(arguments)
    if name is not None:
        try:
            os.chdir(Path(name).expanduser())
        except OSError as error:
            raise CommandError(f"The directory stays: {name}: {error.strerror}.") from error
    yield say(f"Current Directory is {Path.cwd()}")


def run_files(_session: Session, arguments: str) -> Iterator[Event]:
    """List files: those of a directory, those that fit a wildcard, or one."""
    path = Path(one_path(arguments) or ".").expanduser()
    directory, pattern = (path, "*") if path.is_dir() else (path.parent, path.name)
    try:
        entries = list_directory(directory, pattern)
    except OSError as error:
        raise CommandError(f"{directory}: {error.strerror}.") from error
    if not entries:
        raise CommandError(f"No file {path}." if pattern != "*" else f"No files in {directory.absolute()}.")
    yield FilesShown(directory.absolute(), entries)


COMMANDS = (
    Command(
        "CD",
        "CD | VOLUME | VOL | V <directory>",
        "Change the current directory, or tell it",
        run_cd,
        aliases=("VOLUME", "VOL", "V"),
        details=("CD /u01/ogg", "The open trail stays open."),
    ),
    Command(
        "FILES",
        "FILES | FI | DIR | FILEINFO [<directory> | <wildcard>]",
        "List files; of trails with sequence number and first CSN",
        run_files,
        aliases=("FI", "DIR", "FILEINFO"),
        details=(
            "FILES dirdat/lt*",
            "Without an argument those in the current directory. Put a name with blanks into double quotes.",
        ),
    ),
)
