"""The files into which a copy may be written: none of the source, and none that anything else has made."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from logdump.session.errors import CommandError
from logdump.session.session import Session
from trailformat import TrailName
from trailformat.trail.whole_file import is_copy


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
    for target in targets:
        session.check_target(target, "REPAIR")
        for source in sources:
            if _is_same(target, source):
                raise CommandError(f"{target} is read: REPAIR never writes over it.")
            if _is_beside(target, source):
                raise CommandError(
                    f"{target} would be a file of the trail of {source.name}: REPAIR takes another name."
                )
        if target.exists() and not replaces:
            raise CommandError(f"{target} exists already; REPAIR … TO {target.name} REPLACE replaces a copy.")
        if target.exists() and not is_copy(target):
            raise CommandError(f"{target} is not known to be a copy that REPAIR or SAVE has made: it is not replaced.")


def _is_same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _is_beside(target: Path, source: Path) -> bool:
    """Whether readers of a trail would take a file for one of its files."""
    names = TrailName.parse(target), TrailName.parse(source)
    if names[0] is None or names[1] is None or not (names[0].is_documented and names[1].is_documented):
        return False
    same_folder = os.path.realpath(target.parent) == os.path.realpath(source.parent)
    return same_folder and names[0].prefix == names[1].prefix
