"""Arrow arrays of a table's columns: what :func:`trailformat.values.decode_value` says of each value, many at a time.

The kernels make what is ordinary; every value that they are not sure of is decoded by itself: both say the same.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from trailformat.arrays.array_types import ArrayType, DecodePath, array_type
from trailformat.arrays.arrow import arrow_type, nulls
from trailformat.arrays.fallback import Problem, SlowDecoder
from trailformat.arrays.spans import Image, Spans
from trailformat.arrays.stored import WIDTHS, KernelArray, StoredColumns, described
from trailformat.codec.charsets import UTF_8
from trailformat.definitions.column import ColumnDefinition
from trailformat.native.arrays.arguments import (
    ALIGNED,
    C_FORM,
    C_OFFSETS,
    C_OUT,
    C_VALID,
    R_HIGH,
    R_MISSING,
    R_SIZE,
    R_UNDECIDED,
    RESULT_SIZE,
    SPARE,
)
from trailformat.native.loaded import kernels
from trailformat.native.scan.arguments import HAS_UNDECIDED, HAS_VALUE


def kernel_arrays(stored: StoredColumns, targets: dict[int, ArrayType]) -> list[KernelArray[pa.Array]]:
    """The arrays of the columns with these numbers, in order."""
    made = [number for number, target in targets.items() if target.path is not DecodePath.SLOW]
    arrays = iter(_made(stored, made, [targets[number] for number in made]) if made else ())
    rows = stored.sizes.shape[1]
    return [
        KernelArray(pa.nulls(rows, arrow_type(target.type)), 1, None)
        if target.path is DecodePath.SLOW
        else next(arrays)
        for target in targets.values()
    ]


def _made(stored: StoredColumns, numbers: list[int], targets: list[ArrayType]) -> Iterator[KernelArray[pa.Array]]:
    table, rows = described(stored, numbers, targets), stored.sizes.shape[1]
    bits, offsets = _padded((rows + 7) >> 3), _padded(4 * (rows + 1))
    widths = [WIDTHS.get(form) for form in table[:, C_FORM].tolist()]
    sizes = [bits + (offsets if width is None else _padded(width * rows)) for width in widths]
    begins = list(accumulate(sizes, initial=0))
    block = pa.py_buffer(np.empty(begins[-1] + stored.room + ALIGNED * len(targets) + SPARE, np.uint8))
    table[:, C_VALID] = np.array(begins[:-1]) + block.address
    table[:, C_OUT] = table[:, C_OFFSETS] = table[:, C_VALID] + bits
    results = np.empty((len(targets), RESULT_SIZE), np.int64)
    addresses = block.address + begins[-1], results.ctypes.data
    kernels()["make_columns"](table.ctypes.data, len(targets), *addresses)
    text = begins[-1]
    for number, target, begin, width, found in zip(numbers, targets, begins, widths, results.tolist(), strict=False):
        valid, size = block.slice(begin, (rows + 7) >> 3), found[R_SIZE]
        if width is None:
            buffers = [block.slice(begin + bits, 4 * (rows + 1)), block.slice(text, size)]
            text += _padded(size)
        else:
            buffers = [block.slice(begin + bits, width * rows)]
        missing = found[R_MISSING]
        array = pa.Array.from_buffers(arrow_type(target.type), rows, [valid if missing else None, *buffers], missing)
        made = KernelArray(array, found[R_UNDECIDED], valid)
        yield _in_ascii(stored, number, target) if found[R_HIGH] and not _is_right(array, target) else made


def _is_right(array: pa.Array, target: ArrayType) -> bool:
    """Whether bytes beyond ASCII are what they should be: text in UTF-8, or no text."""
    if target.path is not DecodePath.TEXT:
        return target.path is not DecodePath.ASCII
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _in_ascii(stored: StoredColumns, number: int, target: ArrayType) -> KernelArray[pa.Array]:
    """The values of a column of text without those that hold a byte beyond ASCII, which are decoded by themselves."""
    one = stored._replace(starts=stored.starts[[number]], sizes=stored.sizes[[number]])
    kernels()["drop_high_bytes"](described(one, [0], [target]).ctypes.data)
    return kernel_arrays(one, {0: target})[0]


def _padded(size: int) -> int:
    return (size + ALIGNED - 1) & -ALIGNED


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
