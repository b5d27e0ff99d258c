"""Stored values of columns as kernel arguments, and the rows that a kernel left to be decoded one by one."""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from trailformat.arrays.array_types import ArrayType, DecodePath
from trailformat.native.arrays.arguments import (
    BYTES,
    C_DATA,
    C_DATA_END,
    C_FORM,
    C_LITTLE,
    C_MOST,
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
    RESULT_SIZE,
    SPARE,
    WIDE_2,
    WIDE_4,
    WIDE_8,
)
from trailformat.native.loaded import kernels
from trailformat.native.scan.arguments import UNDECIDED
from trailformat.scan.rows.row_bytes import Array

A = TypeVar("A")
_INTEGERS = {2: INTEGERS_2, 4: INTEGERS_4, 8: INTEGERS_8}
_WIDE_INTEGERS = {2: WIDE_2, 4: WIDE_4, 8: WIDE_8}
_FORMS = {DecodePath.NUMBER: NUMBERS, DecodePath.DATE: DATES}


WIDTHS = {INTEGERS_2: 2, INTEGERS_4: 4, INTEGERS_8: 8, MOMENTS: 8, DATES: 4}
WIDTHS |= dict.fromkeys((WIDE_2, WIDE_4, WIDE_8, DECIMALS), 16)
"""Size of a value in bytes, by form, of the forms with a fixed size."""
_WORD = 8


class StoredValues(NamedTuple):
    """Stored values with their indicators.

    ``data`` holds the bytes; each value has ``sizes`` bytes from ``starts`` on, indicator included, both int64;
    ``little`` is the byte order of each.
    """

    data: Array
    little: Array
    starts: Array
    sizes: Array


class StoredColumns(NamedTuple):
    """The values of some columns of the same rows.

    Attributes:
        data: the bytes that hold them.
        little: the byte order of each row.
        starts: a row per column: the start of each value, after its indicator.
        sizes: a row per column: the size of each value, or ABSENT, NULL, UNDECIDED.
        room: maximum number of bytes of all values of the chosen columns together.
    """

    data: Array
    little: Array
    starts: Array
    sizes: Array
    room: int


class KernelArray(NamedTuple, Generic[A]):
    """An array, the number of its undecided values, which must be decoded one by one, and the bitmap of the others."""

    array: A
    undecided: int
    valid: Any

    def undecided_rows(self, sizes: Array) -> Array:
        """Return the rows that must be decoded one by one; ``sizes`` are those of the values."""
        if not self.undecided:
            return np.empty(0, np.int64)
        there = (sizes >= 0) | (sizes == UNDECIDED)
        if self.valid is not None:
            bits = np.frombuffer(self.valid, np.uint8)
            there &= ~np.unpackbits(bits, count=len(sizes), bitorder="little").astype(bool)
        return np.flatnonzero(there)


class StoredColumn(NamedTuple):
    """The values of one column, as in StoredColumns, and the type of the array to make."""

    data: Array
    little: Array
    starts: Array
    sizes: Array
    target: ArrayType

    def described(self) -> Array:
        """Return the column as a kernel argument. It holds the addresses of these arrays."""
        stored = StoredColumns(self.data, self.little, self.starts[np.newaxis], self.sizes[np.newaxis], 0)
        column: Array = described(stored, [0], [self.target])[0]
        return column


def described(stored: StoredColumns, numbers: list[int], targets: list[ArrayType]) -> Array:
    """Return columns as kernel arguments, without the addresses of the output."""
    table = np.zeros((len(targets), COLUMN_SIZE), np.int64)
    rows, item = stored.sizes.shape[1], stored.sizes.itemsize
    table[:, C_DATA], table[:, C_DATA_END] = stored.data.ctypes.data, len(stored.data)
    table[:, C_LITTLE], table[:, C_ROWS], table[:, C_WIDE] = stored.little.ctypes.data, rows, item == 8
    skipped = np.array(numbers, np.int64) * (item * rows)
    table[:, C_STARTS], table[:, C_SIZES] = stored.starts.ctypes.data + skipped, stored.sizes.ctypes.data + skipped
    table[:, C_FORM : C_MOST + 1] = [(*_form(target), target.is_prefixed, target.most) for target in targets]
    return table


def behind_indicators(values: StoredValues) -> StoredValues:
    """Return the same values without their indicators; sizes are NULL or UNDECIDED where the indicator says so."""
    starts, sizes = values.starts.astype(np.int64), values.sizes.astype(np.int64)
    kernels()["unmarked"](values.data.ctypes.data, starts.ctypes.data, sizes.ctypes.data, len(sizes))
    return StoredValues(values.data, np.ascontiguousarray(values.little, np.uint8), starts, sizes)


def stored_numbers(column: StoredColumn) -> tuple[Array, Array]:
    """Return the values of a numeric column as numbers, and a mask of the rows that have one.

    Decimals are in units of their last digit, dates in days and timestamps in microseconds since 1970-01-01; other
    numbers keep their type.
    """
    rows = len(column.sizes)
    table = column.described()[np.newaxis]
    width = WIDTHS[int(table[0, C_FORM])]
    out, valid = np.empty(width * rows + SPARE, np.uint8), np.empty((rows >> 3) + 1, np.uint8)
    results = np.empty(RESULT_SIZE, np.int64)
    table[0, C_OUT], table[0, C_VALID] = out.ctypes.data, valid.ctypes.data
    kernels()["make_columns"](table.ctypes.data, 1, out.ctypes.data, results.ctypes.data)
    is_made = np.unpackbits(valid, count=rows, bitorder="little").view(bool)
    if width == 2 * _WORD:
        # the upper word only repeats the sign of the lower one
        return out[: width * rows].view(np.int64)[::2], is_made
    is_number = column.target.path is DecodePath.INTEGER
    kind = np.dtype(column.target.type.name if is_number else f"int{8 * width}")
    return out[: width * rows].view(kind), is_made


def _form(target: ArrayType) -> tuple[int, int]:
    """Return the form of the values and its parameter: the scale of decimals, 1 for timestamps with a zone, else 0."""
    if target.path is DecodePath.INTEGER:
        return (_WIDE_INTEGERS if target.type.is_decimal else _INTEGERS)[target.width], 0
    if target.path is DecodePath.DECIMAL:
        return DECIMALS, target.type.scale
    if target.path is DecodePath.MOMENT:
        return MOMENTS, int(target.type.has_zone)
    return _FORMS.get(target.path, BYTES), 0
