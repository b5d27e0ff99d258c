"""Lines of text from columns of texts, many rows at a time, for CSV and JSON lines.

head | opening VALUE closing | opening VALUE closing | ... | list of NULLs | tail
"""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from trailformat.arrays.strings import Strings, joined_runs
from trailformat.native.arrays.arguments import (
    CSV,
    F_DATA,
    F_ESCAPES,
    F_KIND,
    F_OFFSETS,
    F_OPENING,
    F_PLACES,
    F_SIZES,
    F_VALID,
    F_WIDE,
    FIELD_SIZE,
    HEX,
    JSON,
    JSON_ASCII,
    JSON_IN_CSV,
    L_FIELDS,
    L_HEAD,
    L_LAST,
    L_ROWS,
    L_SKIPPED,
    L_TABLE,
    L_TEXTS,
    LINE_SIZE,
    LIST,
    NUMBER,
    PLAIN,
    SPARE,
)
from trailformat.native.loaded import kernels
from trailformat.scan.rows.row_bytes import Array


class Escapes(enum.IntEnum):
    """The escape rule for the special characters of a value; PLAIN writes them unchanged."""

    PLAIN = PLAIN
    CSV = CSV
    JSON = JSON
    JSON_ASCII = JSON_ASCII
    JSON_IN_CSV = JSON_IN_CSV


class FieldForm(NamedTuple):
    """The texts of a field: around its value, for NULL and absent values, its name in the list of NULLs; escapes."""

    opening: bytes
    closing: bytes = b""
    null: bytes = b""
    absent: bytes = b""
    name: bytes = b""
    escapes: Escapes = Escapes.PLAIN


class LineForm(NamedTuple):
    """The texts of a line around its fields.

    After the fields follow the names of those that are stored as NULL, as a list, or ``no_nulls`` if there are none.
    """

    head: bytes
    tail: bytes
    nulls_opening: bytes = b""
    separator: bytes = b""
    nulls_closing: bytes = b""
    no_nulls: bytes = b""


_MOST = {Escapes.PLAIN: 1, Escapes.CSV: 2, Escapes.JSON: 6, Escapes.JSON_ASCII: 6, Escapes.JSON_IN_CSV: 6}
"""Maximum number of bytes written for one byte of a value."""
_MOST_DIGITS = 20
_FEW = 1 << 10
"""Up to this number of distinct texts, the room is estimated from the longest one."""
_LARGE, _APART = 1 << 20, 33 << 20
"""Arrays from the first size on get at least the second: malloc maps these separately and frees them at once."""


class BytesAt(NamedTuple):
    """Bytes to be written in hex: they begin at ``starts``, int64, in ``data``; their sizes are those of the field."""

    data: Array
    starts: Array


class Numbered(NamedTuple):
    """Texts, each given by its index in ``texts``, int32."""

    texts: Strings
    numbers: Array


class Digits(NamedTuple):
    """Numbers, uint64, written in decimal; ``present`` is a mask of those that exist, None for all."""

    numbers: Array
    present: Array | None = None


class Parts(NamedTuple):
    """A list in each line.

    Attributes:
        first: int64, one more than lines: line n has the rows of ``fields`` from ``first[n]`` up to ``first[n + 1]``.
        fields: the fields of these rows; none of them is a list.
        present: a mask of the lines that have a list.
    """

    first: Array
    fields: list[Field]
    present: Array


class Field(NamedTuple):
    """A field of many lines.

    Attributes:
        form: its texts; for a list, ``absent`` is written for an empty one, and ``name`` separates two rows.
        values: the value of each row; None if no row has one.
        sizes: stored sizes of the values, or ABSENT or NULL; if None, null values are NULL.
    """

    form: FieldForm
    values: Strings | Digits | Numbered | BytesAt | Parts | None
    sizes: Array | None = None


class Lines(NamedTuple):
    """Consecutive lines: their bytes, and the end of each row's line, int64.

    The bytes are the beginning of a larger array, ``room``, whose rest was never touched and so takes no memory.
    """

    data: Array
    ends: Array
    room: Array


def new_room(size: int) -> Array:
    """An array of at least ``size`` bytes."""
    return np.empty(size if size < _LARGE else max(size, _APART), np.uint8)


def write_lines(
    form: LineForm,
    fields: list[Field],
    skipped: Array,
    room_for: Callable[[int], Array] = new_room,
    last: Field | None = None,
) -> Lines:
    """Return the lines of rows; rows in the mask ``skipped`` get no bytes.

    ``room_for`` returns an array of at least the given number of bytes, into which the lines are written. The field
    ``last``, which must not be a list, follows the list of NULLs.
    """
    fields = fields if last is None else [*fields, last]
    flat = list(_flat(fields))
    texts, places = _gathered([form, *(field.form[:-1] for field in flat)])
    table = np.zeros((len(flat), FIELD_SIZE), np.int64)
    described = []
    for row, field, place in zip(table, flat, places[1:], strict=True):
        row[F_OPENING:] = place
        described.append(_describe(row, field))
    line = np.zeros(LINE_SIZE, np.int64)
    mask = np.ascontiguousarray(skipped, np.uint8)
    line[[L_TEXTS, L_TABLE, L_SKIPPED]] = texts.ctypes.data, table.ctypes.data, mask.ctypes.data
    line[[L_FIELDS, L_LAST, L_ROWS]] = len(flat) - (last is not None), last is not None, len(mask)
    line[L_HEAD:] = places[0]
    ends = np.empty(len(mask), np.int64)
    room = len(mask) * len(b"".join(form)) + sum(_room(field, len(mask)) for field in fields)
    out = room_for(room + SPARE)
    end = kernels()["write_lines"](line.ctypes.data, out.ctypes.data, ends.ctypes.data)
    del described
    return Lines(out[:end], ends, out)


def _flat(fields: list[Field]) -> Iterator[Field]:
    """Yield the fields, each list followed by its own fields."""
    for field in fields:
        yield field
        if isinstance(field.values, Parts):
            yield from field.values.fields


def _describe(row: Array, field: Field) -> list[Any]:
    """Put the addresses of a field's arrays into its row of the table; return the arrays that were made for it."""
    values, arrays = field.values, list[Any]()
    row[F_ESCAPES] = field.form.escapes
    if isinstance(values, BytesAt):
        row[F_KIND], row[F_DATA], row[F_OFFSETS] = HEX, values.data.ctypes.data, values.starts.ctypes.data
    elif isinstance(values, Parts):
        row[F_KIND], row[F_DATA], row[F_OFFSETS] = LIST, len(values.fields), values.first.ctypes.data
        arrays = _describe_mask(row, values.present)
    elif isinstance(values, Digits):
        row[F_KIND], row[F_DATA] = NUMBER, values.numbers.ctypes.data
        arrays = [] if values.present is None else _describe_mask(row, values.present)
    elif isinstance(values, Numbered):
        row[F_PLACES] = values.numbers.ctypes.data
        _describe_strings(row, values.texts)
    elif values is not None:
        _describe_strings(row, values)
    if field.sizes is not None:
        row[F_SIZES], row[F_WIDE] = field.sizes.ctypes.data, field.sizes.itemsize == 8
    return arrays


def _describe_mask(row: Array, present: Array) -> list[Any]:
    bits = None if present.all() else np.packbits(present, bitorder="little")
    row[F_VALID] = 0 if bits is None else bits.ctypes.data
    return [bits]


def _describe_strings(row: Array, values: Strings) -> None:
    row[F_OFFSETS], row[F_DATA] = values.offsets.ctypes.data, values.data.ctypes.data
    row[F_VALID] = 0 if values.valid is None else values.valid.ctypes.data


def _room(field: Field, rows: int) -> int:
    """Return the maximum number of bytes that a field takes in all rows."""
    form = field.form
    most = max(len(form.opening) + len(form.closing), len(form.null), len(form.absent)) + len(form.name)
    return rows * most + _room_of_values(field)


def _room_of_values(field: Field) -> int:
    """Return the maximum number of bytes that the values of a field take."""
    values = field.values
    if values is None:
        return 0
    if isinstance(values, BytesAt):
        return 0 if field.sizes is None else 2 * int(np.maximum(field.sizes, 0).sum())
    if isinstance(values, Parts):
        parts = int(values.first[-1])
        return parts * len(field.form.name) + sum(_room(part, parts) for part in values.fields)
    if isinstance(values, Numbered):
        return _MOST[field.form.escapes] * _size_of(values)
    if isinstance(values, Digits):
        return _MOST_DIGITS * len(values.numbers)
    return _MOST[field.form.escapes] * values.nbytes


def _size_of(values: Numbered) -> int:
    """Return the total size of numbered texts in bytes, or an upper bound."""
    numbers, sizes = values.numbers, values.texts.sizes
    if not len(numbers):
        return 0
    return int(sizes.max()) * len(numbers) if len(sizes) <= _FEW else int(sizes[numbers].sum(dtype=np.int64))


def _gathered(groups: list[Any]) -> tuple[Array, list[Array]]:
    """Return all texts joined, SPARE bytes after them, and for each group the offset and size of each text in turn."""
    texts = [text for group in groups for text in group]
    sizes = np.array([len(text) for text in texts], np.int64)
    places = np.stack((np.cumsum(sizes) - sizes, sizes), 1).reshape(-1)
    ends = 2 * np.cumsum([len(group) for group in groups])
    return np.frombuffer(b"".join(texts) + bytes(SPARE), np.uint8), np.split(places, ends[:-1])


class LineBreaks(NamedTuple):
    """Line breaks in some bytes: all; those after an even number of quotes; whether the number of quotes is odd."""

    total: int = 0
    even: int = 0
    is_odd: bool = False

    def then(self, later: LineBreaks) -> LineBreaks:
        """The line breaks of these bytes followed by ``later`` bytes."""
        even = later.total - later.even if self.is_odd else later.even
        return LineBreaks(self.total + later.total, self.even + even, self.is_odd != later.is_odd)


def line_breaks(data: Array) -> LineBreaks:
    """Return the line breaks in an array of uint8."""
    counts = np.empty(3, np.int64)
    kernels()["count_lines"](data.ctypes.data, len(data), counts.ctypes.data)
    total, even, is_odd = counts.tolist()
    return LineBreaks(total, even, bool(is_odd))


class LinePart(NamedTuple):
    """Lines of rows: the numbers of the rows, the bytes, the end of each row's line."""

    rows: Array
    data: memoryview
    ends: Array


def count(parts: Iterable[LinePart]) -> int:
    """Return the number of lines."""
    return sum(int(np.count_nonzero(np.diff(part.ends, prepend=0))) for part in parts)


def merged(parts: list[LinePart]) -> bytes | memoryview:
    """The lines of all parts in the order of their rows; no row is in two parts."""
    if len(parts) == 1:
        return parts[0].data
    of_part = np.repeat(np.arange(len(parts)), [len(part.rows) for part in parts])
    order = np.argsort(np.concatenate([part.rows for part in parts]), kind="stable")
    ends = np.concatenate([part.ends for part in parts])[order]
    begins = np.concatenate([np.concatenate(([0], part.ends))[:-1] for part in parts])[order]
    filled = begins < ends
    begins, ends, of_part = begins[filled], ends[filled], of_part[order][filled]
    if not len(ends):
        return b""
    is_break = (np.diff(of_part) != 0) | (begins[1:] != ends[:-1])
    is_first, is_last = np.append(True, is_break), np.append(is_break, True)
    sources = [np.frombuffer(part.data, np.uint8) for part in parts]
    return joined_runs(sources, of_part[is_first], begins[is_first], ends[is_last]).data
