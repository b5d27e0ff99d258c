"""Arrays of the values that are ordinary for their type, made by kernels; what is not is left null.

A value that no kernel is sure of is to be decoded by itself: :attr:`Made.undecided_rows` tells which.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from trailformat.arrays import byte_kernels, value_kernels
from trailformat.arrays.array_types import ArrayType, DecodePath
from trailformat.arrays.kernels import UNDECIDED
from trailformat.arrays.spans import Array


class StoredColumn(NamedTuple):
    """The values of one column.

    Attributes:
        data: the bytes that hold them.
        little: the byte order of each.
        starts: where each stands behind its indicator.
        sizes: of each, or ABSENT, NULL, UNDECIDED.
        about: how they are made.
    """

    data: Array
    little: Array
    starts: Array
    sizes: Array
    about: ArrayType

    @property
    def address(self) -> int:
        """Of the bytes."""
        return int(self.data.ctypes.data)

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


def _made(about: ArrayType, found: tuple[int, int], valid: Array, *buffers: Array) -> KernelArray:
    """The array of what a kernel has found; ``buffers`` are those behind the bits."""
    missing, undecided = found
    rows = len(buffers[0]) - (1 if len(buffers) > 1 else 0)
    bits = pa.py_buffer(valid) if missing else None
    return KernelArray(pa.Array.from_buffers(about.type, rows, [bits, *map(pa.py_buffer, buffers)]), undecided, valid)


def _integers(column: StoredColumn) -> KernelArray:
    about, valid = column.about, column.bits()
    values = np.empty(len(column.sizes), f"i{about.width}")
    found = value_kernels.gather_integers(column.address, column.starts, column.sizes, about.width, values, valid)
    if not pa.types.is_decimal(about.type):
        return _made(about, found, valid, values)
    words = np.empty((len(values), 2), np.int64)
    words[:, 0], words[:, 1] = values, values >> (8 * about.width - 1)
    return _made(about, found, valid, words)


def _decimals(column: StoredColumn) -> KernelArray:
    about, valid, words = column.about, column.bits(), np.empty((len(column.sizes), 2), np.int64)
    rules = int(about.is_prefixed), about.most, about.type.scale
    little = column.little
    found = value_kernels.gather_decimals(column.address, column.starts, column.sizes, little, rules, words, valid)
    return _made(about, found, valid, words)


def _moments(column: StoredColumn) -> KernelArray:
    about, valid, values = column.about, column.bits(), np.empty(len(column.sizes), np.int64)
    rules = int(about.is_prefixed), int(about.type.tz is not None)
    little = column.little
    found = value_kernels.gather_moments(column.address, column.starts, column.sizes, little, rules, values, valid)
    return _made(about, found, valid, values)


def _dates(column: StoredColumn) -> KernelArray:
    about, valid, values = column.about, column.bits(), np.empty(len(column.sizes), np.int32)
    rule, little = int(about.is_prefixed), column.little
    found = value_kernels.gather_dates(column.address, column.starts, column.sizes, little, rule, values, valid)
    return _made(about, found, valid, values)


def _bytes(column: StoredColumn) -> KernelArray:
    return _gathered(column, byte_kernels.ANY_BYTES)[0]


def _numbers(column: StoredColumn) -> KernelArray:
    return _gathered(column, byte_kernels.NUMBERS)[0]


def _texts(column: StoredColumn) -> KernelArray:
    """Text in UTF-8; when some of it is not, every value with a byte beyond ASCII is decoded by itself."""
    made, has_high_bytes = _gathered(column, byte_kernels.ANY_BYTES)
    if not has_high_bytes:
        return made
    try:
        if column.about.path is DecodePath.TEXT:
            made.array.validate(full=True)
            return made
    except pa.ArrowInvalid:
        pass
    sizes = column.sizes.copy()
    byte_kernels.drop_high_bytes(column.address, column.starts, sizes, 2 if column.about.is_prefixed else 0)
    return _gathered(column._replace(sizes=sizes), byte_kernels.ANY_BYTES)[0]


def _gathered(column: StoredColumn, form: int) -> tuple[KernelArray, bool]:
    """The values one behind the other, and whether they hold a byte beyond ASCII."""
    data, little, starts, sizes, about = column
    valid, offsets = column.bits(), np.zeros(len(sizes) + 1, np.int32)
    rules = int(about.is_prefixed), about.most, form
    found = byte_kernels.place_values(column.address, starts, sizes, little, rules, offsets, valid)
    out = np.empty(int(offsets[-1]) + byte_kernels.SPARE, np.uint8)
    skip = 2 if about.is_prefixed else 0
    has_high = byte_kernels.gather_bytes(column.address, len(data), starts, skip, offsets, out.ctypes.data)
    return _made(about, found, valid, offsets, out), bool(has_high)


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
