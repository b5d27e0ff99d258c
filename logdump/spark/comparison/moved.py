"""Transactions that have moved in the second trail: the fewest without which the others are in the same order.

    place in a    1 2 3 4 5 6 7         in b    1 3 4 2 5 7 6

The order differs between 1 and 5, and between 5 and the end. Each such part is handled by itself: in both trails, all
transactions of a part come after those of the parts before it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import NamedTuple

import numpy as np

_NOWHERE = 1 << 62
Bounds = tuple[int, int]
"""The greatest place in ``b`` of the pairs before a stretch, and the least of the pairs after it."""


class TangledPair(NamedTuple):
    """A pair of transactions, by their places; ``begins``: in ``b`` too, all pairs before it come before the rest."""

    a: int
    b: int
    begins: bool


class Move(NamedTuple):
    """A transaction that has moved: its place in ``a``, and the number of others by which it comes later in ``b``."""

    moved: int
    later: int


def bounds_of(extents: Iterable[tuple[int, int, int]]) -> dict[int, Bounds]:
    """Return the bounds of stretches of ``a``, each given by its number and its least and greatest place in ``b``."""
    ordered = sorted(extents)
    bounds: dict[int, Bounds] = {}
    greatest, least = -1, _NOWHERE
    for number, _, last in ordered:
        bounds[number] = greatest, _NOWHERE
        greatest = max(greatest, last)
    for number, first, _ in reversed(ordered):
        bounds[number] = bounds[number][0], least
        least = min(least, first)
    return bounds


def out_of_order(bounds: Mapping[int, Bounds], pairs: Iterable[tuple[int, int, int]]) -> Iterator[TangledPair]:
    """Yield the pairs whose order relative to some other pair differs between the trails.

    Args:
        bounds: bounds by the number of the stretch.
        pairs: all pairs of some stretches, stretch by stretch: its number and the two places, in the order of ``a``.
    """
    for number, of_stretch in groupby(pairs, key=itemgetter(0)):
        a, b = np.array([pair[1:] for pair in of_stretch], np.int64).T
        greatest, least = bounds[number]
        before = np.maximum.accumulate(np.concatenate(([greatest], b)))[:-1]
        after = np.minimum.accumulate(np.concatenate(([least], b[::-1])))[::-1][1:]
        indexes = np.flatnonzero((before > b) | (after < b))
        begins = before < np.minimum(b, after)
        yield from map(TangledPair, a[indexes].tolist(), b[indexes].tolist(), begins[indexes].tolist())


def moves(pairs: Iterable[tuple[int, int, bool]]) -> Iterator[Move]:
    """Yield the pairs that have moved, given those out of order by their places in ``a``."""
    part: list[tuple[int, int]] = []
    for a, b, begins in pairs:
        if begins and part:
            yield from _moves_in(part)
            part = []
        part.append((a, b))
    yield from _moves_in(part)


def _moves_in(part: list[tuple[int, int]]) -> Iterator[Move]:
    places = [b for _, b in part]
    rising = longest_rising(places)
    rising_places = [places[number] for number in rising]
    staying = set(rising)
    for index, (a, b) in enumerate(part):
        if index not in staying:
            yield Move(a, bisect_left(rising_places, b) - bisect_left(rising, index))


def longest_rising(values: list[int]) -> list[int]:
    """Return the indexes of a longest rising subsequence of distinct values; of several, the one that DIFF chooses."""
    least: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for index, value in enumerate(values):
        length = bisect_left(least, value)
        least[length : length + 1] = [value]
        ends[length : length + 1] = [index]
        before.append(ends[length - 1] if length else -1)
    indexes: list[int] = []
    current = ends[-1] if ends else -1
    while current >= 0:
        indexes.append(current)
        current = before[current]
    return indexes[::-1]
