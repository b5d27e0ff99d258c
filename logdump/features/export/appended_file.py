"""Files that are written to their end, as many at a time as there are tables; or standard output in their place.

What is closed drops all further bytes: Arrow writes a footer when it lets go of a file, though that was abandoned.
"""

from __future__ import annotations

from pathlib import Path
from typing import BinaryIO

from logdump.notation.escape import escape
from trailformat.trail.whole_file.early import EarlyWriting

_MOST_WAITING = 1 << 20
"""Bytes that wait until they are written together."""


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
        """Append bytes, none once it is closed; returns ``len(data)``."""
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
        """Append bytes to the file."""
        rest = memoryview(data)
        with self._path.open("r+b", 0) as file:
            file.seek(self._written)
            while rest:
                count = file.write(rest)
                self._written += count
                rest = rest[count:]

    def close(self) -> None:
        """Write what waits, for the last time; the disk begins to take a long file, whose name waits for fsync."""
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
        """Write bytes, none once it is closed; returns how many were given."""
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
        """Write what waits; the stream stays open."""
        if not self.closed:
            self.flush()
            self.closed = True

    def abandon(self) -> None:
        """Write nothing more."""
        self.closed = True


Place = Path | StandardOutput
"""Where an export writes."""


def opened(place: Place) -> AppendedFile | StandardOutput:
    """The sink for the bytes of a place."""
    return AppendedFile(place) if isinstance(place, Path) else place
