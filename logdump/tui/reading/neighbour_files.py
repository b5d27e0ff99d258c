"""The files before and after the open one in its trail."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from logdump.session.settings import Across
from trailformat.errors import CannotRead
from trailformat.trail.packed import status_of
from trailformat.trail.sequence import names_around, nearest_of

_SETTLED = 2_000_000_000
"""Nanoseconds after a change of a folder within which another one may leave its time as it is."""


class NeighbourFiles(NamedTuple):
    """The nearest files of the trail, and the names that are missing between; ``number`` is that of the open one.

    ``after_size`` are the bytes of the file after it, ``files`` how many the trail has.
    """

    before: Path | None = None
    missing_before: Path | None = None
    after: Path | None = None
    missing_after: Path | None = None
    after_size: int = 0
    number: int = 0
    files: int = 0

    def within_reach(self, step: int, across: Across) -> Path | None:
        """The file to which reading goes on from the open one, forward (``step`` 1) or back (-1)."""
        path, missing = (self.after, self.missing_after) if step > 0 else (self.before, self.missing_before)
        is_open = across is Across.GAPS or (across is Across.ON and missing is None)
        return path if is_open else None

    def to_this(self, path: Path) -> NeighbourFiles:
        """What the file before has behind it: the open one, which is ``path``."""
        return NeighbourFiles(after=path, missing_after=self.missing_before)


class NeighbourLookup:
    """The neighbours of a file; the folder is listed again only where it has changed."""

    def __init__(self) -> None:
        self._known: tuple[Path, int] | None = None
        self._found = NeighbourFiles()

    def of(self, path: Path) -> NeighbourFiles:
        """The neighbours as they are now."""
        changed = _changed(path.parent)
        if changed is None or self._known != (path, changed):
            self._found = neighbour_files(path)
            is_settled = changed is not None and time.time_ns() - changed > _SETTLED
            self._known = (path, changed) if is_settled and changed is not None else None
        return self._found._replace(after_size=_size(self._found.after))


def neighbour_files(path: Path) -> NeighbourFiles:
    """The neighbours of a file, without their sizes."""
    try:
        names = names_around(path)
    except CannotRead:
        return NeighbourFiles()
    paths = [name.path for name in names]
    number = paths.index(path) + 1 if path in paths else 0
    before, after = nearest_of(names, path, -1), nearest_of(names, path, 1)
    return NeighbourFiles(*before, *after, number=number, files=len(paths))


def _changed(folder: Path) -> int | None:
    with suppress(OSError):
        return status_of(folder).st_mtime_ns
    return None


def _size(path: Path | None) -> int:
    with suppress(OSError):
        return status_of(path).st_size if path is not None else 0
    return 0
