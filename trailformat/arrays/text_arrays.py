"""The values of columns as text, many at a time: ``plain_text`` of :func:`trailformat.values.decode_value`.

Kernels spell the usual values; of the others each distinct value is decoded once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from trailformat.arrays.array_types import DOUBLES, STRING, ArrayType, DecodePath, array_type
from trailformat.arrays.spans import STRANGE_INDICATOR, Image, Spans
from trailformat.arrays.stored import StoredColumn, StoredValues, behind_indicators
from trailformat.arrays.strings import Strings, TextForm, can_be_spelled, check_size, spelled
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.charsets import UTF_8
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.native.scan.arguments import UNDECIDED
from trailformat.records.columns import PRESENT, Column
from trailformat.scan.rows.row_bytes import Array
from trailformat.values import DATA_TYPES, Value, decode_value, decoded_text


class TextProblem(NamedTuple):
    """A value that cannot be decoded or written: its row, and the reason, which is empty if it cannot be written."""

    row: int
    reason: str


class TextArray(NamedTuple):
    """Values as text: null if the value is NULL or a problem."""

    array: Strings
    problems: list[TextProblem]


class ValueSpelling(NamedTuple):
    """The spelling of values.

    Attributes:
        forms: the forms of usual values by decode path; paths without one are written without additions.
        single: writes one unusual value; returns None if it cannot be written.
    """

    forms: Mapping[DecodePath, TextForm]
    single: Callable[[Value], str | None]


_PLAIN_FORM = TextForm()
PLAIN_TEXT = ValueSpelling({}, decoded_text)
"""Spells every value as ``plain_text`` does."""


def text_array(values: StoredValues, definition: ColumnDefinition, codec: str = UTF_8) -> TextArray:
    """Return the values of one column, or of several whose definitions decode alike, as text.

    Args:
        values: the stored values.
        definition: the definition of the column.
        codec: decodes text in the character set of the database.

    Raises:
        BadData: the text is too large for one array (2 GiB).
    """
    check_size(int(values.sizes.sum()))
    array, rows = _made(behind_indicators(values), definition, codec, PLAIN_TEXT)
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
    """Return the column ``index`` of an image as text; for the other arguments see :mod:`trailformat.arrays.columns`.

    Raises:
        BadData: the text is too large for one array (2 GiB).
    """
    values = StoredValues(spans.data, spans.little, image.starts[index], image.sizes[index])
    check_size(int(np.maximum(values.sizes, 0).sum(dtype=np.int64)))
    array, rows = _made(values, definition, codec, spelling)
    if not len(rows):
        return TextArray(array, [])
    is_marked = values.sizes[rows] == UNDECIDED
    filled = _filled(array, values, rows[~is_marked], _Decoder(definition, codec, PRESENT, spelling.single))
    marked = [TextProblem(row, STRANGE_INDICATOR) for row in rows[is_marked].tolist()]
    return TextArray(filled.array, sorted(filled.problems + marked))


def _made(
    values: StoredValues, definition: ColumnDefinition, codec: str, spelling: ValueSpelling
) -> tuple[Strings, Array]:
    """Return the array of values, which have no indicators, and the rows that must be decoded one by one."""
    sizes, target = values.sizes, _ordinary(definition, codec)
    if target is None:
        return Strings.nulls(len(sizes)), np.flatnonzero((sizes >= 0) | (sizes == UNDECIDED))
    check_size(int(np.maximum(sizes, 0).sum(dtype=np.int64)) * (2 if target.path is DecodePath.BYTES else 1))
    texts = spelled(StoredColumn(*values, target), spelling.forms.get(target.path, _PLAIN_FORM))
    return texts.array, texts.undecided_rows(sizes)


def _ordinary(definition: ColumnDefinition, codec: str) -> ArrayType | None:
    """Return the type whose text is that of most values; None if all must be decoded one by one."""
    target = array_type(definition, codec)
    if target.path is DecodePath.DECIMAL:
        return target._replace(type=STRING, path=DecodePath.NUMBER)
    is_other = (
        definition.data_type not in DATA_TYPES
        or target.type == DOUBLES
        or (target.path is DecodePath.MOMENT and target.type.has_zone)
    )
    return None if is_other or not can_be_spelled(target) else target


class _Decoder(NamedTuple):
    """Decodes single values of one definition, with ``indicator`` put before each.

    ``write`` returns the text of a value, or None.
    """

    definition: ColumnDefinition
    codec: str
    indicator: bytes
    write: Callable[[Value], str | None]

    def value(self, stored: bytes, order: ByteOrder) -> Value:
        """Return the decoded value of these bytes."""
        return decode_value(Column(0, self.indicator + stored), self.definition, order, self.codec)


def _filled(array: Strings, values: StoredValues, rows: Array, decoder: _Decoder) -> TextArray:
    """Return the array with these rows decoded, each distinct value once."""
    problems: list[TextProblem] = []
    for order, is_little in ((ByteOrder.BIG, False), (ByteOrder.LITTLE, True)):
        chosen = rows[values.little[rows] == is_little]
        if not len(chosen):
            continue
        starts, sizes = (places[chosen].astype(np.int64) for places in (values.starts, values.sizes))
        distinct, numbers = Strings.at(values.data, starts, sizes).distinct()
        decoded = [decoder.value(stored, order) for stored in distinct]
        texts = [decoder.write(value) for value in decoded]
        array = array.replaced(chosen, Strings.of(texts), numbers)
        is_problem = np.array([_is_problem(*pair) for pair in zip(decoded, texts, strict=True)])[numbers]
        undecoded = zip(chosen[is_problem].tolist(), numbers[is_problem].tolist(), strict=True)
        problems += [TextProblem(row, decoded[number].problem or "") for row, number in undecoded]
    return TextArray(array, sorted(problems))


def _is_problem(value: Value, text: str | None) -> bool:
    return value.problem is not None or (text is None and value.value is not None)
