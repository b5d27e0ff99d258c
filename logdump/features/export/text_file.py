"""Files of text: whole lines in, and counted again when all are on disk."""

from __future__ import annotations

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

from logdump.features.export.appended_file import Place, opened
from trailformat import CannotWrite

CountRows = Callable[[IO[bytes]], int]
"""Counts the rows of a file, read from its beginning."""
_LEVEL = 6
_MOST_WAITING = 1 << 20
"""Bytes of text that wait until they are written, and compressed, together."""


class Waiting:
    """Bytes of text that wait in several files."""

    def __init__(self) -> None:
        self.bytes = 0


class TextFile:
    """One file of rows in UTF-8, compressed or not.

    Args:
        path: path of the file.
        is_gzip: True if it is compressed.
        count_rows: counts the rows in the written file.
        waiting: total of the bytes buffered by all files, which this file adds to.
    """

    def __init__(self, path: Place, *, is_gzip: bool, count_rows: CountRows, waiting: Waiting | None = None) -> None:
        self.rows = 0
        self._path = path
        self._is_gzip = is_gzip
        self._count_rows = count_rows
        self._all_waiting = waiting or Waiting()
        self._waiting = bytearray()
        self._file = opened(path)

    def write(self, text: str, rows: int = 1) -> None:
        """Write text with the ends of its rows; ``rows`` is their number."""
        self.append(text.encode(), rows)

    def append(self, data: bytes | memoryview, rows: int) -> None:
        """Write rows that are encoded already."""
        self.rows += rows
        if not self._is_gzip and len(data) > _MOST_WAITING:
            self.flush()
            self._file.write(data)
            return
        self._waiting += data
        self._all_waiting.bytes += len(data)
        if len(self._waiting) > _MOST_WAITING:
            self.flush()

    def flush(self) -> None:
        """Write what waits; compressed it is a member of its own, so that no file keeps a compressor."""
        if self._waiting:
            self._file.write(gzip.compress(self._waiting, _LEVEL, mtime=0) if self._is_gzip else self._waiting)
            self._file.flush()
        self._all_waiting.bytes -= len(self._waiting)
        self._waiting = bytearray()

    def close(self) -> int:
        """Write what waits; returns how many rows were found there.

        Raises:
            CannotWrite: not as many as were written.
        """
        self.flush()
        if self._is_gzip and not self._file.tell():
            self._file.write(gzip.compress(b"", _LEVEL, mtime=0))
        self._file.close()
        if not isinstance(self._path, Path):
            return self.rows
        with cast("IO[bytes]", gzip.open(self._path) if self._is_gzip else self._path.open("rb")) as file:
            rows = self._count_rows(file)
        check_rows(self._path, self.rows, rows)
        return rows

    def abandon(self) -> None:
        """Let go of the file, whatever is in it."""
        self._file.abandon()


def check_rows(path: Path, written: int, counted: int) -> None:
    """Raises CannotWrite when a file does not hold as many rows as were written."""
    if written != counted:
        raise CannotWrite(
            "the file does not hold what was written", path=path, expected=f"{written} rows", found=f"{counted}"
        )
