"""Fields of the headers of many records, read where they stand in the bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.codec.tokens import UNSET, WIDE
from trailformat.records.record_header import CONTINUED_AT, HEADER_SIZE, NAME_IS_INDEX, PARTITION_AT
from trailformat.scan.engines import kernels_pay
from trailformat.scan.kernels.constants import NO_INDEX
from trailformat.scan.rows.row_bytes import Array, RowBytes


class Headers(NamedTuple):
    """Fields of the header of each row.

    Attributes:
        table_index: NO_INDEX where the header holds a name, or there is none.
        is_continued: whether the record goes on in the one after it.
    """

    table_index: Array
    is_continued: Array


def are_wide(info: Array) -> Array:
    """A mask of the tokens whose length takes four bytes, by their info."""
    found: Array = (info & WIDE != 0) & (info != UNSET)
    return found


def header_positions(view: Array, starts: Array) -> Array:
    """The offset in ``view`` of the payload of ``H`` in each ``G`` record."""
    at = starts
    for _ in range(2):
        at = at + 4 + 2 * are_wide(view[at + 1])
    return at


def headers_at(view: Array, starts: Array, little: Array) -> Headers:
    """Fields of the headers of ``G`` records that start at places in ``view``, in these byte orders."""
    return (headers_by_kernel if kernels_pay(len(view)) else headers_by_arrays)(view, starts, little)


def headers_by_kernel(view: Array, starts: Array, little: Array) -> Headers:
    """The fields by a kernel."""
    from trailformat.scan.kernels.loaded import kernels  # noqa: PLC0415 - it needs llvmlite

    found = Headers(np.empty(len(starts), np.int64), np.empty(len(starts), np.bool_))
    places, orders = np.ascontiguousarray(starts, np.int64), np.ascontiguousarray(little, np.uint8)
    addresses = [one.ctypes.data for one in (view, places, orders, *found)]
    kernels()["read_headers"](*addresses[:3], len(starts), *addresses[3:])
    return found


def headers_by_arrays(view: Array, starts: Array, little: Array) -> Headers:
    """The fields by numpy."""
    at = header_positions(view, starts)
    has_index = view[at + PARTITION_AT] & NAME_IS_INDEX != 0
    table_index = np.full(len(at), NO_INDEX, np.int64)
    table_index[has_index] = u16_at(view, at[has_index] + HEADER_SIZE, little[has_index])
    return Headers(table_index, view[at + CONTINUED_AT] != 0)


def headers_of(rows: RowBytes) -> Headers:
    """Fields of the headers of rows; of those that are no records NO_INDEX and false."""
    if rows.is_record.all():
        return headers_at(rows.view, rows.starts, rows.is_little)
    found = Headers(np.full(len(rows), NO_INDEX, np.int64), np.zeros(len(rows), np.bool_))
    records = np.flatnonzero(rows.is_record)
    if len(records):
        fields = headers_at(rows.view, rows.starts[records], rows.is_little[records])
        found.table_index[records], found.is_continued[records] = fields
    return found


def u16_at(view: Array, at: Array, little: Array) -> Array:
    """Two bytes at each place as an unsigned integer, int64."""
    first, second = view[at].astype(np.int64), view[at + 1].astype(np.int64)
    found: Array = np.where(little, second << 8 | first, first << 8 | second)
    return found
