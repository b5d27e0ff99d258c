"""Definitions that stand in a batch, and the rows that each applies to."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from trailformat.native.constants import NAME_IS_INDEX, NO_INDEX
from trailformat.records.record_header import METADATA
from trailformat.scan.batch import FILE_HEADER, RECORD, Batch
from trailformat.scan.names import NO_NAME
from trailformat.scan.rows.row_bytes import Array, RowBytes
from trailformat.trail.file import TrailFile
from trailformat.trail.table_definitions import MetadataRecord

_INDEX_BITS = 16
_INDEXES = 1 << _INDEX_BITS
"""How many table indexes there are."""
_MOST_KEYS = 1 << 17
"""The number of keys up to which a table of all of them is faster than sorting."""


class RowGroups(NamedTuple):
    """Rows in groups, each of rows between two metadata records that name their table alike.

    Attributes:
        group: the number of each row's group; they count in the order of the file's metadata.
        firsts: the first row of each group, by its number among the rows.
    """

    group: Array
    firsts: Array


def metadata_rows(batch: Batch) -> Array:
    """A mask of the metadata records: between two of them an index means one definition."""
    io_type, kind = np.asarray(batch.io_type), np.asarray(batch.kind)
    mask: Array = (io_type == METADATA) & (kind == RECORD)
    return mask


def learn_definitions(trail: TrailFile, batch: Batch) -> Array:
    """Let the trail know where definitions stand in this batch, which every look-up would walk for.

    Returns a mask of their rows. Batches are given in the order of the file. What ends a file and is no record may be
    one when the file has grown: nothing is known of it.
    """
    is_metadata, last = metadata_rows(batch), len(batch) - 1
    is_growing = batch.end >= trail.size and batch.kind[last] > FILE_HEADER
    end = int(batch.rba[last]) if is_growing else batch.end
    trail.tables.learn(int(batch.rba[0]), end, metadata_in(batch, is_metadata))
    return is_metadata


def metadata_in(batch: Batch, is_metadata: Array) -> list[MetadataRecord]:
    """The metadata records of a batch, at whose rows the mask is true."""
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
    """The rows by the definition that applies to them: one look-up for each group will do.

    ``table_index`` is that of their headers.
    """
    segment = np.cumsum(metadata_rows(rows.batch))[rows.rows]
    is_named = table_index == NO_INDEX
    return grouped(
        segment, np.where(is_named, rows.of("table") + _INDEXES, table_index) if is_named.any() else table_index
    )


def grouped(segment: Array, name: Array) -> RowGroups:
    """Rows by two numbers: how many metadata records stand before them, and the number of their table."""
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
