"""The files that the transactions of a script reach into: one that is open, and others of its trail as needed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from logdump.session.selection import Selection
from trailformat import NotATrail, Record, TrailFile
from trailformat.changes.row_changes import OPERATIONS, ChangeSource
from trailformat.records.transaction import Transaction
from trailformat.trail.row_definitions import RowDefinitions
from trailformat.trail.sequence import next_file, previous_file
from trailformat.transactions.extent import Extent

_MOST_OPEN = 3
"""Other files at a time: the two that an update in two records lies in, and one for whatever is read in between."""


class ScriptFile(NamedTuple):
    """A file, its filter and the definitions of its rows."""

    trail: TrailFile
    definitions: RowDefinitions
    selection: Selection | None


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

    def records(self, extent: Extent, *, is_backwards: bool) -> Iterator[Record]:
        """Yield the records of a transaction that are changes or parts of one, last first if ``is_backwards``.

        Raises:
            TrailError: at damage in it.
        """
        stream = self._backwards(extent) if is_backwards else self._forwards(extent)
        return (record for record in stream if not record.is_file_header and record.header.io_type in OPERATIONS)

    def _forwards(self, extent: Extent) -> Iterator[Record]:
        first, last = extent.first, extent.last
        path, rba = (first.path, first.rba) if first is not None else (None, 0)
        while path is not None:
            for record in self.of(path).trail.records(rba):
                yield record
                if last == (path, record.rba):
                    return
            path, rba = _neighbour(next_file(path)), 0

    def _backwards(self, extent: Extent) -> Iterator[Record]:
        first, last = extent.first, extent.last
        path = last.path if last is not None else None
        end: int | None = None
        if last is not None:
            end = last.rba + self.of(path).trail.record_length(last.rba)
        while path is not None:
            for record in self.of(path).trail.records_backwards(end):
                yield record
                if first == (path, record.rba):
                    return
            path, end = _neighbour(previous_file(path)), None


def _neighbour(beside: tuple[Path | None, Path | None]) -> Path:
    """The file beside another one.

    Raises:
        NotATrail: it is not there any more.
    """
    path, missing = beside
    if path is None:
        raise NotATrail("the file is missing, and a transaction continues in it", path=missing)
    return path
