"""A file in a store: its bytes are fetched in ranges, ahead of a sequential reader, and kept until it is closed.

They are kept in pieces of ``PIECE`` bytes. Each region of each open file has an unnamed file, in the folder for
temporary files, with each piece at its place; beyond a limit for all files together, the least recently used regions
are dropped.
A request fetches at most ``REQUEST`` bytes; several run at once. Each response identifies the version of the file:
bytes of two versions are never combined.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import tempfile
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from trailformat.codec.environment import CACHED, size_limit
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
CACHE = 1 << 32
"""Maximum number of bytes that are kept of all open files together."""
_LEAST_CACHE = 2 * MOST_AHEAD
_REGIONS = 32
"""Number of full regions that fit into the limit; each has an unnamed file."""
_BEGINNING = 1 << 12
_ROUNDS = 4


class _Region:
    """The pieces of one region of a file, each at its place in an unnamed file of its own.

    Attributes:
        sizes: the size of each piece that is kept, by its number in the file: PIECE, or less at the end of the file.
    """

    def __init__(self, first: int) -> None:
        self._first = first
        with tempfile.TemporaryFile(prefix="logdump-") as file:
            self._handle = os.dup(file.fileno())
        self.sizes: dict[int, int] = {}

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        close(self._handle)  # with its last user: a thread may still read a region that was dropped

    def read(self, target: memoryview, start: int) -> int:
        """Copy bytes that are kept, from ``start`` on; return their number."""
        return os.preadv(self._handle, [target], start - self._first)

    def write(self, data: memoryview, start: int) -> None:
        """Write bytes at their place. Raises OSError if the disk is full."""
        while data:
            written = os.pwrite(self._handle, data, start - self._first)
            data, start = data[written:], start + written


class _Disk:
    """The regions of the files that are open in this process; beyond the limit, those used least recently are dropped.

    A region that is dropped while another thread reads it lives until that thread has its bytes: a place in a file of
    a store is one place in one unnamed file, which nothing else is ever written to.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        room = shutil.disk_usage(tempfile.gettempdir()).free // 2
        limit = size_limit(CACHED)
        self._most = max(min(CACHE, room) if limit is None else limit, _LEAST_CACHE)
        self._of_region = max(self._most // _REGIONS // PIECE, 1) * PIECE
        self._regions: OrderedDict[tuple[_Remote, int], _Region] = OrderedDict()
        self.used = 0

    def get(self, file: _Remote, target: memoryview, start: int) -> int:
        """Copy the kept bytes of a file from ``start`` on, as many as lie there without a gap; return their number."""
        with self._lock:
            region = self._used_region(file, start)
            if region is None:
                return 0
            stop = start
            while stop < start + len(target):
                end = stop // PIECE * PIECE + region.sizes.get(stop // PIECE, 0)
                if end <= stop:
                    break
                stop = end
        return region.read(target[: stop - start], start) if stop > start else 0  # without the lock

    def has(self, file: _Remote, piece: int, size: int) -> bool:
        """Return whether at least ``size`` bytes of a piece are kept."""
        region = self._regions.get((file, piece * PIECE // self._of_region))
        return region is not None and region.sizes.get(piece, 0) >= size

    def put(self, file: _Remote, first: int, data: memoryview) -> None:
        """Keep the bytes of consecutive pieces, unless the file is closed. Raises OSError if the disk is full."""
        start = first * PIECE
        while data:
            part = data[: self._of_region - start % self._of_region]
            with self._lock:
                region = self._new_region(file, start)
            if region is None:
                return
            region.write(part, start)  # without the lock: other threads continue
            with self._lock:
                self._note(file, region, start, len(part))
            data, start = data[len(part) :], start + len(part)

    def drop(self, file: _Remote) -> None:
        """Free what is kept of a closed file."""
        with self._lock:
            for key in [key for key in self._regions if key[0] is file]:
                self._free(key)

    def _used_region(self, file: _Remote, start: int) -> _Region | None:
        key = file, start // self._of_region
        region = self._regions.get(key)
        if region is not None:
            self._regions.move_to_end(key)
        return region

    def _new_region(self, file: _Remote, start: int) -> _Region | None:
        if not file.users:
            return None
        region = self._used_region(file, start)
        if region is None:
            number = start // self._of_region
            region = self._regions[file, number] = _Region(number * self._of_region)
        return region

    def _note(self, file: _Remote, region: _Region, start: int, size: int) -> None:
        """Note written pieces of a region, if it has not been dropped meanwhile."""
        if self._regions.get((file, start // self._of_region)) is not region:
            return
        for begin in range(0, size, PIECE):
            number, written = (start + begin) // PIECE, min(PIECE, size - begin)
            before = region.sizes.get(number, 0)
            region.sizes[number] = max(written, before)
            self.used += region.sizes[number] - before
        while self.used > self._most and len(self._regions) > 1:
            self._free(next(iter(self._regions)))

    def _free(self, key: tuple[_Remote, int]) -> None:
        self.used -= sum(self._regions.pop(key).sizes.values())


class _Process(NamedTuple):
    """The disk space and threads that the files of a process share."""

    pid: int
    disk: _Disk
    pool: ThreadPoolExecutor


_process: list[_Process] = []
_process_lock = threading.Lock()


def _shared() -> _Process:
    with _process_lock:
        if not _process or _process[0].pid != os.getpid():  # threads and locks do not survive a fork
            pool = ThreadPoolExecutor(WORKERS, thread_name_prefix="logdump-fetch")
            _process[:] = [_Process(os.getpid(), _Disk(), pool)]
        return _process[0]


class _Remote:
    """A file in a store, shared by its twins.

    Attributes:
        users: the number of its twins that are open; without any, it is closed and nothing of it is kept.
    """

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
            copied = process.disk.get(self, target[position - start :], position)
            position += copied
            rounds = 0 if copied else rounds + 1
            if copied:
                continue
            if rounds > _ROUNDS:  # the fetched pieces were dropped each time
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
        return number not in self._fetching and not process.disk.has(self, number, min(PIECE, size - number * PIECE))

    def _bring(self, process: _Process, first: int, stop: int) -> None:
        """Fetch pieces and keep them."""
        try:
            data = self._fetch(first * PIECE, stop)
            process.disk.put(self, first, memoryview(data))
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
        if stop > self._last[0] + len(self._last[1]):
            last = data[-_BEGINNING:]
            self._last = stop - len(last), last
        return data

    def join(self) -> None:
        """Add a user. Raises OSError if the file is closed."""
        with self._lock:
            if not self.users:
                raise OSError(errno.EBADF, os.strerror(errno.EBADF))
            self.users += 1

    def leave(self) -> None:
        """Remove a user; the last one ends what is fetched ahead, and frees what is kept."""
        with self._lock:
            self.users -= 1
            is_over = not self.users
            waiting = {*self._fetching.values()} if is_over else set()
        for job in waiting:
            job.cancel()
        if is_over:
            _shared().disk.drop(self)


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
        self._is_closed = False

    def status(self) -> os.stat_result:
        """Return its status, at most POLL seconds old."""
        return status_of(self.path.url, self._remote.look())

    def twin(self) -> RemoteFile:
        """Return the same file for another thread. Raises OSError if it is closed."""
        self._remote.join()
        return RemoteFile(self.path, self._remote)

    def close(self) -> None:
        """Close the file; the last twin frees what is kept of it."""
        if not self._is_closed:
            self._is_closed = True
            self._remote.leave()

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

    def in_memory(self, start: int, stop: int) -> tuple[mmap.mmap, int]:
        """Return the bytes in a file without a name, mapped, and ``start``."""
        with tempfile.TemporaryFile(prefix="logdump-") as file:
            try:
                self.copy_to(file.fileno(), start, stop)
                return mmap.mmap(file.fileno(), stop - start, access=mmap.ACCESS_READ), start
            except OSError as error:
                raise CannotRead.of(error, self._path, start) from error
