"""The files of a trail in the order in which they were written, and the files that are missing between them.

    lt000000007  lt000000008  (lt000000009 is missing)  lt000000010
    |------- a stretch -------|                         |- a stretch

A transaction continues from file to file within a stretch, never across missing files.
"""

from __future__ import annotations

import os
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from contextlib import closing
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple, Self

from trailformat.codec.remote.path import place
from trailformat.errors import CannotRead, NotATrail, TrailError, refuse_denied
from trailformat.scan import BAD_SPAN, PARTIAL, Batch, Workers, scan_in_threads
from trailformat.trail import command_files
from trailformat.trail.command_files import reading
from trailformat.trail.file import TrailFile
from trailformat.trail.packed import entries_of, is_file, unpacked_size
from trailformat.trail.sequence import TrailName, TrailSequence, trails_among


class FileGap(NamedTuple):
    """Files that are not read: the first and the last of them, and the file that is read after them.

    They are missing, unless ``is_left_out``: then some of them at least exist, or their folder cannot be listed, and
    they were not asked for.
    """

    first: Path
    last: Path
    file_after: Path
    is_left_out: bool = False


class TrailPosition(NamedTuple):
    """A position in a whole trail: the ordinal of the file, from 0, and the RBA in it."""

    ordinal: int
    rba: int


FIRST_PLACE = TrailPosition(0, 0)


class FileBatch(NamedTuple):
    """A batch of the file with this ordinal; ``begins``: the first of the file, ``breaks``: the first of a stretch."""

    ordinal: int
    trail: TrailFile
    batch: Batch
    begins: bool
    breaks: bool


class WholeTrail:
    """The files of one trail that exist at the time of construction.

    Args:
        paths: files of one trail, in any order.
        in_order: True if they are in the order of writing and none is missing, whatever their names.

    Attributes:
        paths: the files in the order of writing, without newest ones that have no records yet.
        gaps: the files between them that are missing, or were not among ``paths``.
        unreadable: the files, of those opened so far, that are not trail files, with the reason.

    Raises:
        NotATrail: there is no file, or there are files of several trails.
    """

    def __init__(self, paths: Iterable[Path], *, in_order: bool = False) -> None:
        given = list(paths)
        self.unreadable: dict[Path, NotATrail] = {}
        self._sizes: dict[Path, int] = {}
        if in_order:
            self.paths: tuple[Path, ...] = tuple(given)
            self.gaps: tuple[FileGap, ...] = ()
            self._missing: dict[Path, Path] = {}
            return
        trails, others = trails_among(given)
        if len(trails) + len(others) != 1:
            what = "no file" if not given else "files of several trails"
            raise NotATrail(what, path=given[0] if given else None, expected="the files of one trail")
        names = trails[0] if trails else []
        self.paths = tuple(name.path for name in names) or tuple(others)
        self.gaps = _known(_gaps(names))
        self._missing = {gap.file_after: gap.first for gap in self.gaps}

    @classmethod
    def around(cls, path: str | os.PathLike[str]) -> Self:
        """Return the trail of a file, or of a name without a number (``dirdat/lt``); else a trail of the file alone."""
        path = place(path)
        name = TrailName.parse(path)
        if name is not None and not name.is_documented and is_file(path):
            return cls([path])
        try:
            sequence = TrailSequence(path)
        except NotATrail:
            return cls([path])
        return cls(sequence.paths if name is None or path in sequence.paths else [path])

    @property
    def name(self) -> str:
        """The path of the trail without a number; that of the file if it belongs to no trail; "" without files."""
        name = TrailName.parse(self.paths[0]) if self.paths else None
        if name is not None and name.is_documented:
            return str(name.trail)
        return str(self.paths[0]) if self.paths else ""

    def __len__(self) -> int:
        return len(self.paths)

    @cached_property
    def ordinals(self) -> dict[Path, int]:
        """Ordinals of the files, by path."""
        return {path: ordinal for ordinal, path in enumerate(self.paths)}

    @cached_property
    def size(self) -> int:
        """Total size of all files in bytes, unpacked."""
        return sum(unpacked_size(path) for path in self.paths if is_file(path))

    @cached_property
    def unborn(self) -> tuple[Path, ...]:
        """The files after the last one that have no records yet."""
        try:
            sequence = TrailSequence(self.paths[-1])
        except NotATrail:
            return ()
        is_last = sequence.paths[-1] == self.paths[-1]
        return tuple(name.path for name in sequence.unborn) if is_last else ()

    def is_newest(self, ordinal: int) -> bool:
        """Return True if this is the last file."""
        return ordinal == len(self) - 1

    def missing_before(self, ordinal: int) -> Path | None:
        """Return the name of the first missing file directly before this one; None if none is missing."""
        return self._missing.get(self.paths[ordinal])

    def missing_after(self, ordinal: int) -> Path | None:
        """Return the name of the file after this one if it is missing, or was opened and is not a trail file."""
        if not 0 <= ordinal < len(self) - 1:
            return None
        following = self.paths[ordinal + 1]
        return self.missing_before(ordinal + 1) or (following if following in self.unreadable else None)

    def open(self, ordinal: int) -> TrailFile | None:
        """Open a file; if it is not a trail file, return None and add the reason to ``unreadable``.

        Raises:
            CannotRead: it exists but cannot be read, or has become shorter since it was last opened.
        """
        path = self.paths[ordinal]
        try:
            trail = TrailFile(path)
        except NotATrail as error:
            refuse_denied(error)
            self.unreadable[path] = error
            return None
        size, before = trail.size, self._sizes.get(path, 0)
        if size < before:
            trail.close()
            raise CannotRead.cut(path, size)
        self._sizes[path] = size
        return trail

    def following(self, path: Path) -> tuple[Path | None, Path | None]:
        """Return the file in which a transaction open at the end of this one continues, or the name it should have."""
        ordinal = self.ordinals[path] + 1
        if ordinal == len(self):
            return None, None
        if (missing := self.missing_before(ordinal)) is not None:
            return None, missing
        other = self.open(ordinal)
        if other is None:
            return None, self.paths[ordinal]
        other.close()
        return other.path, None

    def batches(self, start: TrailPosition = FIRST_PLACE, workers: Workers | None = None) -> Iterator[FileBatch]:
        """Yield the batches from a position on; an incomplete record is PARTIAL only at the end of the newest file.

        Raises:
            CannotRead: a file can no longer be read.
        """
        breaks = True
        command_files.announce(self.paths[start.ordinal :])
        for ordinal in range(start.ordinal, len(self)):
            breaks = breaks or self.missing_before(ordinal) is not None
            trail = self.open(ordinal)
            if trail is None:
                breaks = True
                continue
            with closing(trail):
                begins = True
                for batch in self._scan(trail, start.rba if ordinal == start.ordinal else 0, workers):
                    if not self.is_newest(ordinal):
                        complete(batch)
                    elif batch.kind[len(batch) - 1] == PARTIAL:
                        note_incomplete(trail, int(batch.rba[len(batch) - 1]))
                    yield FileBatch(ordinal, trail, batch, begins, breaks)
                    begins = breaks = False

    def _scan(self, trail: TrailFile, start: int, workers: Workers | None) -> Iterator[Batch]:
        return scan_in_threads(trail, workers or Workers(1), start)


def note_incomplete(trail: TrailFile, rba: int) -> None:
    """Note for the command that reads the trail that it ends in an incomplete record."""
    if (files := reading()) is not None:
        files.note_incomplete(trail.path, trail.error_at(rba))


def gaps_among(paths: Iterable[Path]) -> tuple[FileGap, ...]:
    """Return the gaps between files of one trail or of several."""
    trails, _ = trails_among(paths)
    return tuple(gap for names in trails for gap in _known(_gaps(names)))


def missing_among(paths: Iterable[Path]) -> tuple[FileGap, ...]:
    """Return those of :func:`gaps_among` whose files do not exist: the others were not asked for."""
    return tuple(gap for gap in gaps_among(paths) if not gap.is_left_out)


def _known(gaps: Iterable[FileGap]) -> tuple[FileGap, ...]:
    """Return gaps of one trail, each with what its folder says: whether a file of it is there."""
    found = tuple(gaps)
    own = TrailName.parse(found[0].file_after) if found else None
    if own is None:
        return found
    try:
        names = [name for name in map(TrailName.parse, entries_of(own.directory)) if name is not None]
    except (OSError, ValueError, TrailError):
        return tuple(gap._replace(is_left_out=True) for gap in found)
    there = sorted((name.digits, name.seqno) for name in names if name.prefix == own.prefix)
    return tuple(gap._replace(is_left_out=_has_one_of(gap, there)) for gap in found)


def _has_one_of(gap: FileGap, numbers: list[tuple[int, int]]) -> bool:
    """Return True if one of the numbers, with their digits and in order, is of the gap."""
    first, last = TrailName.parse(gap.first), TrailName.parse(gap.last)
    if first is None or last is None:
        return False
    begin, end = (first.digits, first.seqno), (last.digits, last.seqno)
    return bisect_left(numbers, begin) < bisect_right(numbers, end)


def _gaps(names: Iterable[TrailName]) -> Iterator[FileGap]:
    return (gap for name, other in pairwise(names) if (gap := _gap(name, other)) is not None)


def _gap(name: TrailName, other: TrailName) -> FileGap | None:
    if name.digits != other.digits or name.precedes(other):
        return None
    return FileGap(name.next.plain_path, other.previous.plain_path, other.path)


def complete(batch: Batch) -> None:
    """Mark an incomplete record at the end of a batch as damage: in a file with a successor it is never completed."""
    if batch.kind[len(batch) - 1] == PARTIAL:
        batch.kind[len(batch) - 1] = BAD_SPAN  # type: ignore[index]  # arrays and numpy columns both take it
