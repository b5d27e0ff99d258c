"""The tables of rows: the index or name in the headers of many records, and the definitions that apply to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.native.constants import INFO_AT, NAME_IS_INDEX, NARROW_HEAD, NO_INDEX, UNSET, WIDE, WIDE_HEAD
from trailformat.native.loaded import kernels
from trailformat.records.record_header import METADATA
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch
from trailformat.scan.names import NO_NAME
from trailformat.scan.rows.row_bytes import Array, RowBytes
from trailformat.trail.file import TrailFile
from trailformat.trail.table_definitions import MetadataRecord


class Headers(NamedTuple):
    """Fields of the header of each row.

    Attributes:
        table_index: int64; NO_INDEX if the header holds a name, or the row has no header.
        is_continued: True if the next record continues this one.
    """

    table_index: Array
    is_continued: Array


def are_wide(info: Array) -> Array:
    """Return a mask of the tokens whose length has four bytes, by their info byte."""
    mask: Array = (info & WIDE != 0) & (info != UNSET)
    return mask


def header_positions(view: Array, starts: Array) -> Array:
    """Return the offset in ``view`` of the payload of ``H`` of each ``G`` record."""
    positions = starts
    for _ in range(2):
        positions = positions + np.where(are_wide(view[positions + INFO_AT]), WIDE_HEAD, NARROW_HEAD)
    return positions


def headers_at(view: Array, starts: Array, little: Array) -> Headers:
    """Return the header fields of the ``G`` records that start at these offsets in ``view``."""
    headers = Headers(np.empty(len(starts), np.int64), np.empty(len(starts), np.bool_))
    places, orders = np.ascontiguousarray(starts, np.int64), np.ascontiguousarray(little, np.uint8)
    addresses = [array.ctypes.data for array in (view, places, orders, *headers)]
    kernels()["read_headers"](*addresses[:3], len(starts), *addresses[3:])
    return headers


def headers_of(rows: RowBytes) -> Headers:
    """Return the header fields of rows; NO_INDEX and False for rows that are not ``G`` records."""
    if rows.is_record.all():
        return headers_at(rows.view, rows.starts, rows.is_little)
    headers = Headers(np.full(len(rows), NO_INDEX, np.int64), np.zeros(len(rows), np.bool_))
    records = np.flatnonzero(rows.is_record)
    if len(records):
        fields = headers_at(rows.view, rows.starts[records], rows.is_little[records])
        headers.table_index[records], headers.is_continued[records] = fields
    return headers


def u16_at(view: Array, offsets: Array, little: Array) -> Array:
    """Return the unsigned two-byte integer at each offset, as int64."""
    first, second = view[offsets].astype(np.int64), view[offsets + 1].astype(np.int64)
    numbers: Array = np.where(little, second << 8 | first, first << 8 | second)
    return numbers


def length_at(view: Array, offsets: Array, little: Array, is_long: Array) -> Array:
    """Return the length at each offset, of four bytes where ``is_long`` is set, else of two, as int64."""
    first, second = u16_at(view, offsets, little), u16_at(view, offsets + 2 * is_long, little)
    numbers: Array = np.where(is_long, np.where(little, second << 16 | first, first << 16 | second), first)
    return numbers


_INDEX_BITS = 16
_INDEXES = 1 << _INDEX_BITS
"""Number of possible table indexes."""
_MOST_KEYS = 1 << 17
"""Number of possible keys up to which a table of all of them is faster than sorting."""


class RowGroups(NamedTuple):
    """Rows in groups: no metadata record is between the rows of a group, and their table has the same index or name.

    Attributes:
        group: the group number of each row; groups are ordered by the metadata records before them.
        firsts: the number of the first row of each group, among the rows given.
    """

    group: Array
    firsts: Array


def metadata_rows(batch: Batch) -> Array:
    """Return a mask of the metadata records: between two of them an index means one definition."""
    io_type, kind = np.asarray(batch.io_type), np.asarray(batch.kind)
    mask: Array = (io_type == METADATA) & (kind == RECORD)
    return mask


def learn_definitions(trail: TrailFile, batch: Batch) -> Array:
    """Add the definitions in a batch to those that ``trail.tables`` has, so that no lookup searches the batch again.

    Return a mask of their rows. Batches must be given in file order. A last row that is not a record is left out: when
    the file grows, it may become one.
    """
    is_metadata, last = metadata_rows(batch), len(batch) - 1
    is_growing = batch.end >= trail.size and batch.kind[last] > FILE_HEADER
    end = int(batch.rba[last]) if is_growing else batch.end
    trail.tables.learn(int(batch.rba[0]), end, metadata_in(batch, is_metadata))
    return is_metadata


def metadata_in(batch: Batch, is_metadata: Array) -> list[MetadataRecord]:
    """Return the metadata records of a batch, given the mask of their rows."""
    if not is_metadata.any():
        return []
    columns = (batch.rba, batch.orig_node, batch.order, batch.audit_rba, batch.partition, batch.table)
    return [
        MetadataRecord(
            rba,
            orig_node,
            indexes >> _INDEX_BITS if is_little else indexes & (_INDEXES - 1),
            batch.names[NO_NAME if partition & NAME_IS_INDEX else key],
        )
        for rba, orig_node, is_little, indexes, partition, key in zip(
            *(np.asarray(column)[is_metadata].tolist() for column in columns), strict=True
        )
    ]


def by_definition(rows: RowBytes, table_index: Array) -> RowGroups:
    """Group rows by the definition that applies to them, so that one lookup per group suffices.

    ``table_index`` is that of :class:`Headers`.
    """
    segment = np.cumsum(metadata_rows(rows.batch))[rows.rows]
    is_named = table_index == NO_INDEX
    return grouped(
        segment, np.where(is_named, rows.of("table") + _INDEXES, table_index) if is_named.any() else table_index
    )


def grouped(segment: Array, name: Array) -> RowGroups:
    """Group rows by ``segment``, the number of metadata records before each, and ``name``, the number of its table.

    ``segment`` must not decrease. Uses a table of all possible keys up to _MOST_KEYS, else sorting.
    """
    if not len(segment):
        return RowGroups(np.empty(0, np.int64), np.empty(0, np.int64))
    lowest, begun = int(name.min()), int(segment[0])
    width = int(name.max()) - lowest + 1
    keys = (segment.astype(np.int64) - begun) * width + (name.astype(np.int64) - lowest)
    most = (int(segment[-1]) - begun + 1) * width
    if most > _MOST_KEYS:
        _, firsts, group = np.unique(keys, return_index=True, return_inverse=True)
        return RowGroups(group.reshape(-1), firsts)
    first = np.full(most, -1)
    first[keys[::-1]] = np.arange(len(keys))[::-1]
    is_there = first >= 0
    return RowGroups((np.cumsum(is_there) - 1)[keys], first[is_there])
