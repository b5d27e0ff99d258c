"""RMTHOST COMPRESS: the saving by compressing the blocks on the wire.

Blocks larger than COMPRESSTHRESHOLD are compressed, each on its own; the trail at the other end is not compressed.
The algorithm is not documented: zlib is used instead.
"""

from __future__ import annotations

import time
import zlib
from collections.abc import Iterable
from typing import NamedTuple

from logdump.features.compression.model import Compression

DEFAULT_THRESHOLD = 1000
MOST_THRESHOLD = 28_000
LEVELS = (1, 6, 9)
"""The levels that are tried where none is given."""
TABLE_LEVEL = 6
"""The level for tables where none is given."""
SAMPLE = 200
"""Maximum number of blocks tried if neither LEVEL nor SAMPLE is given."""


class _Trial(NamedTuple):
    number: int
    length: int
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]


class Compressor:
    """Adds blocks up at several levels.

    Args:
        levels: of zlib.
        threshold: bytes over which a block is compressed.
        percent: the part of the blocks that is tried; None: SAMPLE of them at most, evenly chosen.
    """

    def __init__(
        self, levels: Iterable[int] = LEVELS, threshold: int = DEFAULT_THRESHOLD, percent: int | None = 100
    ) -> None:
        self._levels = tuple(levels)
        self._threshold = threshold
        self._percent = percent
        self._distance = 1
        self._bytes = self._blocks = self._over = self._over_bytes = 0
        self._sample: list[_Trial] = []
        self._tried = self._tried_bytes = 0
        self._sizes, self._seconds = [0] * len(self._levels), [0.0] * len(self._levels)

    def add(self, block: bytes) -> None:
        """Add a block."""
        self._blocks += 1
        self._bytes += len(block)
        if len(block) <= self._threshold:
            return
        number = self._over
        self._over += 1
        self._over_bytes += len(block)
        if self._is_chosen(number):
            trial = self._trial(number, block)
            self._count(trial, 1)
            if self._percent is None:
                self._sample.append(trial)
                self._thin()

    def _is_chosen(self, number: int) -> bool:
        if self._percent is None:
            return number % self._distance == 0
        return (number + 1) * self._percent // 100 > number * self._percent // 100 or not number

    def _trial(self, number: int, block: bytes) -> _Trial:
        """Compress one block at every level. A block that would grow is sent uncompressed."""
        sizes, seconds = [], []
        for level in self._levels:
            begun = time.perf_counter()
            sizes.append(min(len(zlib.compress(block, level)), len(block)))
            seconds.append(time.perf_counter() - begun)
        return _Trial(number, len(block), tuple(sizes), tuple(seconds))

    def _thin(self) -> None:
        """Drop every other block of a sample that is too large."""
        if len(self._sample) <= SAMPLE:
            return
        self._distance *= 2
        for trial in self._sample:
            if trial.number % self._distance:
                self._count(trial, -1)
        self._sample = [trial for trial in self._sample if not trial.number % self._distance]

    def _count(self, trial: _Trial, sign: int) -> None:
        self._tried += sign
        self._tried_bytes += sign * trial.length
        self._sizes = [sum_ + sign * size for sum_, size in zip(self._sizes, trial.sizes, strict=True)]
        self._seconds = [sum_ + sign * one for sum_, one in zip(self._seconds, trial.seconds, strict=True)]

    def results(self, table: str | None = None) -> list[Compression]:
        """Return the sums so far at each level; ``table`` is the table counted, None for all."""
        below = self._bytes - self._over_bytes
        return [
            Compression(
                table,
                level,
                self._threshold,
                self._bytes,
                below + (round(self._over_bytes * size / self._tried_bytes) if self._tried_bytes else 0),
                self._blocks,
                self._over,
                self._tried,
                self._tried_bytes,
                max(seconds, 0.0),
            )
            for level, size, seconds in zip(self._levels, self._sizes, self._seconds, strict=True)
        ]
