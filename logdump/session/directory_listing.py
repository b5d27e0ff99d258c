"""FILES: the files of a directory, and which of them are trail files."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import NamedTuple

from logdump.notation.wildcard import matches
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.errors import CannotRead, reason_of
from trailformat.trail.peek import peek


class DirectoryEntry(NamedTuple):
    """A file or directory: its bytes and Julian time of change, None where not known; of a trail its number and CSN.

    ``problem`` is the reason for which it could not be looked at.
    """

    name: str
    is_directory: bool = False
    size: int | None = None
    modified: int | None = None
    seqno: int | None = None
    first_csn: str | None = None
    problem: str | None = None


class FilesShown(NamedTuple):
    """FILES: the contents of a directory."""

    directory: Path
    entries: tuple[DirectoryEntry, ...]


def list_directory(directory: Path, pattern: str) -> tuple[DirectoryEntry, ...]:
    """The entries whose name fits a wildcard, by name.

    Names that begin with a dot are listed when the wildcard does so too. Raises OSError.
    """
    names = sorted(entry.name for entry in directory.iterdir() if _is_wanted(entry.name, pattern))
    return tuple(_entry(directory / name) for name in names)


def _is_wanted(name: str, pattern: str) -> bool:
    if name.startswith(".") and not pattern.startswith("."):
        return False
    return matches(pattern, name, case_sensitive=True)


def _entry(path: Path) -> DirectoryEntry:
    try:
        status = path.stat()
    except OSError as error:
        return DirectoryEntry(path.name, problem=None if isinstance(error, FileNotFoundError) else reason_of(error))
    modified = status.st_mtime_ns // 1000 + JULIAN_UNIX_EPOCH
    if stat.S_ISDIR(status.st_mode):
        return DirectoryEntry(path.name, is_directory=True, modified=modified)
    entry = DirectoryEntry(path.name, size=status.st_size, modified=modified)
    try:
        peeked = peek(path) if stat.S_ISREG(status.st_mode) else None
    except CannotRead as error:
        return entry._replace(problem=error.problem)
    return entry._replace(seqno=peeked.seqno, first_csn=peeked.first_csn) if peeked else entry
