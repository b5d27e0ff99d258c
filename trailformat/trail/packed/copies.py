"""Unpacked copies, kept for the next opening of the same file.

They are written one after the other into a few unnamed files in the folder for temporary files, which the system
deletes with their last descriptor, however the process ends. All together have a limit; beyond it, the files used least
recently are dropped with the copies in them. An opened copy stays readable.
"""

from __future__ import annotations

import errno
import mmap
import os
import shutil
import tempfile
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from trailformat.codec.environment import UNPACKED, size_limit
from trailformat.codec.mapped_file import LocalFile
from trailformat.errors import NotATrail

LIMIT = 64 << 30
"""Maximum bytes of one unpacked file, and of all copies kept: a small file can unpack to any number of zeros."""
_VOLUMES = 16
"""Number of full unnamed files that fit into the limit."""
Write = Callable[[bytes], object]


class FileVersion(NamedTuple):
    """The identity of one version of a packed file, or of a member of it."""

    device: int
    inode: int
    size: int
    modified: int
    member: str

    @classmethod
    def of(cls, status: os.stat_result, member: str = "") -> FileVersion:
        """Return the identity of a file by its status."""
        return cls(status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, member)


class UnpackedCopy(NamedTuple):
    """A kept copy: where it is in an unnamed file, and its status as a file."""

    volume: _Volume
    start: int
    status: os.stat_result

    def open(self) -> LocalFile:
        """Return the copy as an open file, which stays readable when the copy is dropped. Raises OSError."""
        return LocalFile(os.dup(self.volume.handle), self.start, self.status)


class _Volume:
    """An unnamed file with copies one after the other; ``size`` is the place of the next one."""

    def __init__(self) -> None:
        with tempfile.TemporaryFile(prefix="logdump-") as file:
            self.handle = os.dup(file.fileno())
        self.size = 0

    def __del__(self, close: Callable[[int], None] = os.close) -> None:
        close(self.handle)


class Copies:
    """The kept copies of a process. Not safe for threads: a caller has a lock."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self._copies: dict[FileVersion, UnpackedCopy] = {}
        self._volumes: OrderedDict[_Volume, list[FileVersion]] = OrderedDict()
        self._written: _Volume | None = None

    @property
    def room(self) -> int:
        """Bytes that may be kept of files that nobody has asked for yet: half of the limit and of the free disk."""
        return min(_limit(), shutil.disk_usage(tempfile.gettempdir()).free) // 2

    def get(self, key: FileVersion) -> UnpackedCopy | None:
        """Return the kept copy of a file; None without one."""
        copy = self._copies.get(key)
        if copy is not None:
            self._volumes.move_to_end(copy.volume)
        return copy

    def known(self, key: FileVersion) -> UnpackedCopy | None:
        """Return the same, in another thread while a file is unpacked."""
        return self._copies.get(key)

    def add(
        self, key: FileVersion, path: Path, fill: Callable[[Write], object], most: int | None = None
    ) -> UnpackedCopy:
        """Keep the copy that ``fill`` writes, in place of a former one of the same file.

        ``most`` is the maximum number of bytes, if less than the limit.

        Raises:
            NotATrail: there are more bytes than the limit.
            OSError: there is no room for them on disk, or, with ``errno.EFBIG``, more than ``most``.
        """
        limit = _limit()
        volume = self._current(limit // _VOLUMES)
        start = -(-volume.size // mmap.ALLOCATIONGRANULARITY) * mmap.ALLOCATIONGRANULARITY
        size = 0

        def write(chunk: bytes) -> None:
            nonlocal size
            if most is not None and size + len(chunk) > most:
                raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
            if size + len(chunk) > limit:
                raise NotATrail(
                    f"its unpacked copy has more than {limit:,} bytes; set {UNPACKED} to raise the limit", path=path
                )
            rest = memoryview(chunk)
            while rest:
                written = os.write(volume.handle, rest)
                rest, size = rest[written:], size + written

        os.lseek(volume.handle, start, os.SEEK_SET)
        try:
            fill(write)
        except BaseException:
            os.ftruncate(volume.handle, volume.size)
            raise
        volume.size = start + size
        os.ftruncate(volume.handle, volume.size)
        self._copies[key] = copy = UnpackedCopy(volume, start, _with_size(os.fstat(volume.handle), size))
        self._volumes[volume].append(key)
        self._drop_beyond(limit)
        return copy

    def _current(self, most: int) -> _Volume:
        """Return the volume that is written to, as the one used last."""
        if self._written is None or self._written.size >= most:
            self._written = _Volume()
            self._volumes[self._written] = []
        self._volumes.move_to_end(self._written)
        return self._written

    def _drop_beyond(self, limit: int) -> None:
        while len(self._volumes) > 1 and sum(volume.size for volume in self._volumes) > limit:
            volume, keys = self._volumes.popitem(last=False)  # never the one that was written last
            for key in keys:
                if (copy := self._copies.get(key)) is not None and copy.volume is volume:
                    del self._copies[key]


def _limit() -> int:
    limit = size_limit(UNPACKED)
    return LIMIT if limit is None else limit


def _with_size(status: os.stat_result, size: int) -> os.stat_result:
    return os.stat_result((*status[:6], size, *status[7:10]), {"st_mtime_ns": status.st_mtime_ns})
