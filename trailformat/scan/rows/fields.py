"""The columns or tokens of many records: where they lie in the bytes.

What is found are places; the bytes stay where they are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.native.loaded import kernels
from trailformat.scan.rows.row_bytes import Array


class Fields(NamedTuple):
    """Tokens or columns in regions of a file, all one-dimensional.

    Attributes:
        first: int64, one more than regions: those of region n are the fields ``first[n]`` to before ``first[n + 1]``.
        number: int64, the id of a token, the index of a column.
        start, size: int64, the payload, from the beginning of the bytes.
        is_sound: bool, whether the fields fill their region exactly; a region that is not sound has no fields here.
    """

    first: Array
    number: Array
    start: Array
    size: Array
    is_sound: Array

    @property
    def counts(self) -> Array:
        """The number of fields of each region."""
        return np.diff(self.first)

    @property
    def region(self) -> Array:
        """The region of each field."""
        return np.repeat(np.arange(len(self.is_sound)), self.counts)

    def only(self, regions: Array) -> Fields:
        """The same regions, with fields in those that the mask takes."""
        if regions.all():
            return self
        kept = regions[self.region]
        first = np.concatenate((np.zeros(1, np.int64), np.cumsum(np.where(regions, self.counts, 0))))
        return Fields(first, self.number[kept], self.start[kept], self.size[kept], self.is_sound)


def columns_in(view: Array, starts: Array, ends: Array, little: Array) -> Fields:
    """The columns that fill the regions from ``starts`` to ``ends`` in ``view``, bytes of the file.

    Places are int64, ``little`` is a bool for each region. The payload of a column begins with its indicator.
    """
    return _fields(view, starts, ends, little, are_tokens=False)


def tokens_in(view: Array, starts: Array, ends: Array, little: Array) -> Fields:
    """The tokens that fill the regions; see :func:`columns_in`."""
    return _fields(view, starts, ends, little, are_tokens=True)


def _fields(view: Array, starts: Array, ends: Array, little: Array, *, are_tokens: bool) -> Fields:
    places = [np.ascontiguousarray(column, np.int64) for column in (starts, ends)]
    orders = np.ascontiguousarray(little, np.uint8)
    data, begins, stops, order = (array.ctypes.data for array in (view, *places, orders))
    first, is_sound = np.empty(len(starts) + 1, np.int64), np.empty(len(starts), np.bool_)
    shared = (len(starts), int(are_tokens), first.ctypes.data)
    total = kernels()["count_fields"](data, begins, stops, order, *shared, is_sound.ctypes.data)
    columns = np.empty((3, total), np.int64)
    kernels()["take_fields"](data, begins, order, *shared, *(column.ctypes.data for column in columns))
    number, start, size = columns
    return Fields(first, number, start, size, is_sound)
