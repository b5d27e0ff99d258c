"""The folders and stores that agents may read, and the one decision whether a name is below them."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from trailformat.codec.remote.path import path_of
from trailformat.codec.remote.url import is_url
from trailformat.errors import NotATrail

_MOST_CHARACTERS = 4096
_MOST_SHOWN = 200
"""Characters of a name that a message has."""
_URL_STEP_UP = re.compile(r"(?i)(?:\.|%2e){2}|%2f|%5c|\\|[?#]")
"""Parts of a URL that lead out of a folder, or that stores read differently."""
_SCHEME = re.compile(r"(?i)[a-z][a-z0-9+.-]+:/")


class RefusedPath(ValueError):
    """A name that agents may not read."""


class Folders(NamedTuple):
    """The roots: folders with all links resolved, and URLs of stores without a slash at the end.

    Attributes:
        paths: the folders; the current folder of a call is the first one.
        urls: the URLs.
        current: the folder that relative names may also begin at.
    """

    paths: tuple[str, ...]
    urls: tuple[str, ...] = ()
    current: str = ""

    @classmethod
    def of(cls, words: Iterable[str]) -> Folders:
        """Return the roots that the words of a command line name, by default the current folder.

        Raises:
            RefusedPath: a word is not a folder, or the top of the file system.
        """
        paths, urls = list[str](), list[str]()
        for word in [*words] or ["."]:
            if is_url(word):
                if _URL_STEP_UP.search(word):
                    raise RefusedPath(f"{shown(word)} has characters that a URL of a folder must not have")
                urls.append(word.rstrip("/"))
                continue
            try:
                path = os.path.realpath(path_of(word))
            except (NotATrail, ValueError) as error:
                raise RefusedPath("an empty name names no folder") from error
            if not Path(path).is_dir():
                raise RefusedPath(f"{shown(word)} is no folder")
            if path == os.sep:
                raise RefusedPath("the top of the file system is no folder of trails: name those that have trails")
            paths.append(path)
        return cls(tuple(dict.fromkeys(paths)), tuple(dict.fromkeys(urls)), os.path.realpath(Path.cwd()))

    def admitted(self, name: str) -> str:
        """Return the path or URL that a name means: absolute, its links resolved, below the roots.

        A relative name begins at a root, at the folder of a root, or at the current folder, or at the only root if that
        is a URL. The last part may be a wildcard, or the prefix of a trail.

        Raises:
            RefusedPath: the name is not below the roots, is none, or is that of a device, a pipe or a socket.
        """
        _check_characters(name)
        if is_url(name):
            return self._admitted_url(name)
        if _SCHEME.match(name):
            raise RefusedPath(f"{shown(name)} is no path: a URL has to be below one that the server was started with")
        resolved = [os.path.realpath(path) for path in self._meant(name)]
        inside = [path for path in resolved if self._is_below(path) and not _is_special(path)]
        if not self.paths and len(self.urls) == 1 and not name.startswith(("/", "~")):
            return self._admitted_url(f"{self.urls[0]}/{name}")
        if not inside:
            roots = ", ".join([*self.paths, *self.urls])
            raise RefusedPath(f"{shown(name)} is not below the folders of this server: {roots}")
        path = next((path for path in inside if os.path.lexists(path)), None)
        return path or next((path for path in inside if _may_match(path)), inside[0])

    def _is_below(self, resolved: str) -> bool:
        """Return whether a path without links is one of the folders or below one."""
        return any(resolved == root or resolved.startswith(root + os.sep) for root in self.paths)

    def _admitted_url(self, name: str) -> str:
        below = any(name.rstrip("/") == root or name.startswith(f"{root}/") for root in self.urls)
        if not below or _URL_STEP_UP.search(name):
            raise RefusedPath(f"{shown(name)} is not below a URL that the server was started with")
        return name

    def _meant(self, name: str) -> Iterator[str]:
        """Yield the absolute paths that a name may mean, the most likely one first."""
        if name.startswith(os.sep):
            yield name
            return
        for root in self.paths:
            yield os.path.join(root, name)  # noqa: PTH118 - a Path would drop dots
            yield os.path.join(os.path.dirname(root), name)  # noqa: PTH118, PTH120
        if self.current:
            yield os.path.join(self.current, name)  # noqa: PTH118


def shown(name: str) -> str:
    """Return a name for a message: on one line, cut, without control characters."""
    text = name if len(name) <= _MOST_SHOWN else f"{name[:_MOST_SHOWN]}…"
    return ascii(text)[1:-1]


def _check_characters(name: str) -> None:
    """Raise RefusedPath if no file of a trail can have the name."""
    if not name.strip():
        raise RefusedPath("an empty name names no file")
    if len(name) > _MOST_CHARACTERS:
        raise RefusedPath(f"a name has at most {_MOST_CHARACTERS} characters, not {len(name):,}")
    if not name.isprintable():
        raise RefusedPath(f"{shown(name)} has characters that cannot be printed")
    if "," in name:
        raise RefusedPath(f"{shown(name)} has a comma: give several names as a list")


def _is_special(path: str) -> bool:
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - as above
    except (OSError, ValueError):
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def _may_match(path: str) -> bool:
    """Return whether the folder of a path has an entry that begins like its last part, up to a wildcard."""
    folder, name = os.path.split(path)
    begin = re.split(r"[*?]", name)[0]
    try:
        with os.scandir(folder) as entries:
            return any(entry.name.startswith(begin) for entry in entries)
    except OSError:
        return False
