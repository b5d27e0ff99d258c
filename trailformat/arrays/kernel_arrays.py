"""Arrays of the values that are ordinary for their type, made by kernels; what is not is left null.

Values that no kernel is sure of are to be decoded one by one: :meth:`KernelArray.undecided_rows`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate

import numpy as np
import pyarrow as pa

from trailformat.arrays.array_types import ArrayType, DecodePath
from trailformat.arrays.arrow import arrow_type
from trailformat.arrays.stored import WIDTHS, KernelArray, StoredColumns, described
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
