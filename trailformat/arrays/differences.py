"""Columns that differ between the two images of rows, by their bytes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailformat.arrays.array_types import ArrayType, DecodePath
from trailformat.arrays.kernel_arrays import StoredColumn, kernel_array
from trailformat.arrays.spans import Image, Spans
from trailformat.scan.kernels.arguments import ABSENT
from trailformat.scan.rows.row_bytes import Array

_ANY_BYTES = ArrayType(pa.binary(), DecodePath.BYTES, most=(1 << 31) - 1)


def unequal(spans: Spans, index: int) -> Array:
    """A mask of the rows both of whose images have a column, with different bytes; NULL equals NULL."""
    before, after = spans.before.sizes[index], spans.after.sizes[index]
    is_in_both = (before != ABSENT) & (after != ABSENT)
    mask: Array = is_in_both & (before != after)
    is_alike = is_in_both & (before == after) & (after > 0)
    if is_alike.any():
        old, new = (_stored(spans, image, index, is_alike) for image in (spans.before, spans.after))
        mask |= pc.fill_null(pc.not_equal(old, new), fill_value=False).to_numpy(zero_copy_only=False)
    return mask


def _stored(spans: Spans, image: Image, index: int, wanted: Array) -> pa.Array:
    """The bytes of the wanted rows' values."""
    sizes = np.where(wanted, image.sizes[index], ABSENT)
    return kernel_array(StoredColumn(spans.data, spans.little, image.starts[index], sizes, _ANY_BYTES)).array
