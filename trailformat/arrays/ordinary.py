"""Arrays of the values that are ordinary for their type, made by kernels; what is not is noted as odd, and left null.

Each takes the bytes, where the values behind their indicators stand in them, their sizes (or ABSENT, NULL, ODD), a mask
for what is odd, which it adds to, and the type of the column.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from trailformat.arrays import kernels
from trailformat.arrays.array_types import ArrayType, Way
from trailformat.arrays.spans import Array


def _integers(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    values = np.zeros(len(starts), np.int64)
    kernels.gather_integers(data.ctypes.data, starts, sizes, about.width, about.is_signed, values, odd)
    missing = odd | (sizes < 0)
    if pa.types.is_decimal(about.type):
        words = np.stack([values, values >> 63], axis=1)
        return pa.Array.from_buffers(about.type, len(values), [validity(missing), pa.py_buffer(words)])
    plain = values.astype(about.type.to_pandas_dtype())
    return pa.Array.from_buffers(about.type, len(values), [validity(missing), pa.py_buffer(plain)])


def _doubles(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    values = np.zeros(len(starts), np.int64)
    kernels.gather_integers(data.ctypes.data, starts, sizes, 8, about.is_signed, values, odd)
    buffers = [validity(odd | (sizes < 0)), pa.py_buffer(values)]
    return pa.Array.from_buffers(about.type, len(values), buffers)


def _moments(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    values = np.zeros(len(starts), np.int64)
    kernels.gather_moments(data.ctypes.data, starts, sizes, values, odd)
    return pa.Array.from_buffers(about.type, len(values), [validity(odd | (sizes < 0)), pa.py_buffer(values)])


def _dates(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    values = np.zeros(len(starts), np.int32)
    kernels.gather_dates(data.ctypes.data, starts, sizes, values, odd)
    return pa.Array.from_buffers(about.type, len(values), [validity(odd | (sizes < 0)), pa.py_buffer(values)])


def gathered(data: Array, starts: Array, sizes: Array, _odd: Array, about: ArrayType) -> pa.Array:
    """The bytes of the values, as binary or as text; less than 2 GiB."""
    offsets = np.zeros(len(starts) + 1, np.int32)
    out = np.empty(kernels.place_values(sizes, offsets) + kernels.SPARE, np.uint8)
    kernels.gather_bytes(data.ctypes.data, len(data), starts, offsets, out.ctypes.data)
    buffers = [validity(sizes < 0), pa.py_buffer(offsets), pa.py_buffer(out)]
    return pa.Array.from_buffers(about.type, len(starts), buffers)


def _texts(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    """Text in UTF-8; when some of it is not, every value with a byte beyond ASCII is decoded by itself."""
    array = gathered(data, starts, sizes, odd, about)
    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        high = kernels.has_high_bytes(data, starts, sizes)
        odd |= high
        return gathered(data, starts, np.where(high, kernels.ODD, sizes), odd, about)
    return array


def _nothing(_data: Array, starts: Array, _sizes: Array, _odd: Array, about: ArrayType) -> pa.Array:
    return pa.nulls(len(starts), about.type)


def validity(missing: Array) -> pa.Buffer | None:
    """The bitmap of an array; None where nothing is missing."""
    return pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None


WAYS: dict[Way, Callable[[Array, Array, Array, Array, ArrayType], pa.Array]] = {
    Way.TEXT: _texts,
    Way.INTEGER: _integers,
    Way.DOUBLE: _doubles,
    Way.MOMENT: _moments,
    Way.DATE: _dates,
    Way.BYTES: gathered,
    Way.ASK: _nothing,
}
"""The maker for each way."""
