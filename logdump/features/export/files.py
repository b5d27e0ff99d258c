"""The files of an export, one for each table at the same time or a single one, or standard output in their place.

A closed file drops further bytes: Arrow writes a footer when it releases a file, even an abandoned one.
"""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO, Generic, NamedTuple, Protocol, TypeVar, cast

from logdump.arrow.tables.layout import ALL, FileNames, TableLayout
from logdump.features.export.batch_walk import new_pool
from logdump.features.export.target import ExportOptions, ExportTally, FileTally, suffix_of
from logdump.notation.text import escape
from logdump.session.across import over_files
from logdump.session.errors import CommandError
from logdump.session.session import Session
from trailformat import CannotWrite, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.trail.whole_file.early import EarlyWriting

with on_demand:
    import pyarrow as pa

_MOST_WAITING = 1 << 20
"""Maximum number of bytes that are buffered to be written together."""


class AppendedFile:
    """A new file that is open only while bytes go to it: thousands of them need no file descriptors.

    Args:
        path: path of the file; an existing one is emptied.

    Attributes:
        closed: True if nothing more is written to it.

    Raises:
        OSError: it cannot be written; every method but ``tell`` may raise it.
    """

    def __init__(self, path: Path) -> None:
        self.closed = False
        self._path = path
        self._waiting = bytearray()
        self._written = 0
        path.open("wb").close()

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """Append bytes, unless the file is closed; returns ``len(data)``."""
        if self.closed:
            return len(data)
        if not self._waiting and len(data) > _MOST_WAITING:
            self._put(data)
        else:
            self._waiting += data
        if len(self._waiting) > _MOST_WAITING:
            self.flush()
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes."""
        return self._written + len(self._waiting)

    def flush(self) -> None:
        """Write the buffered bytes."""
        if self._waiting:
            waiting, self._waiting = self._waiting, bytearray()
            self._put(waiting)

    def _put(self, data: bytes | bytearray | memoryview) -> None:
        rest = memoryview(data)
        with self._path.open("r+b", 0) as file:
            file.seek(self._written)
            while rest:
                count = file.write(rest)
                self._written += count
                rest = rest[count:]

    def close(self) -> None:
        """Write the rest and close; the system starts to write a long file to disk, which shortens its fsync."""
        if not self.closed:
            self.flush()
            if self._written > _MOST_WAITING:
                with self._path.open("r+b", 0) as file:
                    EarlyWriting(file).reach(self._written)
            self.closed = True

    def abandon(self) -> None:
        """Discard the buffered bytes and close."""
        self._waiting.clear()
        self.closed = True


class StandardOutput:
    """Standard output in place of a file: written bytes cannot be taken back.

    On a terminal control characters are escaped.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.closed = False
        self._stream = stream
        self._is_terminal = stream.isatty()
        self._written = 0

    def write(self, data: bytes | bytearray | memoryview) -> int:
        """Write bytes, unless it is closed; returns ``len(data)``."""
        if self.closed:
            return len(data)
        if self._is_terminal:
            lines = bytes(data).decode(errors="backslashreplace").split("\n")
            self._stream.write("\n".join(escape(line.removesuffix("\r")) for line in lines).encode())
        else:
            self._stream.write(data)
        self._written += len(data)
        return len(data)

    def tell(self) -> int:
        """Return the number of bytes."""
        return self._written

    def flush(self) -> None:
        """Flush the stream."""
        self._stream.flush()

    def close(self) -> None:
        """Flush and write nothing more; the stream stays open."""
        if not self.closed:
            self.flush()
            self.closed = True

    def abandon(self) -> None:
        """Write nothing more."""
        self.closed = True


Place = Path | StandardOutput
"""The place to which an export writes."""


def opened(place: Place) -> AppendedFile | StandardOutput:
    """Open a place for writing; an existing file is emptied."""
    return AppendedFile(place) if isinstance(place, Path) else place


_SYNCED = 4
"""Number of files that may wait for the disk while the rows of others are counted."""


class Sink(Protocol):
    """A file that is being written."""

    def close(self) -> int:
        """Write the rest; returns the number of rows in the file."""

    def abandon(self) -> None:
        """Discard the file."""


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
        self._is_one = options.one_table
        self._names = FileNames(suffix_of(options))
        self._open: dict[TableLayout, tuple[str, S]] = {}

    def of(self, layout: TableLayout) -> S:
        """Return the file for rows of this layout; the first call for a layout creates it.

        Raises:
            CommandError: one table is to be written, and this is a second one, or a second definition of it.
        """
        if layout not in self._open:
            if self._is_one and self._open:
                raise CommandError(_second_table(next(iter(self._open)), layout))
            name = self._names.new(layout)
            is_in_folder = layout != ALL and not self._is_one and isinstance(self._path, Path)
            path = self._path / name if is_in_folder and isinstance(self._path, Path) else self._path
            self._open[layout] = name, self._make(path, layout)
        return self._open[layout][1]

    @property
    def sinks(self) -> list[S]:
        """All open files."""
        return [sink for _, sink in self._open.values()]

    def close(self) -> list[FileTally]:
        """Close all files in parallel; returns the tally of each."""
        with new_pool(_SYNCED) as pool:
            rows = [*pool.map(lambda sink: sink.close(), self.sinks)]
        return [
            FileTally(name, layout, count) for (layout, (name, _)), count in zip(self._open.items(), rows, strict=True)
        ]

    def abandon(self) -> None:
        """Discard all files."""
        for _, sink in self._open.values():
            sink.abandon()


def _second_table(first: TableLayout, second: TableLayout) -> str:
    names = [escape(layout.name or "a table without a name") for layout in (first, second)]
    what = f"{names[0]} has two definitions" if names[0] == names[1] else f"The rows are of {names[0]} and {names[1]}"
    return f"{what}: one file has one table. BY TABLE (--by-table) writes a file for each."


def exported_files(
    session: Session, options: ExportOptions, tally: ExportTally, close: Callable[[TrailFile], None] = TrailFile.close
) -> Iterator[TrailFile]:
    """Yield the files of ``over_files`` until all records are exported; with ``stop``, only the open file."""
    for trail in over_files(session, close):
        yield trail
        if options.stop is not None or tally.selected == options.records:
            return


CountRows = Callable[[IO[bytes]], int]
"""Counts the rows of a file from its beginning."""
_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3


class Packing(NamedTuple):
    """A compression of text: of bytes, to a piece that others may follow, and of a file that is read."""

    packed: Callable[[bytes | bytearray], bytes]
    opened: Callable[[Path], IO[bytes]]


def _gzip(data: bytes | bytearray) -> bytes:
    return gzip.compress(data, _GZIP_LEVEL, mtime=0)


def _zstd(data: bytes | bytearray) -> bytes:
    packed: bytes = pa.Codec("zstd", compression_level=_ZSTD_LEVEL).compress(bytes(data), asbytes=True)
    return packed


PACKINGS = {
    "NONE": None,
    "GZIP": Packing(_gzip, lambda path: cast("IO[bytes]", gzip.GzipFile(path))),
    "ZSTD": Packing(_zstd, lambda path: cast("IO[bytes]", pa.input_stream(str(path), compression="zstd"))),
}
"""The compressions of text; that by zstd needs pyarrow."""


class Waiting:
    """The number of bytes buffered in several files."""

    def __init__(self) -> None:
        self.bytes = 0


class TextFile:
    """One file of rows in UTF-8, compressed or not.

    Args:
        path: path of the file.
        compression: one of PACKINGS.
        count_rows: counts the rows in the written file.
        waiting: total of the bytes buffered by all files, which this file adds to.
    """

    def __init__(self, path: Place, *, compression: str, count_rows: CountRows, waiting: Waiting | None = None) -> None:
        self.rows = 0
        self._path = path
        self._packing = PACKINGS[compression]
        self._count_rows = count_rows
        self._all_waiting = waiting or Waiting()
        self._waiting = bytearray()
        self._file = opened(path)

    def write(self, text: str, rows: int = 1) -> None:
        """Write ``rows`` rows as text, with their line ends."""
        self.append(text.encode(), rows)

    def append(self, data: bytes | memoryview, rows: int) -> None:
        """Write encoded rows."""
        self.rows += rows
        if self._packing is None and len(data) > _MOST_WAITING:
            self.flush()
            self._file.write(data)
            return
        self._waiting += data
        self._all_waiting.bytes += len(data)
        if len(self._waiting) > _MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Write the buffered bytes; compressed as a piece of their own, so that no file keeps a compressor."""
        if self._waiting:
            self._file.write(self._waiting if self._packing is None else self._packing.packed(self._waiting))
            self._file.flush()
        self._all_waiting.bytes -= len(self._waiting)
        self._waiting = bytearray()

    def close(self) -> int:
        """Write the rest; returns the number of rows in the file.

        Raises:
            CannotWrite: this is not the number of rows written.
        """
        self.flush()
        if self._packing is not None and not self._file.tell():
            self._file.write(self._packing.packed(b""))
        self._file.close()
        if not isinstance(self._path, Path):
            return self.rows
        with self._path.open("rb") if self._packing is None else self._packing.opened(self._path) as file:
            rows = self._count_rows(file)
        check_rows(self._path, self.rows, rows)
        return rows

    def abandon(self) -> None:
        """Discard the file."""
        self._file.abandon()


def check_rows(path: Path, written: int, counted: int) -> None:
    """Raise CannotWrite unless a file holds as many rows as were written."""
    if written != counted:
        raise CannotWrite(
            "the file does not hold what was written", path=path, expected=f"{written} rows", found=f"{counted}"
        )
