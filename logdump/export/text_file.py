"""Files of text: whole lines in, and counted again when all are on disk."""

from __future__ import annotations

import gzip
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, cast

from trailformat import CannotWrite

CountRows = Callable[[IO[bytes]], int]
"""Counts the rows of a file, read from its beginning."""
_LEVEL = 6
_BUFFER = 1 << 20


class TextFile:
    """One file of rows in UTF-8, compressed or not.

    Args:
        path: where it is written.
        is_gzip: whether it is compressed.
        count_rows: counts the rows in what was written.
    """

    def __init__(self, path: Path, *, is_gzip: bool, count_rows: CountRows) -> None:
        self.rows = 0
        self._path = path
        self._is_gzip = is_gzip
        self._count_rows = count_rows
        self._file = path.open("wb", _BUFFER)
        compressed = gzip.GzipFile("", "wb", _LEVEL, self._file, mtime=0) if is_gzip else self._file
        self._out = cast("IO[bytes]", compressed)

    def write(self, text: str, rows: int = 1) -> None:
        """Write text that holds so many rows, with their ends."""
        self._out.write(text.encode())
        self.rows += rows

    def close(self) -> int:
        """Have everything on disk; returns how many rows were found there.

        Raises:
            CannotWrite: not as many as were written.
        """
        if self._is_gzip:
            self._out.close()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        with cast("IO[bytes]", gzip.open(self._path) if self._is_gzip else self._path.open("rb")) as file:
            found = self._count_rows(file)
        check_rows(self._path, self.rows, found)
        return found

    def abandon(self) -> None:
        """Let go of the file, whatever is in it."""
        self._file.close()


def check_rows(path: Path, written: int, found: int) -> None:
    """Raises CannotWrite when a file does not hold as many rows as were written."""
    if written != found:
        raise CannotWrite(
            "the file does not hold what was written", path=path, expected=f"{written} rows", found=f"{found}"
        )
