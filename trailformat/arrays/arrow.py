"""Arrow types, and Arrow arrays of this package's arrays, which share their memory where possible. Needs pyarrow."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
import pyarrow as pa

from trailformat.arrays.array_types import ArrowType
from trailformat.arrays.strings import Strings

_SHARED_NULLS = 1 << 14


@lru_cache(maxsize=256)
def arrow_type(kind: ArrowType) -> pa.DataType:
    """Return the pyarrow type of an ArrowType."""
    make = getattr(pa, kind.name)
    return make(*kind.arguments)


def plain_array(kind: pa.DataType, values: Any, valid: Any = None) -> pa.Array:
    """Return numpy numbers or booleans as an Arrow array, null where ``valid`` is false.

    ``pyarrow.array`` would load pandas and ``numpy.ma``.
    """
    bits = None if valid is None or valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))
    stored = np.packbits(values, bitorder="little") if values.dtype == bool else np.ascontiguousarray(values)
    return pa.Array.from_buffers(kind, len(values), [bits, pa.py_buffer(stored)])


def numbered(texts: pa.Array, numbers: Any, valid: Any = None) -> pa.Array:
    """Return a dictionary array of ``texts`` by their index in ``numbers``, int32; null where ``valid`` is false."""
    return pa.DictionaryArray.from_arrays(plain_array(pa.int32(), numbers, valid), texts, safe=False)


def in_type(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Return the array, its dictionary resolved unless ``kind`` is the same dictionary type."""
    return array.dictionary_decode() if pa.types.is_dictionary(array.type) and array.type != kind else array


@lru_cache(maxsize=256)
def nulls(kind: pa.DataType, length: int) -> pa.Array:
    """An array of nulls; short arrays of a type share their memory."""
    return _nulls(kind).slice(0, length) if length <= _SHARED_NULLS else pa.nulls(length, kind)


@lru_cache(maxsize=256)
def _nulls(kind: pa.DataType) -> pa.Array:
    return pa.nulls(_SHARED_NULLS, kind)


def text_array(texts: Sequence[str]) -> pa.Array:
    """Return texts as an Arrow array; ``pyarrow.array`` of a list would load pandas."""
    return arrow_strings(Strings.of(texts))


@lru_cache(maxsize=1)
def one_text(text: str) -> pa.Array:
    """An array of one text; the last one is cached."""
    return text_array([text])


def arrow_strings(strings: Strings) -> pa.Array:
    """Return Strings as an Arrow array that shares their memory."""
    bits = None if strings.valid is None else pa.py_buffer(strings.valid)
    buffers = [bits, pa.py_buffer(strings.offsets), pa.py_buffer(strings.data)]
    return pa.Array.from_buffers(pa.string(), len(strings), buffers)


def masked(values: Any, valid: Any = None) -> Any:
    """Return a numpy array as an Arrow array of the same type, null where ``valid`` is false."""
    return plain_array(pa.from_numpy_dtype(values.dtype), values, valid)


def validity(valid: Any) -> Any:
    """Return the validity bitmap of an array built from buffers; None if no value is null."""
    return None if valid.all() else pa.py_buffer(np.packbits(valid, bitorder="little"))


def bytes_at(view: Any, starts: Any, sizes: Any, valid: Any = None) -> Any:
    """Return the bytes at ascending, non-overlapping places of ``view``, as ``binary``.

    The stretch from the first to the last place becomes an array of alternating values and gaps, from which the values
    are taken: Arrow copies the bytes, numpy none.
    """
    if not len(starts):
        return pa.array([], pa.binary())
    begin, end = int(starts[0]), int(starts[-1] + sizes[-1])
    bounds = np.empty(2 * len(starts) + 1, np.int64)
    bounds[0:-1:2], bounds[1:-1:2], bounds[-1] = starts - begin, starts - begin + sizes, end - begin
    stretch = pa.py_buffer(view[begin:end])
    parts = pa.Array.from_buffers(pa.large_binary(), len(bounds) - 1, [None, pa.py_buffer(bounds), stretch])
    places = np.arange(0, 2 * len(starts), 2)
    values = parts.take(masked(places, valid))
    return values.cast(pa.binary())


def lists(kind: Any, first: Any, values: Any, valid: Any) -> Any:
    """Lists or maps of type ``kind``: list n has the elements ``first[n]`` to before ``first[n + 1]`` of ``values``."""
    buffers = [validity(valid), pa.py_buffer(first.astype(np.int32))]
    return pa.Array.from_buffers(kind, len(first) - 1, buffers, children=[values])


def replaced(values: Any, rows: list[int], replacements: list[Any]) -> Any:
    """An array with the values of ``rows`` replaced by ``replacements``, given as Python objects."""
    if not rows:
        return values
    places = np.arange(len(values))
    places[rows] = len(values) + np.arange(len(rows))
    return pa.concat_arrays([values, pa.array(replacements, values.type)]).take(masked(places))
