"""Files that a word of a command names, similar names, directories, and the state of a file on disk."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from logdump.notation.text import matches, some_of
from logdump.session.errors import MissingFileError
from trailformat import TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import path_of
from trailformat.codec.timestamps import JULIAN_UNIX_EPOCH
from trailformat.errors import CannotRead, NotATrail, reason_of
from trailformat.trail import command_files
from trailformat.trail.name_list import names_in
from trailformat.trail.packed import entries_of, is_archive, is_file, is_special, members_of, status_of
from trailformat.trail.peek import peek
from trailformat.trail.sequence import TrailName, TrailSequence, is_unborn, next_file, trails_among

with on_demand:
    import difflib

_NUMBERED = re.compile(r"(.*?)0*([0-9]+)")
_MOST = 3
_CLOSE = 0.8


def near_files(path: Path) -> list[str]:
    """Return at most three names next to ``path``: those that match its wildcard, else the most similar ones.

    Names that differ only in case, or in the zeros before their number, are the most similar. Names with different
    numbers are never similar.
    """
    try:
        names = sorted(entry.name for entry in entries_of(path.parent) if is_file(entry) or entry.is_dir())
    except (OSError, ValueError, NotATrail, CannotRead):
        return []
    if any(wildcard in path.name for wildcard in "*?"):
        return [name for name in names if matches(path.name, name, case_sensitive=True)][:_MOST]
    same = [name for name in names if _plain(name) == _plain(path.name)]
    if same or _NUMBERED.fullmatch(path.name):
        return same[:_MOST]
    return difflib.get_close_matches(path.name, names, n=_MOST, cutoff=_CLOSE)


def _plain(name: str) -> tuple[str, ...]:
    """Return the parts of a name in lower case, without the zeros before its number."""
    match = _NUMBERED.fullmatch(name.lower())
    return match.groups() if match else (name.lower(),)


class DirectoryEntry(NamedTuple):
    """A file or directory: size in bytes and Julian time of change, None if unknown; for a trail file number and CSN.

    ``problem`` is the reason why it could not be examined.
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
    """Return the entries whose name matches a wildcard, sorted by name.

    Names that begin with a dot are included only if the wildcard begins with one. Raises OSError.
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


class FileState(NamedTuple):
    """The state of a file on disk.

    Attributes:
        size: its current size in bytes, that of the open file even if its name now refers to another one.
        is_gone: True if its name does not exist any more.
        is_replaced: True if its name refers to another file now.
        following: the file with the next number, None if it does not exist or has no records yet.
    """

    size: int
    is_gone: bool
    is_replaced: bool
    following: Path | None


def file_state(trail: TrailFile) -> FileState:
    """Return the current state of an open file."""
    name = TrailName.parse(trail.path)
    following = name.next.found() if name is not None else None
    if following is None and not os.path.lexists(trail.path) and is_file(trail.path):  # a member of an archive
        following = next_file(trail.path)[0]
    if following is not None and (not is_file(following) or is_unborn(following)):
        following = None
    try:
        there = status_of(trail.path)
    except OSError:
        return FileState(trail.size, is_gone=True, is_replaced=False, following=following)
    is_same = os.path.samestat(there, trail.status)
    return FileState(trail.size, is_gone=False, is_replaced=not is_same, following=following)


_WILD = "*?"
_TRAIL_NAME_LENGTH = 2


FileNames = str | Sequence[Path]
"""A word of a command that names files, or the files themselves, in order."""


def matching_files(wildcard: FileNames) -> list[Path]:
    """Return the named files: trail after trail, each in the order of writing, then files of no trail.

    ``wildcard`` is a wildcard, a file, the name of a trail without a number, a folder or an archive (the trail files
    in it), or several of these with commas between them.

    Raises:
        CommandError: there are none, or their directory cannot be read.
    """
    if not isinstance(wildcard, str):
        command_files.announce(list(wildcard))
        return list(wildcard)
    try:
        matching = list(dict.fromkeys(path for word in [*names_in(wildcard)] or [""] for path in _named(word)))
    except NotATrail as error:  # an archive that is damaged
        raise MissingFileError(f"Error: {error}") from error
    trails, other_paths = trails_among(matching)
    paths = [*(name.path for trail in trails for name in trail), *other_paths]
    command_files.announce(paths)
    return paths


def _named(word: str) -> list[Path]:
    """Return the files of one word."""
    pattern = path_of(word).absolute()
    if pattern.is_dir() or is_archive(pattern):
        return _trail_files_in(pattern, word)
    if is_file(pattern):
        return [pattern]
    if is_special(pattern):
        raise MissingFileError(f"{pattern}: it is not a regular file.")
    try:
        entries = [entry for entry in entries_of(pattern.parent) if is_file(entry)]
    except OSError as error:
        raise MissingFileError(f"{pattern.parent}: {reason_of(error)}") from error
    matching = [entry for entry in entries if matches(pattern.name, entry.name, case_sensitive=True)]
    if (
        not matching
        and len(pattern.name) == _TRAIL_NAME_LENGTH
        and not any(wildcard in pattern.name for wildcard in _WILD)
    ):
        try:
            return list(TrailSequence(pattern).paths)
        except NotATrail:
            pass
    if not matching:
        raise MissingFileError(f"No file matches {word}.")
    return matching


def _trail_files_in(folder: Path, word: str) -> list[Path]:
    try:
        entries = members_of(folder) if is_archive(folder) else filter(Path.is_file, folder.iterdir())
        names = {entry: TrailName.parse(entry) for entry in entries}
    except OSError as error:
        raise MissingFileError(f"{folder}: {reason_of(error)}") from error
    paths = [name.path for name in names.values() if name is not None and name.is_documented]
    if not paths:
        where = word if word.strip("./") else folder.absolute()
        raise MissingFileError(f"No trail file is in {where}{_other_files(names)}.")
    return paths


def _other_files(files: Collection[Path]) -> str:
    """Return the names of files that are no trail files, as the end of a sentence: one may be an archive itself."""
    names = sorted(file.name for file in files if not file.name.startswith("."))
    return f"; it holds {some_of(names, _MOST)}" if names else ""
