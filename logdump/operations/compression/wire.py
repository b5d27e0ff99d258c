"""RMTHOST COMPRESS: what compressing the blocks on the wire would save.

Blocks larger than COMPRESSTHRESHOLD are compressed, each for itself; the trail at the other end is written as it was.
The algorithm is not documented: zlib stands in for it.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable
from typing import NamedTuple

DEFAULT_THRESHOLD = 1000
MOST_THRESHOLD = 28_000
LEVELS = (1, 6, 9)
"""The levels that are tried where none is given."""


class Compression(NamedTuple):
    """The sums of blocks at one level.

    Attributes:
        level: of zlib.
        threshold: bytes over which a block is compressed.
        bytes, compressed: of all blocks, before and after.
        blocks, blocks_compressed: how many there are, and how many of them are over the threshold.
        seconds: the time of zlib on this machine.
    """

    level: int
    threshold: int
    bytes: int
    compressed: int
    blocks: int
    blocks_compressed: int
    seconds: float

    @property
    def ratio(self) -> float:
        """Bytes before for one after; 1 without any."""
        return self.bytes / self.compressed if self.compressed else 1.0

    @property
    def is_incompressible(self) -> bool:
        """Whether compression does nothing: data that are encrypted, or compressed already."""
        return bool(self.blocks_compressed) and self.ratio < INCOMPRESSIBLE


INCOMPRESSIBLE = 1.02
"""A ratio below which the data do not compress."""


class Compressor:
    """Adds blocks up at one level."""

    def __init__(self, level: int, threshold: int = DEFAULT_THRESHOLD) -> None:
        self._level = level
        self._threshold = threshold
        self._bytes = self._compressed = self._blocks = self._blocks_compressed = 0
        self._seconds = 0.0

    def add(self, block: bytes) -> None:
        """Take a block in. One that would become larger is sent as it is."""
        self._blocks += 1
        self._bytes += len(block)
        if len(block) <= self._threshold:
            self._compressed += len(block)
            return
        begun = time.perf_counter()
        compressed = len(zlib.compress(block, self._level))
        self._seconds += time.perf_counter() - begun
        self._blocks_compressed += 1
        self._compressed += min(compressed, len(block))

    def result(self) -> Compression:
        """The sums so far."""
        return Compression(
            self._level,
            self._threshold,
            self._bytes,
            self._compressed,
            self._blocks,
            self._blocks_compressed,
            self._seconds,
        )


def compress(
    blocks: Iterable[bytes], levels: Iterable[int] = LEVELS, threshold: int = DEFAULT_THRESHOLD
) -> list[Compression]:
    """The sums of the blocks at each level; one block at a time is held."""
    compressors = [Compressor(level, threshold) for level in levels]
    for block in blocks:
        for compressor in compressors:
            compressor.add(block)
    return [compressor.result() for compressor in compressors]
