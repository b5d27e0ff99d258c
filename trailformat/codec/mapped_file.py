"""A mapped file that can also be read: bytes that are used for long are copied, others stay in place.

Touching the mapping of bytes that were cut off ends the process (SIGBUS); a read comes back short.
"""

from __future__ import annotations

import contextlib
import mmap
import os
from abc import abstractmethod
from bisect import bisect_right
from collections import deque
from collections.abc import Sized
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Protocol, TypeGuard, cast, overload

from trailformat.errors import CannotRead

_AROUND = 1 << 13
_COPIED = 1 << 20
MOST_RECENT = 1 << 25
"""Bytes that a scan has read and that are kept: more than those of a batch."""


class RecentBytes:
    """The bytes that a scan has read last, kept for those who look at its rows: they are not read again.

    They are one stretch of the file, whose beginning goes where it has more than ``MOST_RECENT`` bytes.
    """

    def __init__(self) -> None:
        self._parts: deque[tuple[int, memoryview]] = deque()
        self._start = self._stop = 0

    def copy_into(self, target: memoryview, start: int) -> int:
        """Copy the bytes from ``start`` on, as far as they are here; returns how many there were."""
        stop = min(start + len(target), self._stop)
        data = self.copy(start, stop) if stop > start else None
        if data is None:
            return 0
        target[: len(data)] = data
        return len(data)

    def add(self, start: int, data: memoryview) -> None:
        """Take in what was read from a place on; what does not follow the bytes before takes their place."""
        if not self._start <= start <= self._stop:
            self._parts.clear()
            self._start = self._stop = start
        if start + len(data) <= self._stop:
            return
        self._parts.append((self._stop, memoryview(bytes(data[self._stop - start :]))))
        self._stop = start + len(data)
        while self._stop - self._start > MOST_RECENT and len(self._parts) > 1:
            self._parts.popleft()
            self._start = self._parts[0][0]

    def copy(self, start: int, stop: int) -> bytes | None:
        """The bytes from ``start`` to before ``stop``; None where they are not all here."""
        if not self._start <= start < stop <= self._stop:
            return None
        first = bisect_right(self._parts, start, key=itemgetter(0)) - 1
        found: list[memoryview] = []
        for at, part in islice(self._parts, first, None):
            if at >= stop:
                break
            found.append(part[max(start - at, 0) : stop - at])
        return bytes(found[0]) if len(found) == 1 else b"".join(found)


class FileContents(Sized):
    """The bytes of an open file, which are read: mapped ones of a local file, fetched ones of a file in a store.

    Attributes:
        recent: what a scan has read last, where that is kept.

    What reads raises CannotRead: the file has been truncated or has changed, or cannot be read.
    """

    __slots__ = ()
    recent: RecentBytes | None

    @abstractmethod
    def copy(self, start: int, stop: int) -> bytes:
        """The bytes from ``start`` to before ``stop``."""

    @abstractmethod
    def copy_to(self, target: int, start: int, stop: int) -> None:
        """Write the bytes from ``start`` to before ``stop`` to an open file; raises OSError where that fails."""

    @abstractmethod
    def held(self, start: int, stop: int) -> tuple[mmap.mmap, int]:
        """Bytes that are too many for the memory, mapped, and the RBA of the first that is mapped."""


class InputFile(Protocol):
    """An open file: of this machine, or in a store."""

    def status(self) -> os.stat_result:
        """Its status now; of a file in a store not long ago. Raises OSError, and CannotRead where it has changed."""

    def twin(self) -> InputFile:
        """The same, opened again for another thread. Raises OSError."""

    def close(self) -> None:
        """Close it."""

    def source(self, size: int, path: Path, recent: RecentBytes | None) -> FileContents:
        """Its first ``size`` bytes. Raises OSError and ValueError."""

    def read_into(self, source: FileBuffer, target: memoryview, start: int, until: int | None) -> int:
        """Copy bytes from ``start`` on to ``target``; returns how many there were. Raises OSError and CannotRead.

        ``until`` is the place up to which the reader is going to read on from there.
        """


class LocalFile:
    """A file of this machine, by its descriptor."""

    __slots__ = ("handle",)

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def status(self) -> os.stat_result:
        """Its status now."""
        return os.fstat(self.handle)

    def twin(self) -> LocalFile:
        """The same, by another descriptor."""
        return LocalFile(os.dup(self.handle))

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.handle)

    def source(self, size: int, path: Path, recent: RecentBytes | None) -> MappedFile:
        """Its bytes, mapped."""
        mapped = MappedFile(self.handle, size, access=mmap.ACCESS_READ)
        mapped.file, mapped.path, mapped.recent = self.handle, path, recent
        return mapped

    def read_into(self, source: FileBuffer, target: memoryview, start: int, until: int | None) -> int:  # noqa: ARG002
        """Copy bytes of it."""
        return read_into(self.handle, source, target, start)


class MappedFile(mmap.mmap, FileContents):
    """The mapped bytes of an open file.

    Attributes:
        file: its descriptor, as long as it is open.
        path: its name, for errors.
        recent: what a scan has read last, where that is kept.
    """

    file: int
    path: Path | None = None
    recent: RecentBytes | None = None

    def held(self, start: int, stop: int) -> tuple[mmap.mmap, int]:  # noqa: ARG002 - all of it is mapped
        """The mapping."""
        return self, 0

    def copy(self, start: int, stop: int) -> bytes:
        """The bytes from ``start`` to before ``stop``, read from the file.

        Raises:
            CannotRead: the file has been truncated, or cannot be read.
        """
        if self.recent is not None and (kept := self.recent.copy(start, stop)) is not None and self._reaches(stop):
            return kept
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

    def _reaches(self, stop: int) -> bool:
        """Whether the file still has the bytes before ``stop``."""
        try:
            return os.fstat(self.file).st_size >= stop
        except OSError:
            return False

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

    def __init__(self, mapped: FileContents, size: int) -> None:
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


FileBuffer = bytes | mmap.mmap | FileContents
Source = bytes | mmap.mmap | FileBytes


def is_read(buffer: FileBuffer | Source) -> TypeGuard[FileContents]:
    """Whether bytes are read, not looked at where they are mapped."""
    return isinstance(buffer, FileContents) and (hasattr(os, "pread") or not isinstance(buffer, mmap.mmap))


def as_read(buffer: FileBuffer | Source, size: int) -> Source:
    """The first bytes of a buffer, read where it is a file, which may be mapped anew."""
    return FileBytes(buffer, size) if is_read(buffer) else cast("Source", buffer)


def around(buffer: Source, place: int) -> tuple[bytes | mmap.mmap, int]:
    """Return bytes that contain a place and its neighbourhood, and the offset of the first."""
    return buffer.around(place) if isinstance(buffer, FileBytes) else (buffer, 0)


def copied(buffer: FileBuffer | Source, start: int, stop: int) -> bytes:
    """The bytes from ``start`` to before ``stop`` of a buffer; raises like MappedFile.copy."""
    if isinstance(buffer, FileBytes) or is_read(buffer):
        return buffer.copy(start, stop)
    return cast("bytes | mmap.mmap", buffer)[start:stop]


def read_into(file: int, mapped: FileBuffer, target: memoryview, start: int) -> int:
    """Copy bytes of a file, from ``start`` on, to ``target``; returns how many there were.

    Raises:
        OSError: the file cannot be read.
    """
    if not hasattr(os, "preadv"):
        # there a mapped file cannot be cut
        part = cast("mmap.mmap", mapped)[start : start + len(target)]
        target[: len(part)] = part
        return len(part)
    recent = mapped.recent if isinstance(mapped, FileContents) else None
    read = recent.copy_into(target, start) if recent is not None else 0
    while read < len(target) and (count := os.preadv(file, [target[read:]], start + read)):
        read += count
    if recent is not None:
        recent.add(start, target[:read])
    return read
