"""Lists of names of files, trails, folders and wildcards with commas between them; a name may have commas itself.

``dirdat/lt,dirdat/xt`` are two trails; ``old,new/lt`` is one trail if there is such a one, even where there is a folder
``old`` too.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from trailformat.codec.remote.path import RemotePath, path_of
from trailformat.codec.remote.url import is_url
from trailformat.errors import NotATrail, TrailError
from trailformat.trail.packed import entries_of, is_file
from trailformat.trail.sequence import TrailName

_BETWEEN = ","
_MOST_COMMAS = 8
"""Most commas in the name of a file in a store, and in a wildcard: each is looked for."""
_TRAIL_NAME_LENGTH = 2
_MOST_SHOWN = 200


def names_in(text: str) -> Iterator[str]:
    """Yield the names of a list, without blanks around them: the longest ones of which there is a file or folder.

    A comma of the name of a folder is part of it also if the file in it is not there, and one of the names that the
    comma would part is not there either.
    """
    parts = text.split(_BETWEEN)
    at, folders = 0, _Folders()
    while at < len(parts):
        size = folders.size(parts, at)
        if name := _BETWEEN.join(parts[at : at + size]).strip():
            yield name
        at += size


def list_of(names: Sequence[str]) -> str:
    """Return the list of some names, each of which may be a list, that is read back as these.

    Raises:
        NotATrail: there is none.
    """
    wanted = [name for text in names for name in names_in(text)]
    for written in (names, [_from_here(name) for name in wanted]):
        if [*map(_plain, names_in(_BETWEEN.join(written)))] == [*map(_plain, wanted)]:
            return _BETWEEN.join(written)
    problem = "names other files than these, since some of the names have commas: name one at a time"
    raise NotATrail(f"{_BETWEEN.join(names)[:_MOST_SHOWN]} {problem}")


def _from_here(name: str) -> str:
    return name if name.startswith(("/", "~", "./")) or is_url(name) else f"./{name}"


def _plain(name: str) -> str:
    return name.removeprefix("./")


class _Folders:
    """Looks for names, and lists each folder once."""

    def __init__(self) -> None:
        self._entries: dict[str, Collection[str]] = {}

    def size(self, parts: Sequence[str], at: int) -> int:
        """Return the number of parts that are one name, from an index on."""
        names = [parts[at].strip()]
        while at + len(names) < len(parts) and self._may_go_on(names, parts[at + len(names)]):
            names.append(_BETWEEN.join(parts[at : at + len(names) + 1]).strip())
        sizes = range(len(names), 1, -1)
        longest = next((size for size in sizes if is_there(names[size - 1])), 1)
        for size in sizes:
            others = (names[longest - 1], *parts[at + longest : at + size])
            if size > longest and _is_in_folder_of(names[size - 1]) and not all(map(is_there, others)):
                return size
        return longest

    def _may_go_on(self, names: Sequence[str], part: str) -> bool:
        """Return whether a name may go on with a comma and another part."""
        name = names[-1]
        if is_url(part.strip()):
            return False
        if is_url(name) or glob.has_magic(name):
            return len(names) <= _MOST_COMMAS
        folder, tail = os.path.split(name)
        return any(entry.startswith(f"{tail}{_BETWEEN}") for entry in self._with_commas(folder))

    def _with_commas(self, folder: str) -> Collection[str]:
        """Return the names in a folder that have commas."""
        if folder not in self._entries:
            try:
                entries = [entry.name for entry in entries_of(path_of(folder or os.curdir))]
            except (OSError, ValueError, TrailError):
                entries = []
            self._entries[folder] = [name for name in entries if _BETWEEN in name]
        return self._entries[folder]


def is_there(name: str) -> bool:
    """Return whether there is a file, folder or trail of this name, or one that a wildcard matches."""
    try:
        path = path_of(name.strip())
        if is_file(path) or path.is_dir():
            return True
        if glob.has_magic(name) and not isinstance(path, RemotePath) and any(glob.iglob(str(path))):  # noqa: PTH207 - a path may be absolute
            return True
        names = map(TrailName.parse, entries_of(path.parent) if len(path.name) == _TRAIL_NAME_LENGTH else ())
        return any(name is not None and name.prefix == path.name for name in names)
    except (OSError, ValueError, TrailError):
        return False


def _is_in_folder_of(name: str) -> bool:
    """Return whether the folder of a name is there and has a comma in its own."""
    folder = os.path.split(name)[0]
    try:
        return _BETWEEN in folder and Path.is_dir(path_of(folder))
    except (OSError, ValueError, TrailError):
        return False
