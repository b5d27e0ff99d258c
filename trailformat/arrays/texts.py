"""The values of columns as text, many at a time: ``plain_text`` of what :func:`trailformat.values.decode_value` says.

What is ordinary is made by kernels and by Arrow; of everything else each distinct value is decoded once.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailformat import charsets
from trailformat.arrays import kernels
from trailformat.arrays.array_types import ArrayType, Way, array_type
from trailformat.arrays.ordinary import WAYS, gathered, validity
from trailformat.arrays.spans import Array
from trailformat.byte_order import ByteOrder
from trailformat.charset_numbers import CHARSETS
from trailformat.charsets import UTF_8
from trailformat.column_definition import ColumnDefinition
from trailformat.columns import Column
from trailformat.errors import BadData
from trailformat.values import DATA_TYPES, decode_value, plain_text
from trailformat.values.data_types import DATETIME_VARYING, FIXED_TEXT, VARIABLE_TEXT
from trailformat.values.sub_types import sub_type

_MOST_BYTES = (1 << 31) - 1 - kernels.SPARE
"""An array of texts has no room for more."""
_SAFE_SCALE = 6
"""Up to this scale Arrow writes a decimal as Python's ``:f`` does; beyond, small ones with an exponent."""
_TEXT = FIXED_TEXT | VARIABLE_TEXT
_PREFIXED = VARIABLE_TEXT | {DATETIME_VARYING}
_HEX = np.frombuffer("".join(f"{byte:02x}" for byte in range(256)).encode(), np.uint16)
_ASCII = bytes(range(128))
_CODECS = {charset.codec for charset in CHARSETS.values()} - {"utf-7", "hz"}
"""Of these, one that leaves ASCII as it is does so for each byte."""

_Make = Callable[[Array, Array, Array, Array, ArrayType], pa.Array]
"""As in :mod:`trailformat.arrays.ordinary`."""


class TextProblem(NamedTuple):
    """A value that does not decode: its number in the array, and why."""

    row: int
    reason: str


class TextArray(NamedTuple):
    """Values as text, a ``pyarrow.StringArray``: null where one is NULL or a problem."""

    array: pa.Array
    problems: list[TextProblem]


class StoredValues(NamedTuple):
    """Values as images have them.

    ``data`` holds the bytes; each value has its indicator from ``starts`` on and ``sizes`` bytes in all, both int64;
    ``little`` tells the byte order of each.
    """

    data: Array
    little: Array
    starts: Array
    sizes: Array


def text_array(values: StoredValues, definition: ColumnDefinition, codec: str = UTF_8) -> TextArray:
    """The values of one column, or of several whose definitions decode alike.

    Args:
        values: where they stand.
        definition: what the table's definition says of the column.
        codec: of text in the character set of the database.

    Raises:
        BadData: an array cannot hold them all, 2 GiB of text.
    """
    _check_size(int(values.sizes.sum()))
    starts, sizes = values.starts.copy(), values.sizes.copy()
    kernels.unmarked(values.data.ctypes.data, starts, sizes)
    odd = sizes == kernels.ODD
    make = _maker(definition, codec)
    if make is None:
        odd |= sizes >= 0
        return _asked(pa.nulls(len(sizes), pa.string()), values, odd, definition, codec)
    if definition.data_type in _PREFIXED:
        kernels.unprefixed(values.data.ctypes.data, starts, sizes, values.little, odd)
    elif definition.data_type in FIXED_TEXT:
        odd |= sizes > definition.internal_length
    sizes[odd] = kernels.ODD
    array = make(values.data, starts, sizes, odd, array_type(definition, codec))
    return _asked(array, values, odd, definition, codec) if odd.any() else TextArray(array, [])


def _maker(definition: ColumnDefinition, codec: str) -> _Make | None:
    """What makes the text of most values; None where all are to be asked."""
    if definition.data_type in _TEXT:
        about = sub_type(definition.sub_data_type)
        if about.is_binary:
            return _hex
        own = about.codec or charsets.codec_of(definition.charset, codec)
        if not _keeps_ascii(own):
            return None
        return _numbers if about.is_number else _texts if own == UTF_8 else _ascii
    kind = array_type(definition, codec)
    if definition.data_type not in DATA_TYPES or (kind.way is Way.INTEGER and definition.scale > _SAFE_SCALE):
        return None
    return _MAKERS.get(kind.way)


@cache
def _keeps_ascii(codec: str) -> bool:
    """Whether bytes below 80 are ASCII in a character set."""
    try:
        return codec in _CODECS and charsets.decode(_ASCII, codec) == _ASCII.decode()
    except BadData:
        return False


def _texts(data: Array, starts: Array, sizes: Array, odd: Array, _about: ArrayType) -> pa.Array:
    return WAYS[Way.TEXT](data, starts, sizes, odd, ArrayType(pa.string(), Way.TEXT))


def _ascii(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    odd |= kernels.has_high_bytes(data, starts, sizes)
    return gathered(data, starts, np.where(odd, kernels.ODD, sizes), odd, about._replace(type=pa.string()))


def _numbers(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    kernels.unwritten_numbers(data.ctypes.data, starts, sizes, odd)
    return gathered(data, starts, np.where(odd, kernels.ODD, sizes), odd, about._replace(type=pa.string()))


def _cast(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    return WAYS[about.way](data, starts, sizes, odd, about).cast(pa.string())


def _moments(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    """As ISO 8601 has them: without microseconds where these are zeros."""
    moments = WAYS[Way.MOMENT](data, starts, sizes, odd, about)
    seconds = moments.cast(pa.timestamp("s"), safe=False)
    is_whole = pc.equal(seconds.cast(moments.type), moments)
    if not pc.any(pc.invert(is_whole)).as_py():
        return seconds.cast(pa.string())
    return pc.if_else(is_whole, seconds.cast(pa.string()), moments.cast(pa.string()))


def _hex(data: Array, starts: Array, sizes: Array, odd: Array, about: ArrayType) -> pa.Array:
    found = gathered(data, starts, sizes, odd, about._replace(type=pa.binary()))
    _, offsets, stored = found.buffers()
    places = np.frombuffer(offsets, np.int32).astype(np.int64) * 2
    _check_size(int(places[-1]))
    digits = _HEX[np.frombuffer(stored, np.uint8)[: int(places[-1]) // 2]]
    buffers = [validity(sizes < 0), pa.py_buffer(places.astype(np.int32)), pa.py_buffer(digits)]
    return pa.Array.from_buffers(pa.string(), len(found), buffers)


_MAKERS: dict[Way, _Make] = {Way.INTEGER: _cast, Way.DATE: _cast, Way.MOMENT: _moments}


def _asked(array: pa.Array, values: StoredValues, odd: Array, definition: ColumnDefinition, codec: str) -> TextArray:
    """The array with the odd values decoded, each distinct one once."""
    problems: list[TextProblem] = []
    for order, is_little in ((ByteOrder.BIG, False), (ByteOrder.LITTLE, True)):
        mask = odd & (values.little == is_little)
        rows = np.flatnonzero(mask)
        if not len(rows):
            continue
        raw = gathered(values.data, values.starts[rows], values.sizes[rows], mask, _BINARY).dictionary_encode()
        decoded = [decode_value(Column(0, one), definition, order, codec) for one in raw.dictionary.to_pylist()]
        texts = [None if one.value is None else plain_text(one.value) for one in decoded]
        numbers = raw.indices.to_numpy()
        sizes = np.array([len(text.encode()) if text else 0 for text in texts])
        _check_size(int(sizes[numbers].sum()))
        replacement = pa.array(texts, pa.string()).take(raw.indices)
        array = pc.replace_with_mask(array, pa.array(mask), replacement)
        is_problem = np.array([one.problem is not None for one in decoded])[numbers]
        told = zip(rows[is_problem].tolist(), numbers[is_problem].tolist(), strict=True)
        problems += [TextProblem(row, decoded[number].problem or "") for row, number in told]
    return TextArray(array, sorted(problems))


_BINARY = ArrayType(pa.binary(), Way.BYTES)


def _check_size(size: int) -> None:
    if size > _MOST_BYTES:
        raise BadData("too much text for one array", expected=f"at most {_MOST_BYTES} bytes", found=f"{size} bytes")
