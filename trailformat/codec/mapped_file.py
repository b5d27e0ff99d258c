"""A mapped file that can also be read: bytes that are used for long are copied, others stay in place.

Access to mapped bytes that were cut off ends the process (SIGBUS); a read only returns fewer bytes. Only
regular files are opened: others may block or never end.
"""

from __future__ import annotations

import contextlib
import errno
import io
import mmap
import os
import stat
from abc import abstractmethod
from bisect import bisect_right
from collections import deque
from collections.abc import Sequence, Sized
from itertools import islice
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, Self, TypeGuard, cast, overload

from trailformat.errors import CannotRead

_AROUND = 1 << 13
_COPIED = 1 << 20
MOST_RECENT = 1 << 25
"""Maximum number of bytes of a scan that are kept: more than those of a batch."""


class RecentBytes:
    """The bytes that a scan has read last, kept so that the code that uses its rows need not read them again.

    They are one range of the file; when it exceeds ``MOST_RECENT`` bytes, its beginning is dropped.
    """

    def __init__(self) -> None:
        self._parts: deque[tuple[int, memoryview]] = deque()
        self._start = self._stop = 0

    def copy_into(self, target: memoryview, start: int) -> int:
        """Copy the available bytes from ``start`` on; return their number."""
        stop = min(start + len(target), self._stop)
        data = self.copy(start, stop) if stop > start else None
        if data is None:
            return 0
        target[: len(data)] = data
        return len(data)

    def add(self, start: int, data: memoryview) -> None:
        """Add the bytes read at ``start``; if they do not adjoin or overlap the kept range, they replace it."""
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
        """Return the bytes from ``start`` to before ``stop``; None if not all are available."""
        if not self._start <= start < stop <= self._stop:
            return None
        first = bisect_right(self._parts, start, key=itemgetter(0)) - 1
        pieces: list[memoryview] = []
        for offset, part in islice(self._parts, first, None):
            if offset >= stop:
                break
            pieces.append(part[max(start - offset, 0) : stop - offset])
        return bytes(pieces[0]) if len(pieces) == 1 else b"".join(pieces)

    def views(self, bounds: Sequence[tuple[int, int]]) -> list[bytes | memoryview] | None:
        """Return the bytes of ranges, ascending; None if not all are available."""
        if not bounds or not self._start <= bounds[0][0] or bounds[-1][1] > self._stop:
            return None
        offsets, views, index = [offset for offset, _ in self._parts], list[bytes | memoryview](), 0
        parts = [part for _, part in self._parts]
        for start, stop in bounds:
            index = bisect_right(offsets, start, index) - 1
            offset, part = offsets[index], parts[index]
            is_inside = stop <= offset + len(part)
            view = part[start - offset : stop - offset] if is_inside else self.copy(start, stop)
            if view is None:
                return None
            views.append(view)
        return views


class FileContents(Sized):
    """The bytes of an open file: mapped for a local file, fetched for a file in a store.

    Attributes:
        recent: the bytes that a scan has read last; None if they are not kept.

    Methods that read raise CannotRead: the file was truncated, has changed, or cannot be read.
    """

    __slots__ = ()
    recent: RecentBytes | None

    @abstractmethod
    def copy(self, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` to before ``stop``."""

    def regions(self, bounds: Sequence[tuple[int, int]]) -> Sequence[bytes | memoryview]:
        """Return the bytes of ranges, each from its first number to before its second, ascending."""
        return [self.copy(*region) for region in bounds]

    @abstractmethod
    def copy_to(self, target: int, start: int, stop: int) -> None:
        """Write the bytes from ``start`` to before ``stop`` to an open file; raises OSError if writing fails."""

    @abstractmethod
    def in_memory(self, start: int, stop: int) -> tuple[mmap.mmap, int]:
        """Return bytes too large for memory as a mapping, and the RBA of its first byte."""


class InputFile(Protocol):
    """An open file, local or in a store."""

    def status(self) -> os.stat_result:
        """Return its status, for a file in a store a moment old. Raises OSError; CannotRead if it has changed."""

    def twin(self) -> InputFile:
        """Return the same file, opened again for another thread. Raises OSError."""

    def close(self) -> None:
        """Close the file."""

    def source(self, size: int, path: Path, recent: RecentBytes | None) -> FileContents:
        """Return its first ``size`` bytes. Raises OSError and ValueError."""

    def read(self, start: int, size: int) -> bytes:
        """Return ``size`` bytes from ``start`` on, fewer at the end of the file. Raises OSError and CannotRead."""

    def read_into(self, source: FileBuffer, target: memoryview, start: int, until: int | None) -> int:
        """Copy bytes from ``start`` on to ``target``; return their number. Raises OSError and CannotRead.

        ``until`` is the place up to which the reader will continue; None if unknown.
        """


_NOT_REGULAR = "it is not a regular file"


def open_regular(path: Path) -> int:
    """Return a descriptor of a regular file for reading; follow links.

    Raises:
        OSError: it does not exist, cannot be read, or is a directory, FIFO, socket or device.
        ValueError: the name is not valid for a file.
    """
    try:
        # a FIFO without a writer would block
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        if error.errno not in (errno.ENXIO, errno.ENODEV):
            raise
        raise OSError(errno.EINVAL, _NOT_REGULAR, os.fspath(path)) from error  # a socket
    try:
        mode = os.fstat(handle).st_mode
    except OSError:
        os.close(handle)
        raise
    if stat.S_ISREG(mode):
        return handle
    os.close(handle)
    is_directory = stat.S_ISDIR(mode)
    problem = "it is a directory" if is_directory else _NOT_REGULAR
    raise OSError(errno.EISDIR if is_directory else errno.EINVAL, problem, os.fspath(path))


def open_script(path: Path) -> int:
    """Return a descriptor of a regular file or of a pipe of the shell, as of ``<(…)``, for reading to its end.

    A FIFO with a name of its own is refused: without a writer it would block.

    Raises:
        OSError, ValueError: like :func:`open_regular`.
    """
    is_inherited = path.is_fifo() and os.path.realpath(path).startswith(("/dev/", "/proc/"))
    return os.open(path, os.O_RDONLY) if is_inherited else open_regular(path)


class LocalFile:
    """A local file, by its descriptor; or a part of one that stays as it is.

    Args:
        handle: the descriptor, which is closed with the file.
        base: the place of its first byte in the file of the descriptor, a multiple of ``mmap.ALLOCATIONGRANULARITY``.
        status: the status of a part, with its size; None for the whole file.
    """

    __slots__ = ("_status", "base", "handle")

    def __init__(self, handle: int, base: int = 0, status: os.stat_result | None = None) -> None:
        self.handle = handle
        self.base = base
        self._status = status

    def status(self) -> os.stat_result:
        """Return its current status."""
        return self._status if self._status is not None else os.fstat(self.handle)

    def twin(self) -> Self:
        """Return the same file with another descriptor."""
        return type(self)(os.dup(self.handle), self.base, self._status)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self.handle)

    def source(self, size: int, path: Path, recent: RecentBytes | None) -> MappedFile:
        """Return its bytes, mapped."""
        mapped = MappedFile(self.handle, size, access=mmap.ACCESS_READ, offset=self.base)
        mapped.file, mapped.base, mapped.path, mapped.recent = self.handle, self.base, path, recent
        mapped.is_part = self._status is not None
        return mapped

    def read(self, start: int, size: int) -> bytes:
        """Return ``size`` bytes from ``start`` on, fewer at the end of the file. Raises OSError."""
        size, data = self._available(start, size), b""
        while len(data) < size and (more := _read_at(self.handle, size - len(data), self.base + start + len(data))):
            data += more
        return data

    def _available(self, start: int, size: int) -> int:
        """Return how many of ``size`` bytes a part has; what follows it is not its own."""
        return size if self._status is None else max(min(size, self._status.st_size - start), 0)

    def read_into(self, source: FileBuffer, target: memoryview, start: int, until: int | None) -> int:  # noqa: ARG002
        """Copy bytes from ``start`` on to ``target``; return their number."""
        return read_into(self.handle, source, target[: self._available(start, len(target))], start)


def _read_at(handle: int, size: int, place: int) -> bytes:
    if hasattr(os, "pread"):
        return os.pread(handle, size, place)
    os.lseek(handle, place, os.SEEK_SET)
    return os.read(handle, size)


class FileStream(io.RawIOBase):
    """An open file as a stream; closing the stream closes the file."""

    def __init__(self, file: InputFile) -> None:
        self._file = file
        self._at = 0

    def readable(self) -> bool:
        """Return True."""
        return True

    def seekable(self) -> bool:
        """Return True."""
        return True

    def tell(self) -> int:
        """Return the position of the next read."""
        return self._at

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Set the position and return it."""
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at}.get(whence)
        self._at = max((self._file.status().st_size if base is None else base) + offset, 0)
        return self._at

    def readinto(self, target: Any) -> int:
        """Copy bytes of the file; return their number, 0 at its end."""
        view = memoryview(target).cast("B")
        data = self._file.read(self._at, len(view))
        view[: len(data)] = data
        self._at += len(data)
        return len(data)

    def close(self) -> None:
        """Close the stream and the file."""
        if not self.closed:
            self._file.close()
        super().close()


class MappedFile(mmap.mmap, FileContents):
    """The mapped bytes of an open file.

    Attributes:
        file: its descriptor, while it is open.
        base: the place of its first byte in the file of the descriptor.
        is_part: True if what follows its bytes in that file is not its own.
        path: its name, for errors.
        recent: the bytes that a scan has read last; None if they are not kept.
    """

    file: int
    base: int = 0
    is_part: bool = False
    path: Path | None = None
    recent: RecentBytes | None = None

    def in_memory(self, start: int, stop: int) -> tuple[mmap.mmap, int]:  # noqa: ARG002 - the whole file is mapped
        """Return the mapping of the whole file."""
        return self, 0

    def copy(self, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` to before ``stop``, read from the file.

        Raises:
            CannotRead: the file was truncated, or cannot be read.
        """
        if self.recent is not None and (recent := self.recent.copy(start, stop)) is not None and self._reaches(stop):
            return recent
        parts: list[bytes] = []
        if self.is_part and stop > len(self):
            raise CannotRead.cut(self.path, len(self))
        while start < stop:
            try:
                parts.append(os.pread(self.file, stop - start, self.base + start))
            except OSError as error:
                raise CannotRead.of(error, self.path, start) from error
            if not parts[-1]:
                raise CannotRead("the file was truncated while it was read", path=self.path, rba=start)
            start += len(parts[-1])
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def regions(self, bounds: Sequence[tuple[int, int]]) -> Sequence[bytes | memoryview]:
        """Return the bytes of ranges: those of recent bytes together, so that the file's size is checked once."""
        views = self.recent.views(bounds) if self.recent is not None else None
        return views if views is not None and self._reaches(bounds[-1][1]) else super().regions(bounds)

    def _reaches(self, stop: int) -> bool:
        """Return whether the file still has ``stop`` bytes."""
        try:
            return os.fstat(self.file).st_size >= self.base + stop
        except OSError:
            return False

    def copy_to(self, target: int, start: int, stop: int) -> None:
        """Write the bytes from ``start`` to before ``stop`` to an open file, with ``copy_file_range`` where possible.

        Raises:
            CannotRead: the file was truncated, or cannot be read.
            OSError: they cannot be written.
        """
        if self.is_part and stop > len(self):
            raise CannotRead.cut(self.path, len(self))
        with contextlib.suppress(AttributeError, OSError):
            # fails between some file systems; then the bytes are read and written
            while start < stop and (count := os.copy_file_range(self.file, target, stop - start, self.base + start)):
                start += count
        while start < stop:
            start += os.write(target, self.copy(start, min(stop, start + _COPIED)))


class FileBytes:
    """The bytes of a file, indexed like a buffer but read: a truncated file raises an error, not a signal.

    Neighbouring bytes are read as well; the bytes around the last two places are kept. An object is meant for one look
    at the file.

    Args:
        mapped: the file.
        size: its number of bytes.

    Attributes:
        barren: a range in which a search has found nothing.

    Indexing and copying raise like MappedFile.copy.
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
        """Return a byte, or the bytes of a slice, which must have start and stop."""
        if isinstance(place, int):
            offset = place - self._start
            if not 0 <= offset < len(self._piece):
                self._read(place, place + 1)
                offset = place - self._start
            return self._piece[offset]
        offset, end = place.start - self._start, place.stop - self._start
        if 0 <= offset <= end <= len(self._piece):
            return self._piece[offset:end]
        start, stop = place.start, min(place.stop, self._size)
        if stop - start > _AROUND:
            return self._mapped.copy(start, stop)
        if not self._start <= start <= stop <= self._start + len(self._piece):
            self._read(start, stop)
        return self._piece[start - self._start : stop - self._start]

    def note_barren(self, start: int, stop: int) -> None:
        """Note that a search found nothing in a range; ranges that touch are merged, of others the longest is kept."""
        low, high = self.barren
        if start <= high and low <= stop:
            start, stop = min(start, low), max(stop, high)
        if stop - start > high - low:
            self.barren = (start, stop)

    def around(self, place: int) -> tuple[bytes, int]:
        """Return bytes from a place to 8 KiB after it, as far as available, and the offset of the first."""
        stop = min(place + _AROUND, self._size)
        if not self._start <= place <= stop <= self._start + len(self._piece):
            self._read(place, stop)
        return self._piece, self._start

    def _read(self, start: int, stop: int) -> None:
        """Load bytes. The last two pieces are kept, since a record is read at both its ends."""
        piece, begin = self._other
        self._other = self._piece, self._start
        if begin <= start <= stop <= begin + len(piece):
            self._piece, self._start = piece, begin
            return
        self._start = max(0, start - _AROUND)
        self._piece = self._mapped.copy(self._start, min(stop + _AROUND, self._size))

    def copy(self, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` to before ``stop``, read anew."""
        return self._mapped.copy(start, stop)


FileBuffer = bytes | mmap.mmap | FileContents
Source = bytes | mmap.mmap | FileBytes


def is_read(buffer: FileBuffer | Source) -> TypeGuard[FileContents]:
    """Return whether bytes must be read with system calls, not through their mapping."""
    return isinstance(buffer, FileContents) and (hasattr(os, "pread") or not isinstance(buffer, mmap.mmap))


def as_read(buffer: FileBuffer | Source, size: int) -> Source:
    """Return the first bytes of a buffer; those of a file are read, not mapped."""
    return FileBytes(buffer, size) if is_read(buffer) else cast("Source", buffer)


def around(buffer: Source, place: int) -> tuple[bytes | mmap.mmap, int]:
    """Return bytes that contain a place and its neighbourhood, and the offset of the first."""
    return buffer.around(place) if isinstance(buffer, FileBytes) else (buffer, 0)


def copied(buffer: FileBuffer | Source, start: int, stop: int) -> bytes:
    """Return the bytes from ``start`` to before ``stop`` of a buffer; raises like MappedFile.copy."""
    if isinstance(buffer, FileBytes) or is_read(buffer):
        return buffer.copy(start, stop)
    return cast("bytes | mmap.mmap", buffer)[start:stop]


def copied_regions(buffer: FileBuffer, bounds: Sequence[tuple[int, int]]) -> bytes:
    """Return the bytes of ranges, ascending, one after the other; raises like MappedFile.copy."""
    return b"".join(buffer.regions(bounds) if is_read(buffer) else [copied(buffer, *region) for region in bounds])


def read_into(file: int, mapped: FileBuffer, target: memoryview, start: int) -> int:
    """Copy bytes of a file, from ``start`` on, to ``target``; return their number.

    Raises:
        OSError: the file cannot be read.
    """
    if not hasattr(os, "preadv"):
        # on systems without preadv, a mapped file cannot be truncated
        part = cast("mmap.mmap", mapped)[start : start + len(target)]
        target[: len(part)] = part
        return len(part)
    recent = mapped.recent if isinstance(mapped, FileContents) else None
    read = recent.copy_into(target, start) if recent is not None else 0
    base = mapped.base if isinstance(mapped, MappedFile) else 0
    while read < len(target) and (count := os.preadv(file, [target[read:]], base + start + read)):
        read += count
    if recent is not None:
        recent.add(start, target[:read])
    return read
