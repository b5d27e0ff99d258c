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
        about: how they are made.
    """

    data: Array
    little: Array
    starts: Array
    sizes: Array
    about: ArrayType

    def described(self) -> Array:
        """The column as kernels take it; it holds addresses of the arrays here."""
        found = np.empty(COLUMN_SIZE, np.int64)
        found[C_DATA], found[C_STARTS] = self.data.ctypes.data, self.starts.ctypes.data
        found[C_SIZES], found[C_LITTLE] = self.sizes.ctypes.data, self.little.ctypes.data
        found[C_ROWS], found[C_WIDE] = len(self.sizes), self.sizes.itemsize == 8
        found[C_PREFIXED], found[C_MOST] = self.about.is_prefixed, self.about.most
        return found

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


def _made(about: ArrayType, found: int, valid: Array, *buffers: Array) -> KernelArray:
    """The array of what a kernel has found; ``buffers`` are those after the bits."""
    missing, undecided = found >> MISSING_SHIFT, found & ((1 << MISSING_SHIFT) - 1)
    rows = len(buffers[0]) - (1 if len(buffers) > 1 else 0)
    bits = pa.py_buffer(valid) if missing else None
    return KernelArray(pa.Array.from_buffers(about.type, rows, [bits, *map(pa.py_buffer, buffers)]), undecided, valid)


def _integers(column: StoredColumn) -> KernelArray:
    about, valid = column.about, column.bits()
    values = np.empty(len(column.sizes), f"i{about.width}")
    found = _run("gather_integers", column, about.width, values.ctypes.data, valid.ctypes.data)
    if not pa.types.is_decimal(about.type):
        return _made(about, found, valid, values)
    words = np.empty((len(values), 2), np.int64)
    words[:, 0], words[:, 1] = values, values >> (8 * about.width - 1)
    return _made(about, found, valid, words)


def _decimals(column: StoredColumn) -> KernelArray:
    about, valid, words = column.about, column.bits(), np.empty((len(column.sizes), 2), np.int64)
    found = _run("gather_decimals", column, about.type.scale, words.ctypes.data, valid.ctypes.data)
    return _made(about, found, valid, words)


def _moments(column: StoredColumn) -> KernelArray:
    about, valid, values = column.about, column.bits(), np.empty(len(column.sizes), np.int64)
    has_zone = int(about.type.tz is not None)
    found = _run("gather_moments", column, has_zone, values.ctypes.data, valid.ctypes.data)
    return _made(about, found, valid, values)


def _dates(column: StoredColumn) -> KernelArray:
    about, valid, values = column.about, column.bits(), np.empty(len(column.sizes), np.int32)
    return _made(about, _run("gather_dates", column, values.ctypes.data, valid.ctypes.data), valid, values)


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
        if column.about.path is DecodePath.TEXT:
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
    found = _run("place_values", column, form, offsets.ctypes.data, valid.ctypes.data)
    out = np.empty(int(offsets[-1]) + SPARE, np.uint8)
    has_high = _run("gather_bytes", column, len(column.data), offsets.ctypes.data, out.ctypes.data)
    return _made(column.about, found, valid, offsets, out), bool(has_high)


def _nothing(column: StoredColumn) -> KernelArray:
    return KernelArray(pa.nulls(len(column.sizes), column.about.type), 1, column.bits())


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
