"""Arrow arrays of a table's columns: what :func:`trailformat.values.decode_value` says of each value, many at a time.

The kernels make what is ordinary; every value that they are not sure of is decoded by itself: both say the same.
"""

from __future__ import annotations

from collections.abc import Container, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trailformat.arrays.array_types import array_type
from trailformat.arrays.arrow import arrow_type, nulls
from trailformat.arrays.fallback import Problem, SlowDecoder
from trailformat.arrays.kernel_arrays import kernel_arrays
from trailformat.arrays.spans import Image, Spans
from trailformat.arrays.stored import StoredColumns
from trailformat.codec.charsets import UTF_8
from trailformat.definitions.column import ColumnDefinition
from trailformat.native.scan.arguments import HAS_UNDECIDED, HAS_VALUE

if TYPE_CHECKING:
    import pyarrow as pa


class ColumnArray(NamedTuple):
    """A column of an image: null where it is absent, NULL, or a problem."""

    array: pa.Array
    problems: list[Problem]


def column_arrays(
    spans: Spans,
    image: Image,
    definitions: Sequence[ColumnDefinition],
    codec: str = UTF_8,
    wanted: Container[int] | None = None,
) -> list[ColumnArray]:
    """The columns of an image.

    Args:
        spans: from :func:`trailformat.arrays.locate_columns`.
        image: its ``before`` or ``after``.
        definitions: what the table's definition says of the columns.
        codec: of text in the character set of the database.
        wanted: the numbers of those whose values are needed, None for all; the others are null.
    """
    is_there = image.seen & (HAS_VALUE | HAS_UNDECIDED)
    chosen = [number for number in np.flatnonzero(is_there).tolist() if wanted is None or number in wanted]
    stored = StoredColumns(spans.data, spans.little, image.starts, image.sizes, spans.room)
    targets = {number: array_type(definitions[number], codec) for number in chosen}
    made = dict(zip(chosen, kernel_arrays(stored, targets), strict=True))
    columns = []
    for number, definition in enumerate(definitions):
        if number not in made:
            kind = arrow_type(array_type(definition, codec).type)
            columns.append(ColumnArray(nulls(kind, image.sizes.shape[1]), []))
        elif made[number].undecided:
            decoder = SlowDecoder(spans, image, number, definition, codec)
            rows = made[number].undecided_rows(image.sizes[number]).tolist()
            columns.append(ColumnArray(*decoder.filled(made[number].array, rows)))
        else:
            columns.append(ColumnArray(made[number].array, []))
    return columns
