"""The files of the open trail in the order of writing, with what is missing between them; those around one."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from logdump.session.settings import Across
from trailformat.errors import CannotRead
from trailformat.trail.packed import status_of
from trailformat.trail.peek import peek
from trailformat.trail.sequence import names_around, nearest_of
from trailformat.transactions.whole_trail import WholeTrail

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


class ListedFile(NamedTuple):
    """A file with its bytes and the first record of its header (CSN, Julian time); None where they are not known.

    Where ``last_missing`` is set, the files from ``path`` to that one are missing.
    """

    path: Path
    size: int | None = None
    first_csn: str | None = None
    first_time: int | None = None
    last_missing: Path | None = None


def trail_files(path: Path, known: tuple[ListedFile, ...] = (), *, with_headers: bool = True) -> tuple[ListedFile, ...]:
    """The files of the trail of ``path``, which may be the only one; headers that are ``known`` are not read again."""
    headers = {one.path: one for one in known if one.first_csn is not None or one.first_time is not None}
    paths = [name.path for name in names_around(path)] or [path]
    gaps = {gap.behind: gap for gap in WholeTrail(paths).gaps}
    found = []
    for one in paths:
        if (gap := gaps.get(one)) is not None:
            found.append(ListedFile(gap.first, last_missing=gap.last))
        found.append(_listed(one, headers.get(one), with_headers=with_headers))
    return tuple(found)


def _listed(path: Path, known: ListedFile | None, *, with_headers: bool) -> ListedFile:
    listed = ListedFile(path)
    with suppress(OSError):
        listed = listed._replace(size=status_of(path).st_size)
    if known is not None and (listed.size or 0) >= (known.size or 0):
        return known._replace(size=listed.size)
    header = None
    with suppress(CannotRead):
        header = peek(path) if with_headers else None
    return listed._replace(first_csn=header.first_csn, first_time=header.first_time) if header is not None else listed
