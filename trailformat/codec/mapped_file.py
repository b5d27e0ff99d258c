"""A mapped file that can also be read: bytes that are used for long are copied, others stay in place.

Touching the mapping of bytes that were cut off ends the process (SIGBUS); a read comes back short.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from pathlib import Path
from typing import overload

from trailformat.errors import CannotRead

_AROUND = 1 << 13
_COPIED = 1 << 20


class MappedFile(mmap.mmap):
    """The mapped bytes of an open file.

    Attributes:
        file: its descriptor, as long as it is open.
        path: its name, for errors.
    """

    file: int
    path: Path | None = None

    def copy(self, start: int, stop: int) -> bytes:
        """The bytes from ``start`` to before ``stop``, read from the file.

        Raises:
            CannotRead: the file has been truncated, or cannot be read.
        """
        parts: list[bytes] = []
        while start < stop:
            try:
                parts.append(os.pread(self.file, stop - start, start))
            except OSError as error:
                raise CannotRead.of(error, self.path, start) from error
            if not parts[-1]:
                raise CannotRead("the file was cut while it was read", path=self.path, rba=start)
            start += len(parts[-1])
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def copy_to(self, target: int, start: int, stop: int) -> None:
        """Write the bytes from ``start`` to before ``stop`` to an open file, by the system alone where it does that.

        Raises:
            CannotRead: the file has been truncated, or cannot be read.
            OSError: they cannot be written.
        """
        with contextlib.suppress(AttributeError, OSError):
            # if refused, as between some file systems, the bytes are read and written
            while start < stop and (count := os.copy_file_range(self.file, target, stop - start, start)):
                start += count
        while start < stop:
            start += os.write(target, self.copy(start, min(stop, start + _COPIED)))


class FileBytes:
    """The bytes of a mapped file, indexed like a buffer but read: a truncated file is an error, not a signal.

    Neighbouring bytes are read too and kept, for as long as one look at the file takes, at two
    places at most.

    Args:
        mapped: the file.
        size: its bytes.

    Attributes:
        barren: the range in which a search has found nothing.

    Both kinds of access raise like MappedFile.copy.
    """

    __slots__ = ("_mapped", "_other", "_piece", "_size", "_start", "barren")

    def __init__(self, mapped: MappedFile, size: int) -> None:
        self._mapped = mapped
        self._size = size
        self._start = 0
        self._piece = b""
        self._other = (b"", 0)
        self.barren = (0, 0)

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> bytes: ...

    def __getitem__(self, place: int | slice) -> int | bytes:
        """A byte, or those of a slice from one place to another."""
        if isinstance(place, int):
            at = place - self._start
            if not 0 <= at < len(self._piece):
                self._read(place, place + 1)
                at = place - self._start
            return self._piece[at]
        at, end = place.start - self._start, place.stop - self._start
        if 0 <= at <= end <= len(self._piece):
            return self._piece[at:end]
        start, stop = place.start, min(place.stop, self._size)
        if stop - start > _AROUND:
            return self._mapped.copy(start, stop)
        if not self._start <= start <= stop <= self._start + len(self._piece):
            self._read(start, stop)
        return self._piece[start - self._start : stop - self._start]

    def note_barren(self, start: int, stop: int) -> None:
        """Note that a search has found nothing in a range; of ranges that do not touch, the longest is kept."""
        low, high = self.barren
        if start <= high and low <= stop:
            start, stop = min(start, low), max(stop, high)
        if stop - start > high - low:
            self.barren = (start, stop)

    def around(self, place: int) -> tuple[bytes, int]:
        """Return bytes from a place to some kilobytes after it, as far as available, and the offset of the first."""
        stop = min(place + _AROUND, self._size)
        if not self._start <= place <= stop <= self._start + len(self._piece):
            self._read(place, stop)
        return self._piece, self._start

    def _read(self, start: int, stop: int) -> None:
        """Load bytes: from the piece before the last if it has them, since a record is read at both its ends."""
        piece, begin = self._other
        self._other = self._piece, self._start
        if begin <= start <= stop <= begin + len(piece):
            self._piece, self._start = piece, begin
            return
        self._start = max(0, start - _AROUND)
        self._piece = self._mapped.copy(self._start, min(stop + _AROUND, self._size))

    def copy(self, start: int, stop: int) -> bytes:
        """The bytes from one place to another, read anew."""
        return self._mapped.copy(start, stop)


Source = bytes | mmap.mmap | FileBytes


def as_read(buffer: Source, size: int) -> Source:
    """The first bytes of a buffer, read where it is a mapped file, which may be mapped anew."""
    return FileBytes(buffer, size) if isinstance(buffer, MappedFile) and hasattr(os, "pread") else buffer


def around(buffer: Source, place: int) -> tuple[bytes | mmap.mmap, int]:
    """Return bytes that contain a place and its neighbourhood, and the offset of the first."""
    return buffer.around(place) if isinstance(buffer, FileBytes) else (buffer, 0)


def copied(buffer: Source, start: int, stop: int) -> bytes:
    """The bytes from ``start`` to before ``stop`` of a buffer; raises like MappedFile.copy."""
    if isinstance(buffer, FileBytes) or (isinstance(buffer, MappedFile) and hasattr(os, "pread")):
        return buffer.copy(start, stop)
    return buffer[start:stop]


def read_into(file: int, mapped: bytes | mmap.mmap, target: memoryview, start: int) -> int:
    """Copy bytes of a file, from ``start`` on, to ``target``; returns how many there were.

    Raises:
        OSError: the file cannot be read.
    """
    if not hasattr(os, "preadv"):
        # there a mapped file cannot be cut
        part = mapped[start : start + len(target)]
        target[: len(part)] = part
        return len(part)
    read = 0
    while read < len(target) and (count := os.preadv(file, [target[read:]], start + read)):
        read += count
    return read
