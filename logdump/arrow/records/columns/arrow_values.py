"""Arrow arrays made from numpy arrays: with nulls, and from bytes scattered among those of rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from trailformat.arrays.arrow import plain_array


def masked(values: Any, valid: Any = None) -> Any:
    """An array with nulls where ``valid`` is false."""
    return plain_array(pa.from_numpy_dtype(values.dtype), values, valid)


def validity(valid: Any) -> Any:
    """Return the validity bitmap of an array built from buffers; None if no value is null."""
    return None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))


def bytes_at(view: Any, starts: Any, sizes: Any, valid: Any = None) -> Any:
    """The bytes at ascending places that do not overlap, as ``binary``.

    The stretch from the first to the last is taken for values and gaps in turn; the values are then taken out of it, so
    that Arrow copies them and numpy touches none.
    """
    if not len(starts):
        return pa.array([], pa.binary())
    begin, end = int(starts[0]), int(starts[-1] + sizes[-1])
    bounds = np.empty(2 * len(starts) + 1, np.int64)
    bounds[0:-1:2], bounds[1:-1:2], bounds[-1] = starts - begin, starts - begin + sizes, end - begin
    stretch = pa.py_buffer(view[begin:end])
    parts = pa.Array.from_buffers(pa.large_binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), stretch])
    places = np.arange(0, 2 * len(starts), 2)
    taken = parts.take(masked(places, valid))
    return taken.cast(pa.binary())


def lists(kind: Any, first: Any, values: Any, valid: Any) -> Any:
    """Lists or maps of ``kind``: number n has the ``values`` from ``first[n]`` to before ``first[n + 1]``."""
    buffers = [validity(valid), pa.py_buffer(first.astype(np.int32))]
    return pa.Array.from_buffers(kind, len(first) - 1, buffers, children=[values])


def replaced(values: Any, rows: list[int], others: list[Any]) -> Any:
    """An array with other values, given as Python objects, in some rows."""
    if not rows:
        return values
    places = np.arange(len(values))
    places[rows] = len(values) + np.arange(len(rows))
    return pa.concat_arrays([values, pa.array(others, values.type)]).take(masked(places))
