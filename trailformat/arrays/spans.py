"""The columns of many rows, ordered by the columns of their table, without an object for each."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from trailformat.arrays.strings import Strings
from trailformat.native.loaded import kernels
from trailformat.native.scan.arguments import (
    ABSENT,
    BROKEN,
    GOOD,
    I_COLUMNS,
    I_SEEN,
    I_SIZES,
    I_STARTS,
    I_WIDE,
    IMAGE_SIZE,
)
from trailformat.scan.rows.images import image_regions
from trailformat.scan.rows.row_bytes import Array, RowBytes

_MOST = np.iinfo(np.int32).max
STRANGE_INDICATOR = "indicator missing, or neither 0000 nor ffff"
"""The problem of a value whose size is UNDECIDED."""


class Image(NamedTuple):
    """One image of all rows: ``starts`` and ``sizes`` have a row per column of the table, ``seen`` (uint8) an element.

    A size is that of the value after its indicator, or ABSENT, NULL or UNDECIDED of
    :mod:`trailformat.native.scan.arguments`; HAS_VALUE, HAS_NULL and HAS_UNDECIDED there are the bits of ``seen``.
    Where a size is negative, its start is undefined.
    """

    starts: Array
    sizes: Array
    seen: Array


class Spans(NamedTuple):
    """The images of rows.

    ``data`` holds the bytes to which starts refer, ``little`` the byte order of each row, ``states`` the state of its
    data: GOOD, BROKEN (not columns; all are absent), or BEYOND (has columns that the definition lacks; they are left
    out). The values of one image have at most ``room`` bytes.
    """

    data: Array
    little: Array
    before: Image
    after: Image
    states: Array
    room: int


def locate_columns(rows: RowBytes, columns: int, instead: Mapping[int, bytes] | None = None) -> Spans:
    """Return the columns of rows that are records.

    Args:
        rows: the rows.
        columns: the number of columns in the definition of their table.
        instead: data that replaces that of some rows, by row number: the joined data of a record with fragments, a
            list of columns for a full image.
    """
    instead = instead or {}
    view = np.frombuffer(b"".join((rows.data, *instead.values())), np.uint8) if instead else rows.view
    data = rows.row_data
    if instead:
        data = data._replace(starts=data.starts.copy(), ends=data.ends.copy(), is_list=data.is_list.copy())
    end = len(rows.data)
    for row, row_data in instead.items():
        data.starts[row], data.ends[row], data.is_list[row] = end, end + len(row_data), True
        end += len(row_data)
    regions = image_regions(view, data)
    little = np.ascontiguousarray(data.little)
    states = np.where(regions.is_sound, GOOD, BROKEN).astype(np.uint8)
    numbers = np.dtype(np.int32 if len(view) <= _MOST else np.int64)
    before, after = _image(columns, len(rows), numbers), _image(columns, len(rows), numbers)
    for image, starts, ends in zip((before, after), regions.starts, regions.ends, strict=True):
        _locate(view, starts, ends, little, image, states)
    broken = states == BROKEN
    if broken.any():
        before.sizes[:, broken] = after.sizes[:, broken] = ABSENT
    room = max(int(np.maximum(end - start, 0).sum()) for start, end in zip(regions.starts, regions.ends, strict=True))
    return Spans(view, little, before, after, states, room)


def _locate(view: Array, starts: Array, ends: Array, little: Array, image: Image, states: Array) -> None:
    described = np.empty(IMAGE_SIZE, np.int64)
    described[[I_STARTS, I_SIZES, I_SEEN]] = [column.ctypes.data for column in image]
    described[I_COLUMNS], described[I_WIDE] = len(image.seen), image.starts.itemsize == 8
    addresses = [array.ctypes.data for array in (view, starts, ends, little)]
    kernels()["locate"](*addresses, len(states), described.ctypes.data, states.ctypes.data)


def _image(columns: int, rows: int, numbers: np.dtype[Any]) -> Image:
    shape = (columns, rows)
    return Image(np.empty(shape, numbers), np.full(shape, ABSENT, numbers), np.zeros(columns, np.uint8))


def unequal(spans: Spans, index: int) -> Array:
    """A mask of the rows that have a column in both images, with different bytes; NULL equals NULL."""
    before, after = spans.before.sizes[index], spans.after.sizes[index]
    is_in_both = (before != ABSENT) & (after != ABSENT)
    mask: Array = is_in_both & (before != after)
    alike = np.flatnonzero(is_in_both & (before == after) & (after > 0))
    starts = spans.before.starts[index, alike], spans.after.starts[index, alike]
    mask[alike] = are_unequal(spans.data, starts, after[alike])
    return mask


def are_unequal(data: Array, starts: tuple[Array, Array], sizes: Array) -> Array:
    """A mask of the pairs of runs in ``data`` that have different bytes.

    Both runs of a pair have the same size, which must be greater than 0.
    """
    if not len(sizes):
        return np.empty(0, bool)
    sizes = sizes.astype(np.int64)
    old, new = (Strings.at(data, places.astype(np.int64), sizes).data for places in starts)
    differs: Array = np.logical_or.reduceat(old != new, np.cumsum(sizes) - sizes)
    return differs
