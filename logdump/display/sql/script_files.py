"""The files that the transactions of a script reach into: one that is open, and others of its trail as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.session.selection import Selection
from trailformat import NotATrail, Record, TrailFile
from trailformat.changes.row_changes import OPERATIONS, ChangeSource, Half, half_of
from trailformat.records.io_types import LARGE_OBJECT
from trailformat.records.transaction import Transaction
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import Spot, next_file, previous_file
from trailformat.transactions.extent import Extent

_MOST_OPEN = 3
"""Other files at a time: the two that an update in two records lies in, and one for whatever is read in between."""


class ScriptFile(NamedTuple):
    """A file, its filter and the definitions of its rows."""

    trail: TrailFile
    definitions: RowDefinitions
    selection: Selection | None


class FileChanges(NamedTuple):
    """A part of a file with changes of one transaction.

    Attributes:
        path: the file.
        start, stop: from the RBA of the first change that begins in the file to before this one; equal without one.
        continued: the records before them that continue the last change of the file before. Of neighbouring pieces of
            a large object that belong to a row only the first is among them.
    """

    path: Path
    start: int
    stop: int
    continued: tuple[Record, ...] = ()


class ScriptFiles:
    """Opens the files of a trail.

    Args:
        trail: one of them, open; it stays open.
        selection_in: gives for a file the records that pass the filter; None where there is none.
        definitions_of: gives for a file the definitions of its rows.
    """

    def __init__(
        self,
        trail: TrailFile,
        selection_in: Callable[[TrailFile], Selection] | None,
        definitions_of: Callable[[TrailFile], RowDefinitions],
    ) -> None:
        self._selection_in = selection_in
        self._definitions_of = definitions_of
        self._own = self._file(trail)
        self._others: dict[Path, ScriptFile] = {}

    def _file(self, trail: TrailFile) -> ScriptFile:
        selection = self._selection_in(trail) if self._selection_in is not None else None
        return ScriptFile(trail, self._definitions_of(trail), selection)

    def of(self, path: Path | None) -> ScriptFile:
        """The file with this path.

        Raises:
            NotATrail: it cannot be read.
        """
        if path is None or path == self._own.trail.path:
            return self._own
        file = self._others.pop(path, None)
        if file is None:
            while len(self._others) >= _MOST_OPEN:
                self._others.pop(next(iter(self._others))).trail.close()
            file = self._file(TrailFile(path))
        self._others[path] = file
        return file

    def close(self) -> None:
        """Close the files that were opened here."""
        while self._others:
            self._others.popitem()[1].trail.close()

    def accepts(self, record: Record) -> bool:
        """Return True if a record passes the filter."""
        selection = self.of(record.path).selection
        return selection is None or selection.accepts(record)

    def source(self, transaction: Transaction) -> Callable[[Record], ChangeSource]:
        """Return the source of facts about the records of one transaction."""

        def source_of(record: Record) -> ChangeSource:
            file = self.of(record.path)
            return ChangeSource(file.trail, file.definitions, lambda _: transaction)

        return source_of

    def changes_by_file(self, extent: Extent, *, is_backwards: bool) -> Iterator[FileChanges]:
        """Yield the parts of files with the changes of a transaction that has some, the last first if ``is_backwards``.

        Raises:
            TrailError: at damage in it, after the part that was reached.
        """
        first, last = extent.first, extent.last
        if first is None or last is None:
            return
        origin = self._first_change(first)
        path: Path | None = last.path
        final, beside = origin.path, previous_file
        if not is_backwards:
            path, final, beside = final, path, next_file
        while True:
            trail = self.of(path).trail
            start, stop = origin.rba if path == origin.path else 0, trail.refresh()
            stop = last.rba + 1 if path == last.path else stop
            damages = [one for one in extent.damage if one.path == path and start <= one.rba < stop]
            if damages and is_backwards:
                start = damages[-1].rba + damages[-1].length
            elif damages:
                stop = damages[0].rba
            is_continued = path != origin.path and not start
            yield _changes_of_file(trail, start, stop, origin if is_continued else None)
            if damages:
                trail.record_at(damages[-1 if is_backwards else 0].rba)
            if path == final:
                return
            path = _neighbour(beside(trail.path))

    def _first_change(self, first: Spot) -> Record:
        """The first record at a position or after it that is a change or part of one."""
        path, rba = first
        while (record := next(_changes(self.of(path).trail, rba), None)) is None:
            path, rba = _neighbour(next_file(path)), 0
        return record


def _changes(trail: TrailFile, start: int, stop: int | None = None) -> Iterator[Record]:
    """The records that are changes or parts of one."""
    for record in trail.records(start):
        if stop is not None and record.rba >= stop:
            return
        if not record.is_file_header and record.header.io_type in OPERATIONS:
            yield record


def _changes_of_file(trail: TrailFile, start: int, stop: int, origin: Record | None) -> FileChanges:
    """The part of a file; ``origin`` is the first change of a transaction that continues in the file."""
    continued: list[Record] = []
    for record in _changes(trail, start, stop):
        is_piece = _is_piece(record)
        is_second = half_of(record) is Half.SECOND and all(map(_is_piece, continued))
        if origin is None or not (is_piece or is_second):
            return FileChanges(trail.path, record.rba, stop, tuple(continued))
        if not (is_piece and continued and _is_piece(continued[-1])) or _is_piece(origin):
            continued.append(record)
    return FileChanges(trail.path, stop, stop, tuple(continued))


def _is_piece(record: Record) -> bool:
    return record.header.io_type == LARGE_OBJECT


def _neighbour(beside: tuple[Path | None, Path | None]) -> Path:
    """The file beside another one.

    Raises:
        NotATrail: it is not there any more.
    """
    path, missing = beside
    if path is None:
        raise NotATrail("the file is missing, and a transaction continues in it", path=missing)
    return path
