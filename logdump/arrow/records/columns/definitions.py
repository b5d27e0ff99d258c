"""The definitions of rows: one search for all rows between two metadata records that name their table alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from logdump.arrow.records.rows import Array, Rows
from trailformat.scan.rows.definitions import metadata_rows
from trailformat.trail.row_definitions import RowDefinition

_INDEXES = 1 << 17
"""More than there are table indexes."""
_KEYS = 1 << 40
"""More than there are indexes and names in a batch."""


class Known(NamedTuple):
    """The definitions of rows: ``group`` has the number of each row's in ``definitions``, 0 where none was sought."""

    group: Array
    definitions: list[RowDefinition]


def definitions_of(rows: Rows, which: Array) -> Known:
    """The definitions of the rows in a mask, which must be records."""
    at = np.flatnonzero(which)
    segment = np.cumsum(metadata_rows(rows.batch))[rows.at[at]].astype(np.int64)
    index = rows.tdr_index[at]
    name = np.where(index >= 0, index, rows.of("table")[at].astype(np.int64) + _INDEXES)
    _, tellers, places = np.unique(segment * _KEYS + name, return_index=True, return_inverse=True)
    group = np.zeros(len(rows), np.int64)
    group[at] = places
    of = rows.source.definitions.of
    return Known(group, [of(rows.record(row)) for row in at[tellers].tolist()])
