"""The alignment of two streams: equal heads in lockstep, else the longest common subsequence of the items ahead.

a   1 2 3   4 5 6
b   1 2   9 4 5 6       1 and 2 in lockstep; then a stretch, in which 3 and 9 have no counterpart
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import islice, takewhile
from typing import Any, Generic, NamedTuple, TypeVar

T = TypeVar("T")
Pairs = list[tuple[int, int]]


def longest_common(a: Sequence[Hashable], b: Sequence[Hashable]) -> Pairs:
    """The indexes of a longest common subsequence.

    Bit j of a row is 0 where element j of ``b`` makes the subsequence of it and of ``a`` so far longer by one; a row
    follows from the one before by a few operations on whole integers.
    """
    places: dict[Hashable, int] = {}
    for index, item in enumerate(b):
        places[item] = places.get(item, 0) | 1 << index
    rows, row, mask = [], (1 << len(b)) - 1, (1 << len(b)) - 1
    for item in a:
        common = row & places.get(item, 0)
        row = ((row + common) | (row - common)) & mask
        rows.append(row)
    pairs: Pairs = []
    at, other = len(a) - 1, len(b) - 1
    while at >= 0 and other >= 0:
        if rows[at] >> other & 1:
            other -= 1
        elif at and not rows[at - 1] >> other & 1:
            at -= 1
        else:
            pairs.append((at, other))
            at, other = at - 1, other - 1
    return pairs[::-1]


class AlignedStretch(NamedTuple, Generic[T]):
    """Items of both streams, and the ascending index pairs of those that match; the others have no counterpart."""

    a: list[T]
    b: list[T]
    pairs: Pairs

    def gaps(self) -> Iterator[tuple[list[int], list[int], tuple[int, int] | None]]:
        """Yield the unmatched indexes before each pair, and the pair; those after the last pair come with None."""
        at = other = 0
        for pair in (*self.pairs, None):
            stop, other_stop = pair or (len(self.a), len(self.b))
            yield list(range(at, stop)), list(range(other, other_stop)), pair
            at, other = stop + 1, other_stop + 1


class Alignment(Generic[T]):
    """Aligns two streams by keys.

    Args:
        a, b: the streams.
        key: equal for items that belong together.
        most: maximum number of items of each stream examined to find a pair.
        order: sort key, used if no pair is found: the items that come first have no counterpart. None: unknown.

    Attributes:
        ahead: items read of each stream and not yet in a stretch; items may be removed.
        is_lost: True if ``most`` items of both streams were once given up as unmatched.
    """

    def __init__(
        self,
        a: Iterator[T],
        b: Iterator[T],
        key: Callable[[T], Hashable],
        most: int,
        order: Callable[[T], Any] = lambda _: None,
    ) -> None:
        self.ahead: tuple[deque[T], deque[T]] = deque(), deque()
        self.is_lost = False
        self._streams = a, b
        self._key, self._most, self._order = key, most, order

    def __iter__(self) -> Iterator[AlignedStretch[T]]:
        while True:
            self._read(1)
            a, b = self.ahead
            if not a and not b:
                return
            if a and b and self._key(a[0]) == self._key(b[0]):
                yield AlignedStretch([a.popleft()], [b.popleft()], [(0, 0)])
                continue
            self._read(self._most)
            yield self._stretch()

    def _read(self, number: int) -> None:
        for ahead, stream in zip(self.ahead, self._streams, strict=True):
            ahead.extend(islice(stream, max(0, number - len(ahead))))

    def _stretch(self) -> AlignedStretch[T]:
        a, b = self.ahead
        pairs = longest_common([self._key(item) for item in a], [self._key(item) for item in b])
        if pairs and max(len(a), len(b)) == self._most:
            ends = pairs[-1][0] + 1, pairs[-1][1] + 1
        elif pairs or max(len(a), len(b)) < self._most:
            ends = len(a), len(b)
        else:
            ends = self._alone()
        taken = [[ahead.popleft() for _ in range(number)] for ahead, number in zip(self.ahead, ends, strict=True)]
        return AlignedStretch(taken[0], taken[1], pairs)

    def _alone(self) -> tuple[int, int]:
        """Return the number of items of each stream that certainly have no counterpart."""
        a, b = ([self._order(item) for item in ahead] for ahead in self.ahead)
        known = None not in a and None not in b
        if known:
            ends = _below(a, min(b, default=None)), _below(b, min(a, default=None))
            if any(ends):
                return ends
        self.is_lost = self.is_lost or bool(a and b)
        return len(a), len(b)


def _below(items: list[Any], least: Any) -> int:
    """Return the number of leading items below the least of the others; all if there are no others."""
    return len(items) if least is None else sum(1 for _ in takewhile(lambda item: item < least, items))
