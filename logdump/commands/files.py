"""OPEN, NEXTTRAIL; the current directory and the files in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from logdump.language.command import Command
from logdump.language.forms import NOTHING, Maybe
from logdump.language.parameters import File
from logdump.session.errors import CommandError, ExitStatus, MissingFileError
from logdump.session.events import Event, Notice, say
from logdump.session.session import Session
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.errors import reason_of
from trailformat.trail.packed import WHOLE

with on_demand:
    from logdump.session import files
    from trailformat.trail import sequence


def run_cd(_session: Session, name: str | None) -> Iterator[Event]:
    """Change the current directory, or show it."""
    if name is not None:
        try:
            os.chdir(path_of(Path(name)))
        except OSError as error:
            raise CommandError(f"The directory was not changed: {name}: {reason_of(error)}.") from error
    yield say(f"Current Directory is {Path.cwd()}")


def run_files(_session: Session, name: str | None) -> Iterator[Event]:
    """List the files of a directory, the files that match a wildcard, or one file."""
    path = path_of(name or ".")
    directory, pattern = (path, "*") if path.is_dir() else (path.parent, path.name)
    try:
        entries = files.list_directory(directory, pattern)
    except OSError as error:
        raise MissingFileError(f"{directory}: {reason_of(error)}.") from error
    if not entries:
        raise MissingFileError(f"No file {path}." if pattern != "*" else f"No files in {directory.absolute()}.")
    yield files.FilesShown(directory.absolute(), entries)
    if lines := tuple(f"{directory / entry.name}: {entry.problem}" for entry in entries if entry.problem is not None):
        yield Notice(lines, ExitStatus.COMMAND_FAILED)


def run_open(session: Session, path: str | None) -> Iterator[Event]:
    """Open a trail file, or show which is open."""
    if path is not None:
        session.open(path)
    elif not session.has_trail:
        yield say("LogTrail is *Not Open*")
        return
    yield say(f"Current LogTrail is {session.trail.path}")
    if session.trail.packing == WHOLE:
        yield say(f"The server does not support range requests: a copy of {session.trail.size:,} bytes is read")
    elif session.trail.packing is not None:
        yield say(f"It is packed ({session.trail.packing}): read from an unpacked copy of {session.trail.size:,} bytes")


def run_next_trail(session: Session, _arguments: None) -> Iterator[Event]:
    """Close the file and open the one with the next sequence number."""
    old = session.trail.path
    name = sequence.TrailName.parse(old)
    if name is None:
        raise CommandError(f"{old} has no sequence number, so there is no next trail file.")
    session.open(name.next.found() or name.next.plain_path)
    yield say(f"LogTrail {old} closed", f"Current LogTrail is {session.trail.path}")


COMMANDS = (
    Command(
        "OPEN | FROM | LOGTRAIL",
        Maybe(File("<filename>")),
        "Open a trail file, or show which is open",
        run_open,
        details=("A name of two characters (dirdat/lt) opens the first file of that trail.",),
    ),
    Command(
        "NEXTTRAIL (NT)",
        NOTHING,
        "Close the file, open the next of the trail",
        run_next_trail,
    ),
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
