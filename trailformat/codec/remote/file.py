"""A file in a store: its bytes are fetched in ranges, ahead of a sequential reader, and kept in one cache.

The cache of the process is a file without a name in the folder for temporary files. It has pieces of ``PIECE`` bytes;
when it is full, the least recently used are replaced. A request fetches at most ``REQUEST`` bytes; several run at once.
Each response identifies the version of the file: bytes of two versions are never combined.
"""

from __future__ import annotations

import errno
import io
import mmap
import os
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

from trailformat.codec.mapped_file import FileBuffer, FileContents, RecentBytes
from trailformat.codec.remote.path import RemotePath
from trailformat.codec.remote.store import Facts, NoRangesError, status_of, store_of
from trailformat.errors import CannotRead

PIECE = 1 << 16
REQUEST = 1 << 23
MOST_AHEAD = 1 << 26
"""Maximum number of bytes fetched ahead of the reader; the number doubles while it reads sequentially."""
WORKERS = 8
POLL = 1.0
"""Seconds after which the store is queried again for the facts of a file."""
CACHE_VARIABLE = "LOGDUMP_REMOTE_CACHE"
"""Environment variable with another limit of the cache, in bytes."""
CACHE = 1 << 32
_LEAST_CACHE = 2 * MOST_AHEAD
_BEGINNING = 1 << 12
_WRITE = 1 << 20
"""Maximum number of bytes written to the cache under one lock, during which other threads wait."""
_ROUNDS = 4


class _Piece(NamedTuple):
    """The slot of a piece in the cache, and its size: less than PIECE at the end of a file."""

    slot: int
    size: int


class _Cache:
    """Pieces of files in stores, shared by the whole process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        with tempfile.TemporaryFile(prefix="logdump-") as file:
            self._handle = os.dup(file.fileno())  # open as long as the process
        self._pieces: OrderedDict[tuple[int, int], _Piece] = OrderedDict()
        self._free: list[int] = []
        self._slots = 0
        given = os.environ.get(CACHE_VARIABLE, "")
        room = shutil.disk_usage(tempfile.gettempdir()).free // 2
        limit = int(given) if given.isdecimal() else min(CACHE, room)
        self._most = max(limit, _LEAST_CACHE) // PIECE

    def get(self, file: int, target: memoryview, start: int) -> int:
        """Copy the cached consecutive bytes of a file from ``start`` on; return their number."""
        while pieces := self._pieces_from(file, start, len(target)):
            offset = start % PIECE
            stop = min(offset + len(target), (len(pieces) - 1) * PIECE + pieces[-1].size)
            place = pieces[0].slot * PIECE + offset
            read = os.preadv(self._handle, [target[: stop - offset]], place)  # without the lock: other threads continue
            with self._lock:  # the bytes are right if no piece was replaced
                if all(
                    self._pieces.get((file, number)) is piece for number, piece in enumerate(pieces, start // PIECE)
                ):
                    return read
        return 0

    def _pieces_from(self, file: int, start: int, size: int) -> list[_Piece]:
        """Return the cached pieces with the bytes from ``start`` on, as long as their slots are consecutive."""
        pieces: list[_Piece] = []
        with self._lock:
            for number in range(start // PIECE, -(-(start + size) // PIECE)):
                piece = self._pieces.get((file, number))
                if piece is None or (pieces and piece.slot != pieces[-1].slot + 1):
                    break
                self._pieces.move_to_end((file, number))
                pieces.append(piece)
                if piece.size < PIECE:
                    break
        return pieces if pieces and start % PIECE < pieces[0].size else []

    def has(self, file: int, piece: int, size: int) -> bool:
        """Return whether at least ``size`` bytes of a piece are cached."""
        cached = self._pieces.get((file, piece))
        return cached is not None and cached.size >= size

    def put(self, file: int, first: int, data: memoryview) -> None:
        """Store the bytes of consecutive pieces. Raises OSError if the disk is full."""
        for begin in range(0, len(data), _WRITE):
            with self._lock:
                self._put(file, first + begin // PIECE, data[begin : begin + _WRITE])

    def _put(self, file: int, first: int, data: memoryview) -> None:
        for number in range(first, first + -(-len(data) // PIECE)):
            if (known := self._pieces.pop((file, number), None)) is not None:
                self._free.append(known.slot)
        sizes = [min(PIECE, len(data) - start) for start in range(0, len(data), PIECE)]
        slots = sorted(self._slot() for _ in sizes)
        begin = 0
        for stop in range(1, len(slots) + 1):
            if stop == len(slots) or slots[stop] != slots[stop - 1] + 1:
                os.pwrite(self._handle, data[begin * PIECE : stop * PIECE], slots[begin] * PIECE)
                begin = stop
        for number, (slot, size) in enumerate(zip(slots, sizes, strict=True), first):
            self._pieces[file, number] = _Piece(slot, size)

    def forget(self, file: int) -> None:
        """Free the pieces of a file."""
        with self._lock:
            for key in [key for key in self._pieces if key[0] == file]:
                self._free.append(self._pieces.pop(key).slot)

    def _slot(self) -> int:
        if self._free:
            return self._free.pop()
        if self._slots >= self._most:
            return self._pieces.popitem(last=False)[1].slot
        self._slots += 1
        return self._slots - 1


class _Process(NamedTuple):
    """The cache and threads that the files of a process share."""

    pid: int
    cache: _Cache
    pool: ThreadPoolExecutor


_process: list[_Process] = []
_process_lock = threading.Lock()


def _shared() -> _Process:
    with _process_lock:
        if not _process or _process[0].pid != os.getpid():  # threads and locks do not survive a fork
            pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="logdump-fetch")
            _process[:] = [_Process(os.getpid(), _Cache(), pool)]
        return _process[0]


class _Remote:
    """A file in a store, shared by its twins."""

    def __init__(self, path: RemotePath) -> None:
        self.path = path
        self.store = store_of(path.url)
        self.facts = self.store.facts(path.url, now=True)
        if self.facts.is_folder:
            raise IsADirectoryError(21, "it is a directory")
        if self.facts.size is None:
            raise NoRangesError("the server does not say how long the file is")
        self.users = 1
        self._looked = time.monotonic()
        self._lock = threading.Lock()
        self._fetching: dict[int, Future[None]] = {}
        self._beginning = b""
        self._last = (0, b"")
        self._problem: CannotRead | None = None
        self.fetched = 0

    @property
    def size(self) -> int:
        return self.facts.size or 0

    def look(self) -> Facts:
        """Return the facts of the file, at most POLL seconds old. Raises CannotRead if it has changed."""
        if self._problem is not None:
            raise self._problem
        if time.monotonic() - self._looked >= POLL:
            self._see(self.store.facts(self.path.url, now=True))
            self._looked = time.monotonic()
        return self.facts

    def _see(self, now: Facts) -> None:
        """Compare new facts; keep them if the file only grew. Raises CannotRead if its bytes have changed."""
        if now.is_as(self.facts):
            return
        with self._lock:
            if now.is_as(self.facts):
                return
            problem = "the file has changed while it was read"
            if now.size is not None and now.size >= self.size and self._begins_as_before(now):
                self.facts = now
                return
            if now.size is not None and now.size < self.size:
                problem = f"the file was truncated to {now.size} bytes while it was read"
            self._problem = CannotRead(problem, path=self.path)
            raise self._problem

    def _begins_as_before(self, now: Facts) -> bool:
        """Return whether the known bytes of the former version, at its beginning and end, are in this one too."""
        for start, known in ((0, self._beginning), self._last):
            if known:
                fetched = self.store.fetch(self.path.url, start, start + len(known))
                if fetched.data != known or not fetched.facts.is_as(now):
                    return False
        return True

    def read(self, target: memoryview, start: int, ahead: int) -> None:
        """Copy bytes of the file; request those up to ``ahead`` as well."""
        process, position, stop, rounds = _shared(), start, start + len(target), 0
        while position < stop:
            copied = process.cache.get(id(self), target[position - start :], position)
            position += copied
            rounds = 0 if copied else rounds + 1
            if copied:
                continue
            if rounds > _ROUNDS:  # the fetched pieces were evicted each time
                end = min(stop, (position // PIECE + 1) * PIECE)
                target[position - start : end - start] = self._fetch(position, end)
                position = end
                continue
            self.want(position // PIECE, stop, ahead)
            if (under_way := self._fetching.get(position // PIECE)) is not None:
                under_way.result()

    def want(self, first: int, stop: int, ahead: int) -> int:
        """Request the missing pieces from ``first`` on: those before ``stop``, and some of those before ``ahead``.

        Return the place up to which no further request is needed.
        """
        process, size = _shared(), self.size
        until = min(max(stop, ahead), size)
        with self._lock:
            number, last, requested = first, -(-until // PIECE), first
            enough = min(max((until - stop) // 2, PIECE), REQUEST) // PIECE  # no small requests ahead
            while number < last:
                begin = number
                while number < last and number - begin < REQUEST // PIECE and self._is_missing(process, number, size):
                    number += 1
                if number == begin:
                    number += 1
                elif number < last or begin * PIECE < stop or number - begin >= enough or until == size:
                    job = process.pool.submit(self._bring, process, begin, min(number * PIECE, size))
                    self._fetching.update(dict.fromkeys(range(begin, number), job))
                else:
                    break
                requested = number
        return requested * PIECE

    def _is_missing(self, process: _Process, number: int, size: int) -> bool:
        return number not in self._fetching and not process.cache.has(
            id(self), number, min(PIECE, size - number * PIECE)
        )

    def _bring(self, process: _Process, first: int, stop: int) -> None:
        """Fetch pieces and put them into the cache."""
        try:
            data = self._fetch(first * PIECE, stop)
            process.cache.put(id(self), first, memoryview(data))
        finally:
            with self._lock:
                for number in range(first, -(-stop // PIECE)):
                    self._fetching.pop(number, None)

    def _fetch(self, start: int, stop: int) -> bytes:
        if self._problem is not None:
            raise self._problem
        try:
            data, facts = self.store.fetch(self.path.url, start, stop)
        except OSError as error:
            if error.errno == errno.ESTALE:
                self._see(self.store.facts(self.path.url, now=True))
            raise
        self._see(facts)
        self.fetched += stop - start
        if start == 0:
            self._beginning = data[:_BEGINNING]
        if stop > self._last[0]:
            last = data[-_BEGINNING:]
            self._last = stop - len(last), last
        return data

    def close(self) -> None:
        with self._lock:
            self.users -= 1
            is_over = not self.users
        if is_over:
            _shared().cache.forget(id(self))


class RemoteFile:
    """An open file in a store; an :class:`~trailformat.codec.mapped_file.InputFile`.

    Raises:
        OSError: it does not exist, or cannot be fetched.
        NoRangesError: the server cannot serve ranges of it.
    """

    def __init__(self, path: RemotePath, of: _Remote | None = None) -> None:
        self._remote = of if of is not None else _Remote(path)
        self.path = path
        self._next = self._ahead = self._asked = 0

    def status(self) -> os.stat_result:
        """Return its status, at most POLL seconds old."""
        return status_of(self.path.url, self._remote.look())

    def twin(self) -> RemoteFile:
        """Return the same file for another thread."""
        self._remote.users += 1
        return RemoteFile(self.path, self._remote)

    def close(self) -> None:
        """Close the file; the last twin frees its cached pieces."""
        self._remote.close()

    def source(self, size: int, path: Path, recent: RecentBytes | None) -> FileContents:
        """Return its first ``size`` bytes."""
        return FetchedBytes(self, size, path, recent)

    def read(self, start: int, size: int) -> bytes:
        """Return ``size`` bytes from ``start`` on, fewer at the end of the file. Raises OSError and CannotRead."""
        data = bytearray(max(min(size, self._remote.size - start), 0))
        self.read_at(memoryview(data), start, None)
        return bytes(data)

    def read_into(self, source: FileBuffer, target: memoryview, start: int, until: int | None) -> int:
        """Copy bytes from ``start`` on to ``target``; return their number."""
        recent = source.recent if isinstance(source, FileContents) else None
        read = recent.copy_into(target, start) if recent is not None else 0
        stop = max(min(start + len(target), self._remote.size), start)
        if start + read < stop:
            self.read_at(target[read : stop - start], start + read, until)
        if recent is not None:
            recent.add(start, target[: stop - start])
        return stop - start

    def read_at(self, target: memoryview, start: int, until: int | None) -> None:
        """Copy bytes of the file, and request those after them if the reader is sequential."""
        stop = start + len(target)
        if self._next <= start + PIECE and start <= self._next:
            least = PIECE if until is None else REQUEST
            self._ahead = min(max(2 * self._ahead, least), MOST_AHEAD) if self._next else 0
        else:
            self._ahead = self._asked = 0
        self._next = stop
        ahead = stop + self._ahead
        if until is not None:
            ahead = min(ahead, until)
        self._remote.read(target, start, ahead)
        if ahead > stop:
            self._asked = self._remote.want(max(self._asked, stop) // PIECE, stop, ahead)


class FetchedBytes(FileContents):
    """The bytes of a file in a store. Raises like FileContents."""

    __slots__ = ("_file", "_path", "_size", "recent")

    def __init__(self, file: RemoteFile, size: int, path: Path, recent: RecentBytes | None) -> None:
        self._file = file
        self._size = size
        self._path = path
        self.recent = recent

    def __len__(self) -> int:
        return self._size

    def copy(self, start: int, stop: int) -> bytes:
        """Return the bytes from ``start`` to before ``stop``."""
        if self.recent is not None and (recent := self.recent.copy(start, stop)) is not None:
            return recent
        data = bytearray(max(stop - start, 0))
        if stop > self._size:
            raise CannotRead("the file was truncated while it was read", path=self._path, rba=self._size)
        try:
            self._file.read_at(memoryview(data), start, None)
        except OSError as error:
            raise CannotRead.of(error, self._path, start) from error
        return bytes(data)

    def copy_to(self, target: int, start: int, stop: int) -> None:
        """Write the bytes from ``start`` to before ``stop`` to an open file."""
        while start < stop:
            rest = memoryview(self.copy(start, min(stop, start + REQUEST)))
            start += len(rest)
            while rest:
                rest = rest[os.write(target, rest) :]

    def held(self, start: int, stop: int) -> tuple[mmap.mmap, int]:
        """Return the bytes in a file without a name, mapped, and ``start``."""
        with tempfile.TemporaryFile(prefix="logdump-") as file:
            try:
                self.copy_to(file.fileno(), start, stop)
                return mmap.mmap(file.fileno(), stop - start, access=mmap.ACCESS_READ), start
            except OSError as error:
                raise CannotRead.of(error, self._path, start) from error


class RemoteReader(io.RawIOBase):
    """A file in a store as a stream; closing the stream closes the file."""

    def __init__(self, file: RemoteFile) -> None:
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
