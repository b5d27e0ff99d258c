"""The files into which a copy may be written: none of the source, and none that anything else has made."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from logdump.session.errors import CommandError
from logdump.session.session import Session
from trailformat import TrailName
from trailformat.trail.whole_file import is_copy

Key = TypeVar("Key")


def targets_from(first: Path, number: int) -> list[Path]:
    """The names of so many files, from the first one on.

    Raises:
        CommandError: the first has no number, and there are several.
    """
    name = TrailName.parse(first)
    if number > 1 and name is None:
        raise CommandError(f"{first.name} has no number: a copy of {number} files takes a name like lt000000000.")
    targets = [first]
    while name is not None and len(targets) < number:
        name = name.next
        targets.append(name.path)
    return targets


def check_targets(session: Session, targets: Iterable[Path], read: Iterable[Path], *, replaces: bool) -> None:
    """See that a copy may be written.

    Args:
        session: the session.
        targets: its files.
        read: the files that it is made of.
        replaces: whether copies that are there may be replaced.

    Raises:
        CommandError: it may not.
    """
    sources = list(read)
    same = _firsts(_identity, sources)
    beside = _firsts(_trail_of, sources)
    for target in targets:
        session.check_target(target, "REPAIR")
        if _identity(target) in same:
            raise CommandError(f"{target} is read: REPAIR never writes over it.")
        if (trail := _trail_of(target)) in beside:
            raise CommandError(
                f"{target} would be a file of the trail of {beside[trail].name}: REPAIR takes another name."
            )
        if target.exists() and not replaces:
            raise CommandError(f"{target} exists already; REPAIR … TO {target.name} REPLACE replaces a copy.")
        if target.exists() and not is_copy(target):
            raise CommandError(f"{target} is not known to be a copy that REPAIR or SAVE has made: it is not replaced.")


def _firsts(key: Callable[[Path], Key | None], paths: list[Path]) -> dict[Key | None, Path]:
    """The first file of each key; those without one are left out."""
    found: dict[Key | None, Path] = {}
    for path in paths:
        if (one := key(path)) is not None:
            found.setdefault(one, path)
    return found


def _identity(path: Path) -> tuple[int, int] | None:
    """The device and number of a file; None where there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _trail_of(path: Path) -> tuple[str, str] | None:
    """The folder and prefix of the trail to which readers would take a file to belong."""
    name = TrailName.parse(path)
    return (os.path.realpath(path.parent), name.prefix) if name is not None and name.is_documented else None
