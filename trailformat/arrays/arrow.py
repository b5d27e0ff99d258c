"""Arrow's types, and arrays of what is here: the same memory where that can be. It needs pyarrow."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from trailformat.arrays.array_types import ArrowType
from trailformat.arrays.strings import Strings

_SHARED_NULLS = 1 << 14


@lru_cache(maxsize=256)
def arrow_type(kind: ArrowType) -> pa.DataType:
    """The type of pyarrow."""
    make = getattr(pa, kind.name)
    return make(*kind.arguments)


def plain_array(kind: pa.DataType, values: Any, valid: Any = None) -> pa.Array:
    """Numbers or truths of numpy, null where ``valid`` is false; pyarrow's own way loads pandas and ``numpy.ma``."""
    bits = None if valid is None or valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    stored = np.packbits(values, bitorder="little") if values.dtype == bool else np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(stored)])


def numbered(texts: pa.Array, numbers: Any, valid: Any = None) -> pa.Array:
    """Some of few texts by their numbers, as a dictionary array."""
    return pa.DictionaryArray.from_arrays(plain_array(pa.int32(), numbers, valid), texts, safe=False)


def in_type(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """An array whose dictionary, if it has one, is resolved unless the type has one too."""
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) and array.type != kind else array


@lru_cache(maxsize=256)
def nulls(kind: pa.DataType, length: int) -> pa.Array:
    """An array of nulls, of the same memory as others of its type."""
    return _nulls(kind).slice(0, length) if length <= _SHARED_NULLS else pa.nulls(length, kind)


@lru_cache(maxsize=256)
def _nulls(kind: pa.DataType) -> pa.Array:
    return pa.nulls(_SHARED_NULLS, kind)


@lru_cache(maxsize=1)
def one_text(text: str) -> pa.Array:
    """An array of one text, the same for one that was asked for last."""
    return pa.array([text], pa.string())


def arrow_strings(strings: Strings) -> pa.Array:
    """The array of some strings."""
    bits = None if strings.valid is None else pa.py_buffer(strings.valid)
    buffers = [bits, pa.py_buffer(strings.offsets), pa.py_buffer(strings.data)]
    return pa.Array.from_buffers(pa.string(), len(strings), buffers)


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
