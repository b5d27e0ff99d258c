"""The files that a word in a command names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from logdump.notation.wildcard import matches
from logdump.session.errors import MissingFileError
from trailformat.codec.remote.path import place
from trailformat.errors import NotATrail
from trailformat.records import reached
from trailformat.trail.packed import entries_of, is_archive, is_file, members_of
from trailformat.trail.sequence import TrailName, TrailSequence, trails_among

_WILD = "*?"
_BETWEEN = ","
_MOST_COMMAS = 8
"""Commas in one name."""
_TRAIL_NAME_LENGTH = 2


FileNames = str | Sequence[Path]
"""What names files: the word of a command, or the files themselves, in order."""


def matching_files(wildcard: FileNames) -> list[Path]:
    """The files that are named, trail after trail in the order in which each was written; then those of no trail.

    ``wildcard`` is a wildcard, a file, the name of a trail without a number, a folder or an archive (the trail files
    in it), or several of these with commas between them.

    Raises:
        CommandError: there are none, or their directory cannot be read.
    """
    if not isinstance(wildcard, str):
        reached.announce(list(wildcard))
        return list(wildcard)
    matching = list(dict.fromkeys(path for word in _words(wildcard) if word for path in _named(word)))
    trails, others = trails_among(matching)
    paths = [*(name.path for trail in trails for name in trail), *others]
    reached.announce(paths)
    return paths


def _words(text: str) -> Iterator[str]:
    """The words between commas; a comma may also be part of the name of a file or folder that is there."""
    parts = text.split(_BETWEEN)
    while parts:
        joined = [_BETWEEN.join(parts[:number]).strip() for number in range(1, _MOST_COMMAS + 2)]
        size = next((number for number, word in enumerate(joined, 1) if _is_there(place(word).expanduser())), 1)
        yield joined[size - 1]
        del parts[:size]


def _is_there(path: Path) -> bool:
    return is_file(path) or path.is_dir()


def _named(word: str) -> list[Path]:
    """The files of one word."""
    pattern = place(word).expanduser().absolute()
    if pattern.is_dir() or is_archive(pattern):
        return _trail_files_in(pattern, word)
    if is_file(pattern):
        return [pattern]
    try:
        entries = [entry for entry in entries_of(pattern.parent) if is_file(entry)]
    except OSError as error:
        raise MissingFileError(f"{pattern.parent}: {error.strerror}") from error
    matching = [entry for entry in entries if matches(pattern.name, entry.name, case_sensitive=True)]
    if not matching and len(pattern.name) == _TRAIL_NAME_LENGTH and not any(one in pattern.name for one in _WILD):
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
        names = [TrailName.parse(entry) for entry in entries]
    except OSError as error:
        raise MissingFileError(f"{folder}: {error.strerror}") from error
    paths = [name.path for name in names if name is not None and name.is_documented]
    if not paths:
        raise MissingFileError(f"No trail file is in {word}.")
    return paths
