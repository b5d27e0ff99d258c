"""Where the columns of many rows stand: the images of a batch, without an object for any of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from trailformat.arrays import kernels
from trailformat.images import PREFIX_SIZES, ROW_TYPES
from trailformat.record_header import COMPRESSED
from trailformat.scan import Batch
from trailformat.scan.batch import RECORD

Array = np.ndarray[Any, Any]

_BEFORE = ord("B")
_PREFIX = np.array([PREFIX_SIZES.get(number, 0) for number in range(256)], np.uint8)
_HAS_COLUMNS = np.array([number in ROW_TYPES or number in PREFIX_SIZES for number in range(256)])


class Image(NamedTuple):
    """One image of every row: ``starts`` int64 and ``sizes`` int64, a row per column of the table.

    A size is that of the value behind its indicator, or ABSENT, NULL or ODD of :mod:`trailformat.arrays.kernels`.
    """

    starts: Array
    sizes: Array


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
    has = has_columns(batch, rows)
    offsets = np.asarray(batch.rba)[rows] - base + np.asarray(batch.data_offset)[rows]
    lengths = np.where(has, np.asarray(batch.data_size)[rows], 0)
    sizes = _PREFIX[np.asarray(batch.io_type)[rows]]
    prefixes = np.where(has, sizes, 0)
    end = len(data)
    for row, one in instead.items():
        offsets[row], lengths[row], prefixes[row] = end, len(one), sizes[row]
        end += len(one)
    is_before = np.asarray(batch.before_after)[rows] == _BEFORE
    before, after = _image(columns, len(rows)), _image(columns, len(rows))
    images = (*before, *after)
    states = kernels.locate(view.ctypes.data, offsets, lengths, little, prefixes, is_before, images)
    broken = states == kernels.BROKEN
    before.sizes[:, broken] = after.sizes[:, broken] = kernels.ABSENT
    return Spans(view, little, before, after, states)


def has_columns(batch: Batch, rows: Array) -> Array:
    """Which of these rows have data that is columns: a list of them, or two behind a length."""
    io_type, partition = np.asarray(batch.io_type)[rows], np.asarray(batch.partition)[rows]
    has = _HAS_COLUMNS[io_type] & ((_PREFIX[io_type] > 0) | (partition & COMPRESSED != 0))
    found: Array = has & (np.asarray(batch.kind)[rows] == RECORD)
    return found


def _image(columns: int, rows: int) -> Image:
    shape = (columns, rows)
    return Image(np.zeros(shape, np.int64), np.full(shape, kernels.ABSENT, np.int64))
