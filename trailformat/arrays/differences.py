"""Columns that differ between the two images of rows, by their bytes."""

from __future__ import annotations

import numpy as np

from trailformat.arrays.spans import Spans
from trailformat.arrays.strings import Strings
from trailformat.native.scan.arguments import ABSENT
from trailformat.scan.rows.row_bytes import Array


def unequal(spans: Spans, index: int) -> Array:
    """A mask of the rows both of whose images have a column, with different bytes; NULL equals NULL."""
    before, after = spans.before.sizes[index], spans.after.sizes[index]
    is_in_both = (before != ABSENT) & (after != ABSENT)
    mask: Array = is_in_both & (before != after)
    alike = np.flatnonzero(is_in_both & (before == after) & (after > 0))
    starts = spans.before.starts[index, alike], spans.after.starts[index, alike]
    mask[alike] = are_unequal(spans.data, starts, after[alike])
    return mask


def are_unequal(data: Array, starts: tuple[Array, Array], sizes: Array) -> Array:
    """A mask of the pairs of runs in ``data``, of one size each, above 0, that have different bytes."""
    if not len(sizes):
        return np.empty(0, bool)
    sizes = sizes.astype(np.int64)
    old, new = (Strings.at(data, places.astype(np.int64), sizes).data for places in starts)
    differs: Array = np.logical_or.reduceat(old != new, np.cumsum(sizes) - sizes)
    return differs
