"""Arrays of the values that are ordinary for their type, made by kernels; what is not is left null.

Values that no kernel is sure of are to be decoded one by one: :meth:`KernelArray.undecided_rows`.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from trailformat.arrays.array_types import ArrayType, DecodePath
from trailformat.arrays.kernels.arguments import (
    ALIGNED,
    BYTES,
    C_DATA,
    C_DATA_END,
    C_FORM,
    C_LITTLE,
    C_MOST,
    C_OFFSETS,
    C_OUT,
    C_ROWS,
    C_SIZES,
    C_STARTS,
    C_VALID,
    C_WIDE,
    COLUMN_SIZE,
    DATES,
    DECIMALS,
    INTEGERS_2,
    INTEGERS_4,
    INTEGERS_8,
    MOMENTS,
    NUMBERS,
    R_HIGH,
    R_MISSING,
    R_SIZE,
    R_UNDECIDED,
    RESULT_SIZE,
    SPARE,
    WIDE_2,
    WIDE_4,
    WIDE_8,
)
from trailformat.arrays.kernels.loaded import kernels
from trailformat.scan.kernels.arguments import UNDECIDED
from trailformat.scan.rows.row_bytes import Array

_INTEGERS = {2: INTEGERS_2, 4: INTEGERS_4, 8: INTEGERS_8}
_WIDE_INTEGERS = {2: WIDE_2, 4: WIDE_4, 8: WIDE_8}
_FORMS = {DecodePath.NUMBER: NUMBERS, DecodePath.DATE: DATES}
WIDTHS = {INTEGERS_2: 2, INTEGERS_4: 4, INTEGERS_8: 8, MOMENTS: 8, DATES: 4}
WIDTHS |= dict.fromkeys((WIDE_2, WIDE_4, WIDE_8, DECIMALS), 16)
"""By form the bytes of a value, of those that have as many each."""


class StoredColumns(NamedTuple):
    """The values of some columns of the same rows.

    Attributes:
        data: the bytes that hold them.
        little: the byte order of each row.
        starts: a row per column, where each value stands after its indicator.
        sizes: likewise of each, or ABSENT, NULL, UNDECIDED.
        room: at most so many bytes have all values of the chosen columns that stand one after the other.
    """

    data: Array
    little: Array
    starts: Array
    sizes: Array
    room: int


class KernelArray(NamedTuple):
    """An array; how many of its values must be decoded one by one; the bits of those that are there."""

    array: pa.Array
    undecided: int
    valid: pa.Buffer | Array | None

    def undecided_rows(self, sizes: Array) -> Array:
        """The rows of values, of these sizes, that must be decoded one by one."""
        if not self.undecided:
            return np.empty(0, np.int64)
        there = (sizes >= 0) | (sizes == UNDECIDED)
        if self.valid is not None:
            bits = np.frombuffer(self.valid, np.uint8)
            there &= ~np.unpackbits(bits, count=len(sizes), bitorder="little").astype(bool)
        return np.flatnonzero(there)


class StoredColumn(NamedTuple):
    """The values of one column, as in StoredColumns, and the array that they are made into."""

    data: Array
    little: Array
    starts: Array
    sizes: Array
    target: ArrayType

    def described(self) -> Array:
        """The column as kernels take it; it holds addresses of the arrays here."""
        described: Array = _described(self.alone(0), [0], [self.target])[0]
        return described

    def alone(self, room: int) -> StoredColumns:
        """The column as the only one, with room for its texts."""
        return StoredColumns(self.data, self.little, self.starts[np.newaxis], self.sizes[np.newaxis], room)


def kernel_array(column: StoredColumn) -> KernelArray:
    """The array of the values of one column."""
    room = int(np.maximum(column.sizes, 0).sum(dtype=np.int64))
    return kernel_arrays(column.alone(room), {0: column.target})[0]


def kernel_arrays(stored: StoredColumns, targets: dict[int, ArrayType]) -> list[KernelArray]:
    """The arrays of the columns with these numbers, in order."""
    made = [number for number, target in targets.items() if target.path is not DecodePath.SLOW]
    arrays = iter(_made(stored, made, [targets[number] for number in made]) if made else ())
    rows = stored.sizes.shape[1]
    return [
        next(arrays) if target.path is not DecodePath.SLOW else KernelArray(pa.nulls(rows, target.type), 1, None)
        for target in targets.values()
    ]


def _made(stored: StoredColumns, numbers: list[int], targets: list[ArrayType]) -> Iterator[KernelArray]:
    table, rows = _described(stored, numbers, targets), stored.sizes.shape[1]
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
        array = pa.Array.from_buffers(target.type, rows, [valid if missing else None, *buffers], missing)
        made = KernelArray(array, found[R_UNDECIDED], valid)
        yield _in_ascii(stored, number, target) if found[R_HIGH] and not _is_right(array, target) else made


def _described(stored: StoredColumns, numbers: list[int], targets: list[ArrayType]) -> Array:
    """Columns as kernels take them, without the places of what is made of them."""
    table = np.zeros((len(targets), COLUMN_SIZE), np.int64)
    rows, item = stored.sizes.shape[1], stored.sizes.itemsize
    table[:, C_DATA], table[:, C_DATA_END] = stored.data.ctypes.data, len(stored.data)
    table[:, C_LITTLE], table[:, C_ROWS], table[:, C_WIDE] = stored.little.ctypes.data, rows, item == 8
    skipped = np.array(numbers, np.int64) * (item * rows)
    table[:, C_STARTS], table[:, C_SIZES] = stored.starts.ctypes.data + skipped, stored.sizes.ctypes.data + skipped
    table[:, C_FORM : C_MOST + 1] = [(*_form(target), target.is_prefixed, target.most) for target in targets]
    return table


def _form(target: ArrayType) -> tuple[int, int]:
    """The form of the values, and the number that it needs."""
    if target.path is DecodePath.INTEGER:
        return (_WIDE_INTEGERS if pa.types.is_decimal(target.type) else _INTEGERS)[target.width], 0
    if target.path is DecodePath.DECIMAL:
        return DECIMALS, target.type.scale
    if target.path is DecodePath.MOMENT:
        return MOMENTS, int(target.type.tz is not None)
    return _FORMS.get(target.path, BYTES), 0


def _is_right(array: pa.Array, target: ArrayType) -> bool:
    """Whether bytes beyond ASCII are what they should be: text in UTF-8, or no text."""
    if target.path is not DecodePath.TEXT:
        return target.path is not DecodePath.ASCII
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return False
    return True


def _in_ascii(stored: StoredColumns, number: int, target: ArrayType) -> KernelArray:
    """The values of a column of text without those that hold a byte beyond ASCII, which are decoded by themselves."""
    one = stored._replace(starts=stored.starts[[number]], sizes=stored.sizes[[number]])
    kernels()["drop_high_bytes"](_described(one, [0], [target]).ctypes.data)
    return kernel_arrays(one, {0: target})[0]


def _padded(size: int) -> int:
    return (size + ALIGNED - 1) & -ALIGNED
