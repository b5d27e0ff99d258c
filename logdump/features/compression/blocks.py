"""Blocks of records, as a pump may send them.

Records in the order of the file are packed into blocks of at most ``size`` bytes; a larger record is a block of its
own. What Extract puts into a block is not documented: 30,000 bytes are the default of its buffer.
"""

from __future__ import annotations

from collections.abc import Iterator

DEFAULT_SIZE = 30_000


class Packer:
    """Packs records into blocks of at most so many bytes."""

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        self._size = size
        self._parts: list[bytes] = []
        self._length = 0

    def add(self, record: bytes) -> Iterator[bytes]:
        """Take a record in; yields the block before it, where that has no room for it."""
        if self._length + len(record) > self._size:
            yield from self.end()
        self._parts.append(record)
        self._length += len(record)

    def end(self) -> Iterator[bytes]:
        """End the block, if one was begun."""
        if self._parts:
            yield b"".join(self._parts)
        self._parts, self._length = [], 0
