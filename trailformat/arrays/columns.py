"""Arrays of a table's columns: what :func:`trailformat.values.decode_value` says of each value, many at a time.

The kernels make what is ordinary; every value that they are not sure of is decoded by itself: both say the same.
"""

from __future__ import annotations

from typing import NamedTuple

import pyarrow as pa

from trailformat.arrays.array_types import array_type
from trailformat.arrays.fallback import Problem, SlowDecoder
from trailformat.arrays.kernel_arrays import MAKERS, StoredColumn
from trailformat.arrays.spans import Image, Spans
from trailformat.codec.charsets import UTF_8
from trailformat.definitions.column import ColumnDefinition
from trailformat.scan.kernels.arguments import HAS_UNDECIDED, HAS_VALUE


class ColumnArray(NamedTuple):
    """A column of an image: null where it is absent, NULL, or a problem."""

    array: pa.Array
    problems: list[Problem]


def column_array(
    spans: Spans, image: Image, index: int, definition: ColumnDefinition, codec: str = UTF_8
) -> ColumnArray:
    """The column with this index of an image.

    Args:
        spans: from :func:`trailformat.arrays.locate_columns`.
        image: its ``before`` or ``after``.
        index: from 0.
        definition: what the table's definition says of the column.
        codec: of text in the character set of the database.
    """
    about = array_type(definition, codec)
    sizes = image.sizes[index]
    if not image.seen[index] & (HAS_VALUE | HAS_UNDECIDED):
        return ColumnArray(pa.nulls(len(sizes), about.type), [])
    made = MAKERS[about.path](StoredColumn(spans.data, spans.little, image.starts[index], sizes, about))
    if not made.undecided:
        return ColumnArray(made.array, [])
    rows = made.undecided_rows(sizes).tolist()
    return ColumnArray(*SlowDecoder(spans, image, index, definition, codec).filled(made.array, rows))
