"""The files that an export is writing: one, or one per layout of a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from logdump.arrow.tables.layout import ALL, FileNames, TableLayout
from logdump.features.export.appended_file import Place
from logdump.features.export.options import ExportOptions
from logdump.features.export.side_by_side import new_pool
from logdump.features.export.tally import ExportTally, FileTally
from logdump.features.export.target import suffix_of
from logdump.session.across import over_files
from logdump.session.session import Session
from trailformat import TrailFile

_SYNCED = 4
"""Files that wait for the disk while the rows of others are counted."""


class Sink(Protocol):
    """A file that is being written."""

    def close(self) -> int:
        """Write what waits, for the last time; returns how many rows were found there."""

    def abandon(self) -> None:
        """Let go of the file, whatever is in it."""


S = TypeVar("S", bound=Sink)


class OpenFiles(Generic[S]):
    """The files by layout; a single file for all records has the layout ALL.

    Args:
        path: the file, or the folder of the files.
        options: options of the export.
        make: opens a file for a layout.
    """

    def __init__(self, path: Place, options: ExportOptions, make: Callable[[Place, TableLayout], S]) -> None:
        self._path = path
        self._make = make
        self._names = FileNames(suffix_of(options))
        self._open: dict[TableLayout, tuple[str, S]] = {}

    def of(self, layout: TableLayout) -> S:
        """The file for rows of this layout."""
        if layout not in self._open:
            name = self._names.new(layout)
            path = self._path / name if layout != ALL and isinstance(self._path, Path) else self._path
            self._open[layout] = name, self._make(path, layout)
        return self._open[layout][1]

    @property
    def sinks(self) -> list[S]:
        """All open files."""
        return [sink for _, sink in self._open.values()]

    def close(self) -> list[FileTally]:
        """Close all of them, side by side; returns what each file holds."""
        with new_pool(_SYNCED) as pool:
            rows = [*pool.map(lambda sink: sink.close(), self.sinks)]
        return [
            FileTally(name, layout, count) for (layout, (name, _)), count in zip(self._open.items(), rows, strict=True)
        ]

    def abandon(self) -> None:
        """Discard all files."""
        for _, sink in self._open.values():
            sink.abandon()


def exported_files(
    session: Session, options: ExportOptions, tally: ExportTally, close: Callable[[TrailFile], None] = TrailFile.close
) -> Iterator[TrailFile]:
    """The files, each of which the session reads while it is handled. Arguments and errors as ``over_files``."""
    for trail in over_files(session, close):
        yield trail
        if options.stop is not None or tally.selected == options.records:
            return
