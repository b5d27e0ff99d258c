"""Ranges of RBAs in a file."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import NamedTuple


class ByteRange(NamedTuple):
    """The bytes from one RBA to before another."""

    start: int
    stop: int

    @property
    def size(self) -> int:
        """Number of bytes."""
        return self.stop - self.start


class ByteRanges:
    """ByteRanges in order that neither overlap nor touch; those given may do both."""

    def __init__(self, given: Iterable[ByteRange] = ()) -> None:
        self._starts, self._stops = array("q"), array("q")
        for start, stop in sorted(given):
            if self._stops and start <= self._stops[-1]:
                self._stops[-1] = max(self._stops[-1], stop)
            else:
                self._starts.append(start)
                self._stops.append(stop)

    def __len__(self) -> int:
        return len(self._starts)

    def __iter__(self) -> Iterator[ByteRange]:
        return map(ByteRange, self._starts, self._stops)

    def at(self, rba: int) -> ByteRange | None:
        """Return the range that contains an RBA, None without one."""
        span = self.before(rba + 1)
        return span if span is not None and rba < span.stop else None

    def before(self, rba: int) -> ByteRange | None:
        """The last one that begins before an RBA."""
        at = bisect_right(self._starts, rba - 1) - 1
        return ByteRange(self._starts[at], self._stops[at]) if at >= 0 else None

    def after(self, rba: int) -> ByteRange | None:
        """Return the first range that begins at an RBA or after it."""
        at = bisect_left(self._starts, rba)
        return ByteRange(self._starts[at], self._stops[at]) if at < len(self) else None

    def outside(self, start: int, stop: int) -> Iterator[ByteRange]:
        """Yield the parts of ``start`` to ``stop`` that no range covers."""
        held = self.at(start)
        at = start if held is None else held.stop
        while at < stop:
            following = self.after(at)
            end = stop if following is None else min(following.start, stop)
            if at < end:
                yield ByteRange(at, end)
            at = stop if following is None else following.stop

    @property
    def size(self) -> int:
        """The bytes in all of them."""
        return sum(span.size for span in self)
