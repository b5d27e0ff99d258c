"""The values of columns as text, many at a time: ``plain_text`` of what :func:`trailformat.values.decode_value` says.

What is ordinary is made by kernels and by Arrow; of everything else each distinct value is decoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from trailformat.arrays.array_types import ArrayType, DecodePath, array_type
from trailformat.arrays.fallback import STRANGE_INDICATOR
from trailformat.arrays.kernel_arrays import StoredColumn, kernel_array
from trailformat.arrays.kernels.arguments import SPARE
from trailformat.arrays.kernels.loaded import kernels
from trailformat.arrays.spans import Image, Spans
from trailformat.arrays.spelling import TextForm, can_be_spelled, spelled
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.charsets import UTF_8
from trailformat.definitions.column import ColumnDefinition
from trailformat.errors import BadData
from trailformat.records.columns import PRESENT, Column
from trailformat.scan.kernels.arguments import UNDECIDED
from trailformat.scan.rows.row_bytes import Array
from trailformat.values import DATA_TYPES, Value, decode_value, decoded_text

_MOST_BYTES = (1 << 31) - 1 - SPARE
"""An array of texts has no room for more."""
_BINARY = ArrayType(pa.binary(), DecodePath.BYTES)


class TextProblem(NamedTuple):
    """A value that does not decode, or cannot be written: its number in the array, and why it does not decode."""

    row: int
    reason: str


class TextArray(NamedTuple):
    """Values as text, a ``pyarrow.StringArray``: null where one is NULL or a problem."""

    array: pa.Array
    problems: list[TextProblem]


class ValueSpelling(NamedTuple):
    """The way values are written.

    Attributes:
        forms: those of ordinary values by how they are decoded; others are written as they are.
        single: writes one value that is not ordinary; None where it cannot be written.
    """

    forms: Mapping[DecodePath, TextForm]
    single: Callable[[Value], str | None]


_PLAIN_FORM = TextForm()
PLAIN_TEXT = ValueSpelling({}, decoded_text)
"""``plain_text`` of every value."""


class StoredValues(NamedTuple):
    """Values as images have them.

    ``data`` holds the bytes; each value has its indicator from ``starts`` on and ``sizes`` bytes in all, both int64;
    ``little`` is the byte order of each.
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
    starts, sizes = values.starts.astype(np.int64), values.sizes.astype(np.int64)
    kernels()["unmarked"](values.data.ctypes.data, starts.ctypes.data, sizes.ctypes.data, len(sizes))
    little = np.ascontiguousarray(values.little, np.uint8)
    array, rows = _made(StoredValues(values.data, little, starts, sizes), definition, codec, PLAIN_TEXT)
    decoder = _Decoder(definition, codec, b"", PLAIN_TEXT.single)
    return _filled(array, values, rows, decoder) if len(rows) else TextArray(array, [])


def text_column(
    spans: Spans,
    image: Image,
    index: int,
    definition: ColumnDefinition,
    codec: str = UTF_8,
    spelling: ValueSpelling = PLAIN_TEXT,
) -> TextArray:
    """The column with this index of an image; see :func:`trailformat.arrays.column_arrays` for the arguments.

    Raises:
        BadData: an array cannot hold it, 2 GiB of text.
    """
    values = StoredValues(spans.data, spans.little, image.starts[index], image.sizes[index])
    _check_size(int(np.maximum(values.sizes, 0).sum(dtype=np.int64)))
    array, rows = _made(values, definition, codec, spelling)
    if not len(rows):
        return TextArray(array, [])
    is_marked = values.sizes[rows] == UNDECIDED
    found = _filled(array, values, rows[~is_marked], _Decoder(definition, codec, PRESENT, spelling.single))
    marked = [TextProblem(row, STRANGE_INDICATOR) for row in rows[is_marked].tolist()]
    return TextArray(found.array, sorted(found.problems + marked))


def _made(
    values: StoredValues, definition: ColumnDefinition, codec: str, spelling: ValueSpelling
) -> tuple[pa.Array, Array]:
    """The array of values that stand behind their indicators, and the rows that are to be decoded one by one."""
    sizes, target = values.sizes, _ordinary(definition, codec)
    if target is None:
        return pa.nulls(len(sizes), pa.string()), np.flatnonzero((sizes >= 0) | (sizes == UNDECIDED))
    _check_size(int(np.maximum(sizes, 0).sum(dtype=np.int64)) * (2 if target.path is DecodePath.BYTES else 1))
    made = spelled(StoredColumn(*values, target), spelling.forms.get(target.path, _PLAIN_FORM))
    return made.array, made.undecided_rows(sizes)


def _ordinary(definition: ColumnDefinition, codec: str) -> ArrayType | None:
    """The builder of an array whose text is that of most values; None where all are to be decoded one by one."""
    target = array_type(definition, codec)
    if target.path is DecodePath.DECIMAL:
        return target._replace(type=pa.string(), path=DecodePath.NUMBER)
    is_other = (
        definition.data_type not in DATA_TYPES
        or pa.types.is_floating(target.type)
        or (target.path is DecodePath.MOMENT and target.type.tz is not None)
    )
    return None if is_other or not can_be_spelled(target) else target


def bytes_array(data: Array, starts: Array, sizes: Array) -> pa.Array:
    """The bytes at these places, int64, as they are.

    Raises:
        BadData: an array cannot hold them all.
    """
    _check_size(int(sizes.sum()))
    column = StoredColumn(data, np.zeros(len(sizes), np.uint8), starts, sizes, _BINARY._replace(most=_MOST_BYTES))
    return kernel_array(column).array


class _Decoder(NamedTuple):
    """The decoding of single values: by their definition, with these bytes of an indicator in front of each.

    ``write`` writes a value, or gives None.
    """

    definition: ColumnDefinition
    codec: str
    indicator: bytes
    write: Callable[[Value], str | None]

    def value(self, stored: bytes, order: ByteOrder) -> Value:
        """The value of these bytes."""
        return decode_value(Column(0, self.indicator + stored), self.definition, order, self.codec)


def _filled(array: pa.Array, values: StoredValues, rows: Array, decoder: _Decoder) -> TextArray:
    """The array with the values of these rows decoded, each distinct one once."""
    problems: list[TextProblem] = []
    for order, is_little in ((ByteOrder.BIG, False), (ByteOrder.LITTLE, True)):
        chosen = rows[values.little[rows] == is_little]
        if not len(chosen):
            continue
        column = StoredColumn(values.data, values.little[chosen], values.starts[chosen], values.sizes[chosen], _BINARY)
        raw = kernel_array(column).array.dictionary_encode()
        decoded = [decoder.value(stored, order) for stored in raw.dictionary.to_pylist()]
        texts = [decoder.write(value) for value in decoded]
        numbers = raw.indices.to_numpy()
        sizes = np.array([len(text.encode()) if text else 0 for text in texts])
        _check_size(int(sizes[numbers].sum()))
        mask = np.zeros(len(array), bool)
        mask[chosen] = True
        array = pc.replace_with_mask(array, pa.array(mask), pa.array(texts, pa.string()).take(raw.indices))
        is_problem = np.array([_is_problem(*pair) for pair in zip(decoded, texts, strict=True)])[numbers]
        undecoded = zip(chosen[is_problem].tolist(), numbers[is_problem].tolist(), strict=True)
        problems += [TextProblem(row, decoded[number].problem or "") for row, number in undecoded]
    return TextArray(array, sorted(problems))


def _is_problem(value: Value, text: str | None) -> bool:
    return value.problem is not None or (text is None and value.value is not None)


def _check_size(size: int) -> None:
    if size > _MOST_BYTES:
        raise BadData("too much text for one array", expected=f"at most {_MOST_BYTES} bytes", found=f"{size} bytes")
