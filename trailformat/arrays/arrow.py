"""Arrow's types and arrays of what is here: the same memory, not copied. It needs pyarrow, as PARQUET and Spark do."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import pyarrow as pa

from trailformat.arrays.array_types import ArrowType
from trailformat.arrays.strings import Strings


@lru_cache(maxsize=256)
def arrow_type(kind: ArrowType) -> pa.DataType:
    """The type of pyarrow."""
    make = getattr(pa, kind.name)
    return make(*kind.arguments)


def arrow_strings(strings: Strings) -> pa.Array:
    """The array of some strings."""
    bits = None if strings.valid is None else pa.py_buffer(strings.valid)
    buffers = [bits, pa.py_buffer(strings.offsets), pa.py_buffer(strings.data)]
    return pa.Array.from_buffers(pa.string(), len(strings), buffers)


def strings_of(array: pa.Array) -> Strings:
    """The strings of an array."""
    bits, offsets, data = array.buffers()
    bounds = np.frombuffer(offsets or bytes(4), np.int32)[array.offset : array.offset + len(array) + 1]
    if not array.null_count:
        return Strings(np.frombuffer(data or b"", np.uint8), bounds)
    is_there = np.unpackbits(np.frombuffer(bits, np.uint8), bitorder="little")[array.offset :][: len(array)]
    return Strings(np.frombuffer(data or b"", np.uint8), bounds, np.packbits(is_there, bitorder="little"))
