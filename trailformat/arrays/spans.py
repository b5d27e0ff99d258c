"""Where the columns of many rows stand: the images of a batch, without an object for any of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from trailformat.arrays import kernels
from trailformat.records.images import PREFIX_SIZES, ROW_TYPES
from trailformat.scan import Batch

Array = np.ndarray[Any, Any]

_BEFORE = ord("B")
_PREFIX = np.array([PREFIX_SIZES.get(number, 0) for number in range(256)], np.uint8)
_HAS_COLUMNS = np.array([number in ROW_TYPES or number in PREFIX_SIZES for number in range(256)])
_MOST = np.iinfo(np.int32).max


class Image(NamedTuple):
    """One image of every row: ``starts`` and ``sizes``, a row per column of the table, ``seen`` uint8, one of each.

    A size is that of the value after its indicator, or ABSENT, NULL or UNDECIDED of
    :mod:`trailformat.arrays.kernels`, and HAS_VALUE, HAS_NULL, HAS_UNDECIDED there tell what a column may hold. Where
    a size is below 0, its start means nothing.
    """

    starts: Array
    sizes: Array
    seen: Array


class Spans(NamedTuple):
    """The images of rows.

    ``data`` holds the bytes that starts count in, ``little`` the byte order of each row, ``states`` what its data is:
    GOOD, BROKEN (no columns, none is taken), or BEYOND (columns that the definition has not; they are left out).
    """

    data: Array
    little: Array
    before: Image
    after: Image
    states: Array


def locate_columns(
    data: bytes | memoryview,
    base: int,
    batch: Batch,
    rows: Array,
    columns: int,
    instead: Mapping[int, bytes] | None = None,
) -> Spans:
    """The columns of ``rows`` of a batch of numpy columns.

    Args:
        data: bytes of the file that hold all of these rows.
        base: the RBA of the first of them.
        batch: from the scan; all ``rows`` are records.
        rows: indexes into it.
        columns: how many columns the definition of their table has.
        instead: data to take for some of ``rows``, by their numbers there: that of a record which goes on in others,
            a list of columns for a full image.
    """
    instead = instead or {}
    view = np.frombuffer(b"".join((data, *instead.values())) if instead else data, np.uint8)
    little = np.asarray(batch.order)[rows]
    places = _places(batch, rows, base)
    offsets, lengths, _ = places
    end = len(data)
    for row, one in instead.items():
        offsets[row], lengths[row] = end, len(one)
        end += len(one)
    is_before = np.asarray(batch.before_after)[rows] == _BEFORE
    numbers = np.dtype(np.int32 if len(view) <= _MOST else np.int64)
    before, after = _image(columns, len(rows), numbers), _image(columns, len(rows), numbers)
    states = kernels.locate(view.ctypes.data, places, little, is_before, before, after)
    if (states == kernels.BROKEN).any():
        broken = states == kernels.BROKEN
        before.sizes[:, broken] = after.sizes[:, broken] = kernels.ABSENT
    return Spans(view, little, before, after, states)


def has_columns(batch: Batch, rows: Array) -> Array:
    """Which of these rows have data that is columns: a list of them, or two behind a length."""
    has: Array = _places(batch, rows, 0)[1] >= 0
    return has


def _places(batch: Batch, rows: Array, base: int) -> tuple[Array, Array, Array]:
    """Offsets and lengths of the data of rows (length -1: no columns), and the sizes of the lengths in front of it."""
    names = ("kind", "io_type", "partition", "rba", "data_offset", "data_size")
    fields = tuple(np.asarray(getattr(batch, name)) for name in names)
    places = (np.empty(len(rows), np.int64), np.empty(len(rows), np.int64), np.empty(len(rows), np.uint8))
    kernels.find_data(rows, base, fields, (_HAS_COLUMNS, _PREFIX), places)
    return places


def _image(columns: int, rows: int, numbers: np.dtype[Any]) -> Image:
    shape = (columns, rows)
    return Image(np.empty(shape, numbers), np.full(shape, kernels.ABSENT, numbers), np.zeros(columns, np.uint8))
