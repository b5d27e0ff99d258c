"""Arrays of the values that are ordinary for their type, made by kernels; what is not is left null.

Values that no kernel is sure of are to be decoded one by one: :meth:`KernelArray.undecided_rows`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from trailformat.arrays.array_types import ArrayType, DecodePath
from trailformat.arrays.kernels.arguments import (
    ANY_BYTES,
    C_DATA,
    C_LITTLE,
    C_MOST,
    C_PREFIXED,
    C_ROWS,
    C_SIZES,
    C_STARTS,
    C_WIDE,
    COLUMN_SIZE,
    MISSING_SHIFT,
    NUMBERS,
    SPARE,
)
from trailformat.arrays.kernels.loaded import kernels
from trailformat.scan.kernels.arguments import UNDECIDED
from trailformat.scan.rows.row_bytes import Array


class StoredColumn(NamedTuple):
    """The values of one column.

    Attributes:
        data: the bytes that hold them.
        little: the byte order of each.
        starts: where each stands after its indicator.
        sizes: of each, or ABSENT, NULL, UNDECIDED.
        target: the array that they are made into.
    """

    data: Array
    little: Array
    starts: Array
    sizes: Array
    target: ArrayType

    def described(self) -> Array:
        """The column as kernels take it; it holds addresses of the arrays here."""
        described = np.empty(COLUMN_SIZE, np.int64)
        described[C_DATA], described[C_STARTS] = self.data.ctypes.data, self.starts.ctypes.data
        described[C_SIZES], described[C_LITTLE] = self.sizes.ctypes.data, self.little.ctypes.data
        described[C_ROWS], described[C_WIDE] = len(self.sizes), self.sizes.itemsize == 8
        described[C_PREFIXED], described[C_MOST] = self.target.is_prefixed, self.target.most
        return described

    def bits(self) -> Array:
        """A bit for each row, none set."""
        return np.zeros((len(self.sizes) + 7) >> 3, np.uint8)


class KernelArray(NamedTuple):
    """An array; how many of its values must be decoded one by one; the bits of those that are there."""

    array: pa.Array
    undecided: int
    valid: Array

    def undecided_rows(self, sizes: Array) -> Array:
        """The rows of values, of these sizes, that must be decoded one by one."""
        if not self.undecided:
            return np.empty(0, np.int64)
        taken = np.unpackbits(self.valid, count=len(sizes), bitorder="little").astype(bool)
        return np.flatnonzero(~taken & ((sizes >= 0) | (sizes == UNDECIDED)))


def _run(name: str, column: StoredColumn, *arguments: int) -> int:
    described = column.described()
    return kernels()[name](described.ctypes.data, *arguments)


def _made(target: ArrayType, counts: int, valid: Array, *buffers: Array) -> KernelArray:
    """The array of what a kernel has found; ``buffers`` are those after the bits."""
    missing, undecided = counts >> MISSING_SHIFT, counts & ((1 << MISSING_SHIFT) - 1)
    rows = len(buffers[0]) - (1 if len(buffers) > 1 else 0)
    bits = pa.py_buffer(valid) if missing else None
    return KernelArray(pa.Array.from_buffers(target.type, rows, [bits, *map(pa.py_buffer, buffers)]), undecided, valid)


def _integers(column: StoredColumn) -> KernelArray:
    target, valid = column.target, column.bits()
    values = np.empty(len(column.sizes), f"i{target.width}")
    counts = _run("gather_integers", column, target.width, values.ctypes.data, valid.ctypes.data)
    if not pa.types.is_decimal(target.type):
        return _made(target, counts, valid, values)
    words = np.empty((len(values), 2), np.int64)
    words[:, 0], words[:, 1] = values, values >> (8 * target.width - 1)
    return _made(target, counts, valid, words)


def _decimals(column: StoredColumn) -> KernelArray:
    target, valid, words = column.target, column.bits(), np.empty((len(column.sizes), 2), np.int64)
    counts = _run("gather_decimals", column, target.type.scale, words.ctypes.data, valid.ctypes.data)
    return _made(target, counts, valid, words)


def _moments(column: StoredColumn) -> KernelArray:
    target, valid, values = column.target, column.bits(), np.empty(len(column.sizes), np.int64)
    has_zone = int(target.type.tz is not None)
    counts = _run("gather_moments", column, has_zone, values.ctypes.data, valid.ctypes.data)
    return _made(target, counts, valid, values)


def _dates(column: StoredColumn) -> KernelArray:
    target, valid, values = column.target, column.bits(), np.empty(len(column.sizes), np.int32)
    return _made(target, _run("gather_dates", column, values.ctypes.data, valid.ctypes.data), valid, values)


def _bytes(column: StoredColumn) -> KernelArray:
    return _gathered(column, ANY_BYTES)[0]


def _numbers(column: StoredColumn) -> KernelArray:
    return _gathered(column, NUMBERS)[0]


def _texts(column: StoredColumn) -> KernelArray:
    """Text in UTF-8; when some of it is not, every value with a byte beyond ASCII is decoded by itself."""
    made, has_high_bytes = _gathered(column, ANY_BYTES)
    if not has_high_bytes:
        return made
    try:
        if column.target.path is DecodePath.TEXT:
            made.array.validate(full=True)
            return made
    except pa.ArrowInvalid:
        pass
    without = column._replace(sizes=column.sizes.copy())
    _run("drop_high_bytes", without)
    return _gathered(without, ANY_BYTES)[0]


def _gathered(column: StoredColumn, form: int) -> tuple[KernelArray, bool]:
    """The values one after the other, and whether they hold a byte beyond ASCII."""
    valid, offsets = column.bits(), np.empty(len(column.sizes) + 1, np.int32)
    described = column.described()
    described_at, offsets_at = described.ctypes.data, offsets.ctypes.data
    counts = kernels()["place_values"](described_at, form, offsets_at, valid.ctypes.data)
    out = np.empty(int(offsets[-1]) + SPARE, np.uint8)
    has_high = kernels()["gather_bytes"](described_at, len(column.data), offsets_at, out.ctypes.data)
    return _made(column.target, counts, valid, offsets, out), bool(has_high)


def _nothing(column: StoredColumn) -> KernelArray:
    return KernelArray(pa.nulls(len(column.sizes), column.target.type), 1, column.bits())


MAKERS: dict[DecodePath, Callable[[StoredColumn], KernelArray]] = {
    DecodePath.TEXT: _texts,
    DecodePath.ASCII: _texts,
    DecodePath.NUMBER: _numbers,
    DecodePath.DECIMAL: _decimals,
    DecodePath.INTEGER: _integers,
    DecodePath.MOMENT: _moments,
    DecodePath.DATE: _dates,
    DecodePath.BYTES: _bytes,
    DecodePath.SLOW: _nothing,
}
"""The maker for each way."""
