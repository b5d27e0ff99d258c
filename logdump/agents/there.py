"""The trails below folders, by the names of their files: what an agent asks for before anything else."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from logdump.session.errors import CommandError
from logdump.session.files import matching_files
from trailformat.codec.remote.path import path_of
from trailformat.codec.remote.url import is_url
from trailformat.errors import CannotRead, TrailError, reason_of
from trailformat.trail.packed import is_archive, known_size
from trailformat.trail.sequence import TrailName, trails_among

_MOST_FOLDERS = 2000
_MOST_ENTRIES = 200_000
_DEEPEST = 8
_ARCHIVES = (".tar", ".tgz", ".tar.gz", ".tar.xz", ".tar.zst", ".tar.bz2", ".zip")


class TrailsBelow:
    """Goes through folders, the nearest to the top first, and yields an object for each trail and each archive.

    Attributes:
        notes: sentences about what was not looked at.
    """

    def __init__(self) -> None:
        self.notes: list[str] = []
        self._folders = self._entries = 0
        self._has_said = False

    def objects(self, root: str) -> Iterator[dict[str, Any]]:
        """Yield the objects below a folder or the URL of one."""
        if is_url(root):
            yield from self._in_store(root)
            return
        waiting = [(root, 0)]
        while waiting:
            folder, depth = waiting.pop(0)
            if self._folders == _MOST_FOLDERS or self._entries >= _MOST_ENTRIES:
                self._say_too_much(folder)
                return
            self._folders += 1
            names, below = self._listed(folder)
            yield from self._of_folder(names)
            waiting += [(path, depth + 1) for path in below if depth < _DEEPEST]

    def _listed(self, folder: str) -> tuple[list[Path], list[str]]:
        """Return the files of a folder and its folders, by name; links to folders are not followed."""
        files, folders = list[Path](), list[str]()
        try:
            with os.scandir(folder) as entries:
                for entry in entries:
                    self._entries += 1
                    if self._entries >= _MOST_ENTRIES:
                        self._say_too_much(folder)
                        break
                    if entry.name.startswith("."):
                        continue
                    if entry.is_dir(follow_symlinks=False):
                        folders.append(entry.path)
                    elif entry.is_file():
                        files.append(Path(entry.path))
        except OSError as error:
            self.notes.append(f"{folder}: {reason_of(error)}")
        return sorted(files), sorted(folders)

    def _say_too_much(self, folder: str) -> None:
        if not self._has_said:
            self._has_said = True
            self.notes.append(f"There is too much to look at: {folder} and what follows it is left out. Give a folder.")

    def _of_folder(self, files: list[Path]) -> Iterator[dict[str, Any]]:
        trails, others = trails_among(files)
        for names in trails:
            if names and names[0].is_documented:
                yield _trail(names)
        for path in others:
            if path.name.endswith(_ARCHIVES) and is_archive(path):
                yield {"type": "archive", "trail": str(path), "bytes": _size([path])}

    def _in_store(self, url: str) -> Iterator[dict[str, Any]]:
        try:
            yield from self._of_folder(matching_files(str(path_of(url))))
        except (CommandError, TrailError, CannotRead, OSError) as error:
            self.notes.append(f"{url}: {str(error).splitlines()[0]}")


def _trail(names: list[TrailName]) -> dict[str, Any]:
    """Return the object of a trail."""
    paths = [name.path for name in names]
    return {
        "type": "trail",
        "trail": str(names[0].directory / names[0].prefix),
        "files": len(paths),
        "first_file": str(paths[0]),
        "last_file": str(paths[-1]),
        "bytes": _size(paths),
    }


def _size(paths: list[Path]) -> int | None:
    """Return the bytes of files as they are stored; None if any of them is gone."""
    try:
        return sum(known_size(path) for path in paths)
    except (OSError, CannotRead, TrailError):
        return None


def as_line(made: dict[str, Any]) -> str:
    """Return the line of an object for people."""
    size = "? bytes" if made["bytes"] is None else f"{made['bytes']:,} bytes"
    if made["type"] == "archive":
        return f"{made['trail']}  archive  {size}"
    first, last = Path(made["first_file"]).name, Path(made["last_file"]).name
    between = first if first == last else f"{first} to {last}"
    return f"{made['trail']}  {made['files']:,} file{'s' if made['files'] != 1 else ''}  {between}  {size}"
