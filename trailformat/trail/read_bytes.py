"""The bytes of a growing file that were read, so that a file that is rewritten in place is noticed.

    header | digests of blocks | kept bytes |  not read yet
           begin               kept_from    stop

The file header is not compared: the writer updates it in place when it closes the file.
"""

from __future__ import annotations

from hashlib import blake2b

from trailformat.codec.mapped_file import copied
from trailformat.codec.remote.path import RemotePath
from trailformat.trail.file import TrailFile

_BLOCK = 1 << 12
"""Bytes for each digest; a digest has 8 bytes, so that 2 GB of trail take 4 MB."""
_DIGEST = 8
_KEPT = 1 << 20
"""Bytes that are kept, at least, as far as there are some: they are compared at each look."""


class ReadBytes:
    """The bytes of a file from some place on, up to its size at the last call of ``extend``.

    Args:
        trail: the file.
        begin: the RBA from which on bytes are known; the file header is never.

    Methods raise CannotRead.
    """

    def __init__(self, trail: TrailFile, begin: int = 0) -> None:
        self._header = trail.first_rba
        self._begin = self._kept_from = max(begin, self._header)
        self._digests = bytearray()
        self._kept = bytearray()

    @property
    def stop(self) -> int:
        """The RBA up to which bytes are known."""
        return self._kept_from + len(self._kept)

    def extend(self, trail: TrailFile) -> None:
        """Read the bytes up to the present end of the file."""
        size = trail.size
        if isinstance(trail.path, RemotePath):
            self._kept_from = size  # a store refuses a file that has changed
        while (start := self.stop) < size:
            self._kept += copied(trail.buffer, start, min(start + _KEPT, size))
            if len(self._kept) >= 2 * _KEPT:
                self._digests += b"".join(_digest(self._kept[at : at + _BLOCK]) for at in range(0, _KEPT, _BLOCK))
                del self._kept[:_KEPT]
                self._kept_from += _KEPT

    def differ(self, trail: TrailFile) -> bool:
        """Return True if the file is shorter now, or its last known bytes are others."""
        if trail.size < self.stop or trail.first_rba != self._header:
            return True
        return copied(trail.buffer, self._kept_from, self.stop) != self._kept

    def agree_up_to(self, trail: TrailFile) -> int:
        """Return the RBA up to which the bytes of the file are the known ones; 0 if the first known ones are not."""
        end = min(trail.size, self.stop)
        if end < self._begin or trail.first_rba != self._header:
            return 0
        agreed = self._agreed_blocks(trail, end)
        if agreed == self._kept_from:
            agreed += _equal(copied(trail.buffer, agreed, max(end, agreed)), bytes(self._kept))
        return agreed if agreed > self._begin or end == self._begin else 0

    def _agreed_blocks(self, trail: TrailFile, end: int) -> int:
        """Return the RBA after the last block that agrees, at most that of the kept bytes."""
        rba = self._begin
        for at in range(0, len(self._digests), _DIGEST):
            block = copied(trail.buffer, rba, min(rba + _BLOCK, end))
            if _digest(block) != self._digests[at : at + _DIGEST]:
                break
            rba += _BLOCK
        return rba

    def cut(self, trail: TrailFile, rba: int) -> None:
        """Forget the bytes from an RBA on; those of the blocks before it are read from the file again."""
        if rba < self._kept_from:
            blocks = max(0, rba - self._begin) // _BLOCK
            del self._digests[blocks * _DIGEST :], self._kept[:]
            self._kept_from = self._begin + blocks * _BLOCK
            self._kept += copied(trail.buffer, self._kept_from, max(rba, self._kept_from))
        del self._kept[max(0, rba - self._kept_from) :]


def _digest(block: bytes | bytearray) -> bytes:
    return blake2b(block, digest_size=_DIGEST).digest()


def _equal(first: bytes, second: bytes) -> int:
    """Return the number of equal bytes at the beginning."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        low, high = (middle, high) if first[:middle] == second[:middle] else (low, middle - 1)
    return low
