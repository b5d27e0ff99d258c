"""Arrays of a table's columns: what :func:`trailformat.values.decode_value` says of each value, many at a time.

The kernels make what is ordinary; every value that they are not sure of is decoded by itself: both say the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from trailformat.arrays import byte_kernels, value_kernels
from trailformat.arrays.array_types import ArrayType, Way, array_type
from trailformat.arrays.asking import Asker, Problem
from trailformat.arrays.kernels import HAS_ODD, HAS_VALUE, ODD
from trailformat.arrays.spans import Array, Image, Spans
from trailformat.charsets import UTF_8
from trailformat.column_definition import ColumnDefinition


class ColumnArray(NamedTuple):
    """A column of an image: null where it is absent, NULL, or a problem."""

    array: pa.Array
    problems: list[Problem]


class _Column(NamedTuple):
    """The values of one column: what the kernels take."""

    spans: Spans
    starts: Array
    sizes: Array
    about: ArrayType

    @property
    def address(self) -> int:
        """Of the bytes."""
        return int(self.spans.data.ctypes.data)

    def bits(self) -> Array:
        """A bit for each row, none set."""
        return np.zeros((len(self.sizes) + 7) >> 3, np.uint8)


class _Made(NamedTuple):
    """An array, and whether some of its values must be decoded one by one: those whose bit is not set."""

    array: pa.Array
    odd: int
    valid: Array


def column_array(
    spans: Spans, image: Image, index: int, definition: ColumnDefinition, codec: str = UTF_8
) -> ColumnArray:
    """The column with this index of an image.

    Args:
        spans: from :func:`trailformat.arrays.locate_columns`.
        image: its ``before`` or ``after``.
        index: from 0.
        definition: what the table's definition says of the column.
        codec: of text in the character set of the database.
    """
    about = array_type(definition, codec)
    sizes = image.sizes[index]
    if not image.seen[index] & (HAS_VALUE | HAS_ODD):
        return ColumnArray(pa.nulls(len(sizes), about.type), [])
    made = _WAYS[about.way](_Column(spans, image.starts[index], sizes, about))
    if not made.odd:
        return ColumnArray(made.array, [])
    taken = np.unpackbits(made.valid, count=len(sizes), bitorder="little").astype(bool)
    rows = np.flatnonzero(~taken & ((sizes >= 0) | (sizes == ODD))).tolist()
    return ColumnArray(*Asker(spans, image, index, definition, codec).filled(made.array, rows))


def _made(about: ArrayType, found: tuple[int, int], valid: Array, *buffers: Array) -> _Made:
    """The array of what a kernel has found; ``buffers`` are those behind the bits."""
    missing, odd = found
    rows = len(buffers[0]) - (1 if len(buffers) > 1 else 0)
    bits = pa.py_buffer(valid) if missing else None
    return _Made(pa.Array.from_buffers(about.type, rows, [bits, *map(pa.py_buffer, buffers)]), odd, valid)


def _integers(column: _Column) -> _Made:
    about, valid = column.about, column.bits()
    values = np.empty(len(column.sizes), f"i{about.width}")
    found = value_kernels.gather_integers(column.address, column.starts, column.sizes, about.width, values, valid)
    if not pa.types.is_decimal(about.type):
        return _made(about, found, valid, values)
    words = np.empty((len(values), 2), np.int64)
    words[:, 0], words[:, 1] = values, values >> (8 * about.width - 1)
    return _made(about, found, valid, words)


def _decimals(column: _Column) -> _Made:
    about, valid, words = column.about, column.bits(), np.empty((len(column.sizes), 2), np.int64)
    rules = int(about.is_prefixed), about.most, about.type.scale
    little = column.spans.little
    found = value_kernels.gather_decimals(column.address, column.starts, column.sizes, little, rules, words, valid)
    return _made(about, found, valid, words)


def _moments(column: _Column) -> _Made:
    about, valid, values = column.about, column.bits(), np.empty(len(column.sizes), np.int64)
    rules = int(about.is_prefixed), int(about.type.tz is not None)
    little = column.spans.little
    found = value_kernels.gather_moments(column.address, column.starts, column.sizes, little, rules, values, valid)
    return _made(about, found, valid, values)


def _dates(column: _Column) -> _Made:
    about, valid, values = column.about, column.bits(), np.empty(len(column.sizes), np.int32)
    rule, little = int(about.is_prefixed), column.spans.little
    found = value_kernels.gather_dates(column.address, column.starts, column.sizes, little, rule, values, valid)
    return _made(about, found, valid, values)


def _bytes(column: _Column) -> _Made:
    return _gathered(column, byte_kernels.ANY_BYTES)[0]


def _numbers(column: _Column) -> _Made:
    return _gathered(column, byte_kernels.NUMBERS)[0]


def _texts(column: _Column) -> _Made:
    """Text in UTF-8; when some of it is not, every value with a byte beyond ASCII is decoded by itself."""
    made, has_high_bytes = _gathered(column, byte_kernels.ANY_BYTES)
    if not has_high_bytes:
        return made
    try:
        if column.about.way is Way.TEXT:
            made.array.validate(full=True)
            return made
    except pa.ArrowInvalid:
        pass
    sizes = column.sizes.copy()
    byte_kernels.drop_high_bytes(column.address, column.starts, sizes, 2 if column.about.is_prefixed else 0)
    return _gathered(column._replace(sizes=sizes), byte_kernels.ANY_BYTES)[0]


def _gathered(column: _Column, form: int) -> tuple[_Made, bool]:
    """The values one behind the other, and whether they hold a byte beyond ASCII."""
    spans, starts, sizes, about = column
    valid, offsets = column.bits(), np.zeros(len(sizes) + 1, np.int32)
    rules = int(about.is_prefixed), about.most, form
    found = byte_kernels.place_values(column.address, starts, sizes, spans.little, rules, offsets, valid)
    out = np.empty(int(offsets[-1]) + byte_kernels.SPARE, np.uint8)
    skip = 2 if about.is_prefixed else 0
    has_high = byte_kernels.gather_bytes(column.address, len(spans.data), starts, skip, offsets, out.ctypes.data)
    return _made(about, found, valid, offsets, out), bool(has_high)


def _nothing(column: _Column) -> _Made:
    return _Made(pa.nulls(len(column.sizes), column.about.type), 1, column.bits())


_WAYS: dict[Way, Callable[[_Column], _Made]] = {
    Way.TEXT: _texts,
    Way.ASCII: _texts,
    Way.NUMBER: _numbers,
    Way.DECIMAL: _decimals,
    Way.INTEGER: _integers,
    Way.MOMENT: _moments,
    Way.DATE: _dates,
    Way.BYTES: _bytes,
    Way.ASK: _nothing,
}
