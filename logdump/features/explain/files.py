"""The file of a trail in which a place of a text is: never another one, and only a regular file.

It is looked for as the text writes it, beside the open file, in the folders that are given, in the current folder, and
in its folder ``dirdat``.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path, PureWindowsPath
from typing import NamedTuple

from logdump.features.explain.log_lines import LogMessage
from logdump.features.explain.places import MessagePlace
from trailformat.codec.remote.path import path_of
from trailformat.errors import CannotRead, TrailError
from trailformat.trail.packed import entries_of, is_file
from trailformat.trail.sequence import TrailName, TrailSequence

_DIGITS = (9, 6)
_TRAILS = "dirdat"
"""The folder of trails in the home of GoldenGate."""
_HOME = re.compile(r"^\s*Current directory\s+(\S{1,1000})\s*$", re.MULTILINE)
_FOREIGN = re.compile(r"^[^\x00-\x7f]+")
"""A word of another language, which has no blank between it and a path."""


class NoFile(NamedTuple):
    """The reason why a place has no file, in a sentence, and whether a file is missing."""

    why: str
    is_missing: bool = False


class Surroundings(NamedTuple):
    """Where the files of a text may be.

    Attributes:
        opened: the open file; None without one.
        folders: folders to look in, the most likely one first, without the current one.
        given: folders that the user names, or those of an archive: a file of its name there is the one that is meant,
            wherever the path in the text leads on this machine.
    """

    opened: Path | None = None
    folders: tuple[Path, ...] = ()
    given: tuple[Path, ...] = ()

    @property
    def searched(self) -> tuple[Path, ...]:
        """The folders in the order in which they are searched, each once."""
        own = (self.opened.parent,) if self.opened is not None else ()
        return tuple(dict.fromkeys((*self.given, *own, *self.folders, Path.cwd(), Path.cwd() / _TRAILS)))


def around_log(path: Path) -> tuple[Path, ...]:
    """Return the folders in which a report or log of GoldenGate has the files that it names by a relative path."""
    folder = Path(os.path.abspath(path)).parent  # noqa: PTH100 - links stay
    homes = (folder, folder.parent)
    return (*homes, *(home / _TRAILS for home in homes))


def home_in(message: LogMessage) -> tuple[Path, ...]:
    """Return the home of GoldenGate, to which paths are relative, that INFO … DETAIL names; empty without one."""
    match = _HOME.search(f"{message.text}\n{message.below}")
    return (Path(match[1]),) if match is not None and Path(match[1]).is_absolute() else ()


def file_of(place: MessagePlace, around: Surroundings) -> Path | NoFile:
    """Return the file of a place, which exists.

    Without a name in the text, the number is that of a file of the open trail, or of the only trail of the folder
    that has it; an RBA alone is one of the open file.
    """
    if place.is_redo:
        return NoFile("The message names a place in a log of the database, not in a trail")
    names = list(_names(place, around))
    if names and (conflict := _conflict(place)):
        return NoFile(conflict, is_missing=True)
    for name in names:
        existing = name.found() or name.path  # a path into an archive is none that exists
        if is_file(existing):
            return Path(os.path.abspath(existing)) if not existing.is_absolute() else existing  # noqa: PTH100 - links
    if not place.names_file and around.opened is not None:
        return around.opened
    if place.file is None and place.trail is None and place.seqno is not None and around.opened is None:
        return _in_only_trail(place, around)
    return NoFile(f"{_why_none(place, names, around.opened)}{_others_of(names)}", place.names_file)


def _others_of(names: Sequence[TrailName]) -> str:
    """Return a sentence about the files of the trail that are in the first folder with any; empty without one."""
    for name in names:
        if not name.is_documented:
            continue
        try:
            files = TrailSequence(name.path).names
        except (TrailError, CannotRead):
            continue
        first, last = files[0].plain_path, files[-1].plain_path
        there = f"{first} to {last.name}" if len(files) > 1 else f"{first}"
        gone = ": it was purged, or moved" if name.seqno < files[0].seqno else ""
        return f". The trail there has {there}{gone}"
    return ""


def _in_only_trail(place: MessagePlace, around: Surroundings) -> Path | NoFile:
    """Return the file of a number in the only trail of the first folder with trails."""
    trail = _only_trail(around)
    if trail is None:
        return NoFile(_why_none(place, [], None), is_missing=True)
    return file_of(place._replace(trail=str(trail)), around)


def _only_trail(around: Surroundings) -> Path | None:
    """Return the only trail of the first folder with trails, as a path without a number; None if it has several."""
    for folder in around.searched:
        try:
            named = [TrailName.parse(entry) for entry in entries_of(folder)]
        except (OSError, ValueError, TrailError, CannotRead):
            continue
        prefixes = {name.prefix for name in named if name is not None and name.is_documented}
        if prefixes:
            return folder / prefixes.pop() if len(prefixes) == 1 else None
    return None


def first_file(around: Surroundings) -> Path | None:
    """Return the open file, else the first file of the only trail of the first folder with trails; None without one."""
    if around.opened is not None:
        return around.opened
    trail = _only_trail(around)
    return TrailSequence(trail).paths[0] if trail is not None else None


def _conflict(place: MessagePlace) -> str:
    """Return a sentence if the number of the file's name is another one than the message's; else an empty text."""
    if place.file is None or place.seqno is None or place.number == place.seqno:
        return ""
    return f"The message names both {place.file} and sequence number {place.seqno}: which of them its RBA is in is open"


def _why_none(place: MessagePlace, names: Sequence[TrailName], opened: Path | None) -> str:
    if not place.names_file:
        return "The message names no trail file: OPEN it, and EXPLAIN the message again"
    if place.file is not None:
        return f"{place.file} is not here: go to its folder, or OPEN a file beside it, and EXPLAIN the message again"
    if names and opened is not None and place.trail is None:
        return f"File {names[0].plain_path} is not here: without it there is no place"
    if place.trail is not None:
        what = f"File {place.seqno} of trail {place.trail}"
        return f"{what} is not here: go to its folder, or OPEN a file beside it, and EXPLAIN the message again"
    return f"The message names file {place.seqno} of a trail: OPEN a file of that trail, and EXPLAIN the message again"


def _names(place: MessagePlace, around: Surroundings) -> Iterator[TrailName]:
    """Yield the names that the file may have, the most likely one first."""
    if place.file is not None:
        for path in _paths(place.file, around):
            name = TrailName.parse(path)
            if name is not None:
                yield name
    elif place.seqno is not None and place.trail is not None:
        for path in _paths(place.trail, around):
            yield from (TrailName(path.parent, path.name, place.seqno, digits) for digits in _DIGITS)
    elif place.seqno is not None and around.opened is not None:
        name = TrailName.parse(around.opened)
        if name is not None and name.is_documented:
            widths = dict.fromkeys((name.digits, *_DIGITS))
            yield from (name._replace(seqno=place.seqno, digits=digits) for digits in widths)


def _paths(written: str, around: Surroundings) -> Iterator[Path]:
    """Yield a path as a message writes it, then under each folder; of an absolute one its name there."""
    plain = _FOREIGN.sub("", written)
    if plain != written:
        yield from _paths(plain, around)
    path, folders = _local(written), around.searched
    yield from (folder / path.name for folder in around.given)
    if path.is_absolute():
        yield path
    elif path.name != str(path):
        yield from (folder / path for folder in (Path.cwd(), *folders))
    yield from (folder / path.name for folder in folders)


def _local(written: str) -> Path:
    """Return a path of any system as one of this machine; of a Windows path only the name can be here."""
    return Path(PureWindowsPath(written).name) if "\\" in written else path_of(Path(written))
