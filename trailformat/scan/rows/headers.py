"""Fields of the headers of many records, read where they stand in the bytes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.native.constants import INFO_AT, NARROW_HEAD, NO_INDEX, UNSET, WIDE, WIDE_HEAD
from trailformat.native.loaded import kernels
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
    mask: Array = (info & WIDE != 0) & (info != UNSET)
    return mask


def header_positions(view: Array, starts: Array) -> Array:
    """The offset in ``view`` of the payload of ``H`` in each ``G`` record."""
    at = starts
    for _ in range(2):
        at = at + np.where(are_wide(view[at + INFO_AT]), WIDE_HEAD, NARROW_HEAD)
    return at


def headers_at(view: Array, starts: Array, little: Array) -> Headers:
    """Fields of the headers of ``G`` records that start at places in ``view``, in these byte orders."""
    headers = Headers(np.empty(len(starts), np.int64), np.empty(len(starts), np.bool_))
    places, orders = np.ascontiguousarray(starts, np.int64), np.ascontiguousarray(little, np.uint8)
    addresses = [array.ctypes.data for array in (view, places, orders, *headers)]
    kernels()["read_headers"](*addresses[:3], len(starts), *addresses[3:])
    return headers


def headers_of(rows: RowBytes) -> Headers:
    """Fields of the headers of rows; of those that are no records NO_INDEX and false."""
    if rows.is_record.all():
        return headers_at(rows.view, rows.starts, rows.is_little)
    headers = Headers(np.full(len(rows), NO_INDEX, np.int64), np.zeros(len(rows), np.bool_))
    records = np.flatnonzero(rows.is_record)
    if len(records):
        fields = headers_at(rows.view, rows.starts[records], rows.is_little[records])
        headers.table_index[records], headers.is_continued[records] = fields
    return headers


def u16_at(view: Array, at: Array, little: Array) -> Array:
    """Two bytes at each place as an unsigned integer, int64."""
    first, second = view[at].astype(np.int64), view[at + 1].astype(np.int64)
    numbers: Array = np.where(little, second << 8 | first, first << 8 | second)
    return numbers


def length_at(view: Array, at: Array, little: Array, is_long: Array) -> Array:
    """A length of two bytes at each place, or of four where that is set, int64."""
    first, second = u16_at(view, at, little), u16_at(view, at + 2 * is_long, little)
    numbers: Array = np.where(is_long, np.where(little, second << 16 | first, first << 16 | second), first)
    return numbers
