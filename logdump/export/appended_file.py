"""Files that are written to their end, as many at a time as there are tables."""

from __future__ import annotations

import os
from pathlib import Path

_MOST_WAITING = 1 << 20
"""Bytes that wait until they are written together."""


class AppendedFile:
    """A new file that is open only while bytes go to it: thousands of them need no file descriptors.

    Args:
        path: of the file; one that is there is emptied.

    Attributes:
        closed: whether nothing is written to it any more.

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
        """Have bytes written behind all others; returns how many there are."""
        self._waiting += data
        if len(self._waiting) > _MOST_WAITING:
            self.flush()
        return len(data)

    def tell(self) -> int:
        """How many bytes there are."""
        return self._written + len(self._waiting)

    def flush(self) -> None:
        """Write what waits."""
        if self._waiting:
            with self._path.open("r+b", 0) as file:
                file.seek(self._written)
                while self._waiting:
                    count = file.write(self._waiting)
                    self._written += count
                    del self._waiting[:count]

    def close(self) -> None:
        """Have all of it on disk."""
        if not self.closed:
            self.flush()
            with self._path.open("r+b", 0) as file:
                os.fsync(file.fileno())
            self.closed = True

    def abandon(self) -> None:
        """Write nothing more."""
        self._waiting.clear()
        self.closed = True
