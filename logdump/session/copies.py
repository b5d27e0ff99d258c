"""What a copy of a trail may be written over: no file that is read, none of the same trail, a former copy at most."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from logdump.session.errors import CommandError
from logdump.session.session import Session
from trailformat import TrailName
from trailformat.trail.packed import status_of
from trailformat.trail.whole_file import is_copy

Key = TypeVar("Key")


def check_targets(
    session: Session, command: str, targets: Iterable[Path], read: Iterable[Path], *, replaces: bool
) -> None:
    """Check that a copy may be written.

    Args:
        session: the session.
        command: the command that writes it.
        targets: the files of the copy.
        read: the files that are read for it.
        replaces: True if existing copies may be replaced.

    Raises:
        CommandError: a target is read, would join the trail of a file that is read, or must not be replaced.
    """
    sources = list(read)
    same = _firsts(_identity, sources)
    trails = _firsts(_trail_of, sources)
    targets = list(targets)
    session.check_targets(targets, command)
    for target in targets:
        if _identity(target) in same:
            raise CommandError(f"{target} is read: {command} never writes over it.")
        if (trail := _trail_of(target)) in trails:
            raise CommandError(
                f"{target} would be a file of the trail of {trails[trail].name}: {command} takes another name."
            )
        if target.exists() and not replaces:
            raise CommandError(f"{target} exists already; {command} … TO {target.name} REPLACE replaces a copy.")
        if target.exists() and not is_copy(target):
            raise CommandError(f"{target} is not known to be a copy that this program has made: it is not replaced.")


def _firsts(key: Callable[[Path], Key | None], paths: list[Path]) -> dict[Key | None, Path]:
    """Return the first file with each key; files without a key are omitted."""
    firsts: dict[Key | None, Path] = {}
    for path in paths:
        if (value := key(path)) is not None:
            firsts.setdefault(value, path)
    return firsts


def _identity(path: Path) -> tuple[int, int] | None:
    """Return device and inode number of a file; None if there is no such file."""
    try:
        status = status_of(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _trail_of(path: Path) -> tuple[str, str] | None:
    """Return folder and prefix of the trail to which readers assign a file by its name; None without one."""
    name = TrailName.parse(path)
    return (os.path.realpath(path.parent), name.prefix) if name is not None and name.is_documented else None
