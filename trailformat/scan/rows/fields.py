"""The parts of many records at once, with numpy: where tokens and columns lie in the mapped bytes.

All records are walked in step, the first token of each, then the second of each, and so on: the work is that of the
longest one, in numpy's loops. What is found are places; the bytes stay where they are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from trailformat.codec.tokens import UNSET, WIDE

Array = np.ndarray[Any, Any]
MOST_BYTES = 1 << 18
"""Regions that are longer are not walked here: more parts than there can be side by side fit into them."""


class Fields(NamedTuple):
    """Tokens or columns in regions of a file, all one-dimensional.

    Attributes:
        first: int64, one more than regions: those of region n are the parts ``first[n]`` to before ``first[n + 1]``.
        number: int64, the id of a token, the index of a column.
        start, size: int64, the payload, from the beginning of the file.
        is_sound: bool, whether the parts fill their region exactly; a region that is not sound has no parts here.
    """

    first: Array
    number: Array
    start: Array
    size: Array
    is_sound: Array

    @property
    def counts(self) -> Array:
        """How many parts each region has."""
        return np.diff(self.first)

    @property
    def region(self) -> Array:
        """The region of each part."""
        return np.repeat(np.arange(len(self.is_sound)), self.counts)

    def only(self, regions: Array) -> Fields:
        """The same regions, with parts in those that the mask takes."""
        if regions.all():
            return self
        kept = regions[self.region]
        first = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.where(regions, self.counts, 0))))
        return Fields(first, self.number[kept], self.start[kept], self.size[kept], self.is_sound)


_ReadHead = Callable[[Array, Array, Array], tuple[Array, Array, Array]]
"""Number, size of the head, size of the payload: of the parts at some places, in orders."""


def columns_in(view: Array, starts: Array, ends: Array, little: Array) -> Fields:
    """The columns that fill the regions from ``starts`` to ``ends`` in ``view``, the bytes of the file.

    Places are int64, ``little`` is a bool for each region. The payload of a column begins with its indicator.
    """
    return _parts(view, starts, ends, little, _column_head)


def tokens_in(view: Array, starts: Array, ends: Array, little: Array) -> Fields:
    """The tokens that fill the regions; likewise."""
    return _parts(view, starts, ends, little, _token_head)


def u16_at(view: Array, at: Array, little: Array) -> Array:
    """Two bytes at each place as an unsigned integer, int64."""
    first, second = view[at].astype(np.int64), view[at + 1].astype(np.int64)
    found: Array = np.where(little, second << 8 | first, first << 8 | second)
    return found


def _column_head(view: Array, at: Array, little: Array) -> tuple[Array, Array, Array]:
    return u16_at(view, at, little), np.full(len(at), 4), u16_at(view, at + 2, little)


def _token_head(view: Array, at: Array, little: Array) -> tuple[Array, Array, Array]:
    info = view[at + 1]
    head, size = np.full(len(at), 4), u16_at(view, at + 2, little)
    for row in np.flatnonzero((info & WIDE != 0) & (info != UNSET)).tolist():
        stored = view[at[row] + 2 : at[row] + 6].tobytes()
        head[row], size[row] = 6, int.from_bytes(stored, "little" if little[row] else "big")
    return view[at].astype(np.int64), head, size


def _parts(view: Array, starts: Array, ends: Array, little: Array, read_head: _ReadHead) -> Fields:
    is_sound = ends - starts <= MOST_BYTES
    region = np.flatnonzero(is_sound & (starts < ends))
    at = starts[region]
    steps = []
    while len(region):
        has_head = at + 4 <= ends[region]
        is_sound[region[~has_head]] = False
        region, at = region[has_head], at[has_head]
        number, head, size = read_head(view, at, little[region])
        end = at + head + size
        fits = end <= ends[region]
        is_sound[region[~fits]] = False
        region, end = region[fits], end[fits]
        steps.append((region, number[fits], end - size[fits], size[fits]))
        goes_on = end < ends[region]
        region, at = region[goes_on], end[goes_on]
    return _together(steps, is_sound)


def _together(steps: list[tuple[Array, Array, Array, Array]], is_sound: Array) -> Fields:
    """The parts of each region side by side, those of unsound ones left out."""
    kept = [tuple(column[is_sound[step[0]]] for column in step) for step in steps]
    count = np.zeros(len(is_sound), np.int64)
    for region, *_ in kept:
        count[region] += 1
    first = np.concatenate((np.zeros(1, np.int64), np.cumsum(count)))
    number, start, size = (np.empty(int(first[-1]), np.int64) for _ in range(3))
    for step, (region, *columns) in enumerate(kept):
        place = first[region] + step
        for whole, column in zip((number, start, size), columns, strict=True):
            whole[place] = column
    return Fields(first, number, start, size, is_sound)
