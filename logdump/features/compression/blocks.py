"""Blocks of records as they would go over the network, and what compression makes of them.

    columns of records -> Packer (blocks of a maximum size) -> Compressor (some of them, at several levels)

A block is places in a file: its bytes are copied only if it is one of those that are compressed.
"""

from __future__ import annotations

import time
import zlib
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from logdump.features.compression.model import Compression
from trailformat.codec.mapped_file import Source, copied
from trailformat.codec.on_demand import on_demand

with on_demand:
    import numpy as np

if TYPE_CHECKING:
    from trailformat.scan.rows.row_bytes import Array

DEFAULT_THRESHOLD = 1000
MOST_THRESHOLD = 28_000
LEVELS = (1, 6, 9)
"""The levels tried unless one is given."""
TABLE_LEVEL = 6
"""The level for tables unless one is given."""
SAMPLE = 200
"""Maximum number of blocks tried if neither LEVEL nor SAMPLE is given."""
MOST_WAITING = 32 << 20
"""Maximum number of bytes, of all compressors, that wait until the sample is known."""


class WireBlock(NamedTuple):
    """A block: its size in bytes, and the function that returns them; it raises CannotRead."""

    size: int
    read: Callable[[], bytes]


class RecordPlaces(NamedTuple):
    """Consecutive parts of a stream, each with a place in a file.

    Attributes:
        buffer: the bytes of the file.
        starts, sizes: int64, the offset of each part and its number of bytes, above 0; offsets ascend.
        ends: a mask of the parts with which a block ends.
    """

    buffer: Source
    starts: Array
    sizes: Array
    ends: Array

    def read(self, first: int, stop: int) -> bytes:
        """Return the bytes of some parts; raises CannotRead."""
        begins = self.starts[first:stop]
        after = begins + self.sizes[first:stop]
        is_break = begins[1:] != after[:-1]
        bounds = begins[np.append(True, is_break)].tolist(), after[np.append(is_break, True)].tolist()
        return b"".join(copied(self.buffer, *region) for region in zip(*bounds, strict=True))


class WaitingBlocks:
    """Number of bytes of the blocks that wait to be compressed, of several compressors."""

    def __init__(self) -> None:
        self.bytes = 0


class _Trial(NamedTuple):
    number: int
    length: int
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]


class Compressor:
    """Sums of blocks, compressed at several levels.

    Args:
        levels: compression levels of zlib.
        threshold: size in bytes above which a block is compressed.
        percent: percentage of those blocks that is tried; None: at most SAMPLE of them, evenly spaced.
        waiting: counts the bytes that wait, of all compressors that share it.
    """

    def __init__(
        self,
        levels: Iterable[int] = LEVELS,
        threshold: int = DEFAULT_THRESHOLD,
        percent: int | None = 100,
        waiting: WaitingBlocks | None = None,
    ) -> None:
        self._levels = tuple(levels)
        self._threshold = threshold
        self._percent = percent
        self._distance = 1
        self._bytes = self._blocks = self._over = self._over_bytes = 0
        self._sample: list[_Trial] = []
        self._untried: list[tuple[int, bytes]] = []
        self._waiting = waiting or WaitingBlocks()
        self._tried = self._tried_bytes = 0
        self._sizes, self._seconds = [0] * len(self._levels), [0.0] * len(self._levels)

    def add(self, block: WireBlock) -> None:
        """Add a block. Raises CannotRead."""
        self._blocks += 1
        self._bytes += block.size
        if block.size <= self._threshold:
            return
        number = self._over
        self._over += 1
        self._over_bytes += block.size
        if not self._is_chosen(number):
            return
        if self._percent is not None:
            self._try(number, block.read())
            return
        # most blocks leave the sample while it is thinned: the others are compressed when it is known
        if self._waiting.bytes + block.size <= MOST_WAITING:
            self._waiting.bytes += block.size
            self._untried.append((number, block.read()))
        else:
            self._sample.append(self._try(number, block.read()))
        self._thin()

    def _is_chosen(self, number: int) -> bool:
        if self._percent is None:
            return number % self._distance == 0
        return (number + 1) * self._percent // 100 > number * self._percent // 100 or not number

    def _try(self, number: int, block: bytes) -> _Trial:
        """Compress one block at every level, and count it. A block that would grow is sent uncompressed."""
        sizes, seconds = [], []
        for level in self._levels:
            begun = time.perf_counter()
            sizes.append(min(len(zlib.compress(block, level)), len(block)))
            seconds.append(time.perf_counter() - begun)
        trial = _Trial(number, len(block), tuple(sizes), tuple(seconds))
        self._count(trial, 1)
        return trial

    def _thin(self) -> None:
        """Drop every other block of a sample that is too large."""
        if len(self._sample) + len(self._untried) <= SAMPLE:
            return
        self._distance *= 2
        for trial in self._sample:
            if trial.number % self._distance:
                self._count(trial, -1)
        self._sample = [trial for trial in self._sample if not trial.number % self._distance]
        before = sum(len(block) for _, block in self._untried)
        self._untried = [(number, block) for number, block in self._untried if not number % self._distance]
        self._waiting.bytes -= before - sum(len(block) for _, block in self._untried)

    def _try_waiting(self) -> None:
        """Compress the blocks that wait."""
        for number, block in self._untried:
            self._sample.append(self._try(number, block))
            self._waiting.bytes -= len(block)
        self._untried = []

    def _count(self, trial: _Trial, sign: int) -> None:
        self._tried += sign
        self._tried_bytes += sign * trial.length
        self._sizes = [sum_ + sign * size for sum_, size in zip(self._sizes, trial.sizes, strict=True)]
        self._seconds = [sum_ + sign * seconds for sum_, seconds in zip(self._seconds, trial.seconds, strict=True)]

    def results(self, table: str | None = None) -> list[Compression]:
        """Return the sums so far at each level; ``table`` is the table counted, None for all."""
        self._try_waiting()
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


DEFAULT_SIZE = 30_000


class Packer:
    """Packs parts into blocks of a maximum size; a part that is larger is a block of its own."""

    def __init__(self, size: int = DEFAULT_SIZE) -> None:
        self._size = size
        self._pieces: list[tuple[RecordPlaces, int, int]] = []
        self._length = 0

    def add(self, parts: RecordPlaces) -> Iterator[WireBlock]:
        """Add parts; yield each block that ends before one of them, or with one in their mask ``ends``."""
        totals = [0, *np.cumsum(parts.sizes).tolist()]
        last, first = len(parts.sizes), 0
        for stop in [*(np.flatnonzero(parts.ends) + 1).tolist(), last]:
            while first < stop:
                after = bisect_right(totals, totals[first] + self._size - self._length, first, stop + 1) - 1
                if after <= first and self._length:
                    yield from self.end()
                    continue
                after = max(after, first + 1)
                self._pieces.append((parts, first, after))
                self._length += totals[after] - totals[first]
                first = after
            if first and parts.ends[first - 1]:
                yield from self.end()

    def end(self) -> Iterator[WireBlock]:
        """End the block, if one was begun."""
        pieces, length = self._pieces, self._length
        self._pieces, self._length = [], 0
        if pieces:
            yield WireBlock(length, lambda: b"".join(parts.read(first, stop) for parts, first, stop in pieces))


class WireBlocks:
    """Blocks of records, and their sums.

    Args:
        packer: packs the records.
        compressor: takes the blocks.
    """

    def __init__(self, packer: Packer, compressor: Compressor) -> None:
        self._packer, self.compressor = packer, compressor

    def add(self, records: RecordPlaces) -> None:
        """Add records. Raises CannotRead."""
        for block in self._packer.add(records):
            self.compressor.add(block)

    def end(self) -> None:
        """End the current block. Raises CannotRead."""
        for block in self._packer.end():
            self.compressor.add(block)
