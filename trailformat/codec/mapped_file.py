"""A mapped file that can also be read: bytes that are used for long are copied, others stay in place.

Touching the mapping of bytes that were cut off ends the process (SIGBUS); a read comes back short.
"""

from __future__ import annotations

import mmap
import os

from trailformat.errors import NotATrail


class MappedFile(mmap.mmap):
    """The mapped bytes of an open file.

    Attributes:
        file: its descriptor, as long as it is open.
    """

    file: int

    def copy(self, start: int, stop: int) -> bytes:
        """The bytes from ``start`` to before ``stop``, read from the file.

        Raises:
            NotATrail: they are not there any more, or cannot be read.
        """
        parts: list[bytes] = []
        while start < stop:
            try:
                parts.append(os.pread(self.file, stop - start, start))
            except OSError as error:
                raise NotATrail(f"cannot be read: {error}", rba=start) from error
            if not parts[-1]:
                raise NotATrail("the file was cut while it was read", rba=start)
            start += len(parts[-1])
        return parts[0] if len(parts) == 1 else b"".join(parts)


def copied(buffer: bytes | mmap.mmap, start: int, stop: int) -> bytes:
    """The bytes from ``start`` to before ``stop`` of a buffer; raises like MappedFile.copy."""
    if isinstance(buffer, MappedFile) and hasattr(os, "pread"):
        return buffer.copy(start, stop)
    return buffer[start:stop]


def read_into(file: int, mapped: bytes | mmap.mmap, target: memoryview, start: int) -> int:
    """Copy bytes of a file, from ``start`` on, to ``target``; returns how many there were.

    Raises:
        OSError: the file cannot be read.
    """
    if not hasattr(os, "preadv"):
        # there nobody can cut a file that is mapped
        found = mapped[start : start + len(target)]
        target[: len(found)] = found
        return len(found)
    read = 0
    while read < len(target) and (count := os.preadv(file, [target[read:]], start + read)):
        read += count
    return read
