"""The definitions of rows: one search for all rows between two metadata records that name their table alike."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from logdump.arrow.records.rows import Array, Rows
from trailformat.scan.rows import by_definition
from trailformat.trail.row_definitions import RowDefinition


class DefinitionGroups(NamedTuple):
    """The definitions of rows: ``group`` has the index of each row's in ``definitions``, 0 if none is needed."""

    group: Array
    definitions: list[RowDefinition]


def definitions_of(rows: Rows, which: Array) -> DefinitionGroups:
    """The definitions of the rows in a mask, which must be records."""
    at = np.flatnonzero(which)
    groups = by_definition(rows.subset(at), rows.tdr_index[at])
    group = np.zeros(len(rows), np.int64)
    group[at] = groups.group
    of = rows.source.definitions.of
    return DefinitionGroups(group, [of(rows.record(row)) for row in at[groups.firsts].tolist()])
