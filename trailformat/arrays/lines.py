"""Lines of text made of columns of texts, many rows at a time: the way to CSV and JSON lines.

head | opening VALUE closing | opening VALUE closing | ... | list of NULLs | tail
"""

from __future__ import annotations

import enum
from typing import IO, TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trailformat.arrays.kernels.arguments import (
    CSV,
    F_DATA,
    F_ESCAPES,
    F_FIRST,
    F_OFFSETS,
    F_OPENING,
    F_SIZES,
    F_VALID,
    F_WIDE,
    FIELD_SIZE,
    JSON,
    JSON_ASCII,
    L_FIELDS,
    L_HEAD,
    L_ROWS,
    L_SKIPPED,
    L_TABLE,
    L_TEXTS,
    LINE_SIZE,
    PLAIN,
    SPARE,
)
from trailformat.arrays.kernels.loaded import kernels
from trailformat.scan.rows.row_bytes import Array

if TYPE_CHECKING:
    import pyarrow as pa


_READ = 1 << 18
"""Bytes that are read at a time: they stay in the cache."""


class Escapes(enum.IntEnum):
    """What is written for the characters of a value that have a meaning of their own: itself, or an escape."""

    PLAIN = PLAIN
    CSV = CSV
    JSON = JSON
    JSON_ASCII = JSON_ASCII


class FieldForm(NamedTuple):
    """A field: the texts around its value, in place of one that is NULL or absent, its name among NULLs; escapes."""

    opening: bytes
    closing: bytes = b""
    null: bytes = b""
    absent: bytes = b""
    name: bytes = b""
    escapes: Escapes = Escapes.PLAIN


class LineForm(NamedTuple):
    """The texts of a line around its fields.

    The names of the fields that are NULL as stored are listed behind the fields; ``no_nulls`` stands for an empty list.
    """

    head: bytes
    tail: bytes
    nulls_opening: bytes = b""
    separator: bytes = b""
    nulls_closing: bytes = b""
    no_nulls: bytes = b""


_MOST = {Escapes.PLAIN: 1, Escapes.CSV: 2, Escapes.JSON: 6, Escapes.JSON_ASCII: 6}
"""The most bytes that one byte of a value becomes."""


class Field(NamedTuple):
    """A field of many lines.

    Attributes:
        form: its texts.
        values: a ``pyarrow.StringArray``, or None where no row has a value.
        sizes: of the values as stored, or ABSENT or NULL; None where a value that is null in the array is NULL.
    """

    form: FieldForm
    values: pa.Array | None
    sizes: Array | None = None


class Lines(NamedTuple):
    """Lines one after the other: their bytes, and where the line of each row ends, int64.

    The bytes are a part of a larger array, whose rest was never touched and so takes no memory.
    """

    data: Array
    ends: Array


def write_lines(form: LineForm, fields: list[Field], skipped: Array) -> Lines:
    """The lines of rows, but those that the mask ``skipped`` takes: these have no bytes."""
    texts, places = _gathered([form, *(field.form[:-1] for field in fields)])
    table = np.zeros((len(fields), FIELD_SIZE), np.int64)
    for row, field, place in zip(table, fields, places[1:], strict=True):
        row[F_OPENING:] = place
        _describe(row, field)
    line = np.zeros(LINE_SIZE, np.int64)
    mask = np.ascontiguousarray(skipped, np.uint8)
    line[[L_TEXTS, L_TABLE, L_SKIPPED]] = texts.ctypes.data, table.ctypes.data, mask.ctypes.data
    line[[L_FIELDS, L_ROWS]] = len(fields), len(mask)
    line[L_HEAD:] = places[0]
    ends = np.empty(len(mask), np.int64)
    room = len(mask) * (len(b"".join(form)) + sum(_most(field.form) for field in fields))
    room += sum(_MOST[field.form.escapes] * field.values.nbytes for field in fields if field.values is not None)
    out = np.empty(room + SPARE, np.uint8)
    end = kernels()["write_lines"](line.ctypes.data, out.ctypes.data, ends.ctypes.data)
    return Lines(out[:end], ends)


def _describe(row: Array, field: Field) -> None:
    """Put the addresses of a field's arrays into its row of the table."""
    row[F_ESCAPES] = field.form.escapes
    if field.values is not None:
        valid, offsets, data = field.values.buffers()
        row[F_OFFSETS], row[F_FIRST] = offsets.address, field.values.offset
        row[F_DATA], row[F_VALID] = data.address if data else 0, valid.address if valid else 0
    if field.sizes is not None:
        row[F_SIZES], row[F_WIDE] = field.sizes.ctypes.data, field.sizes.itemsize == 8


def _most(form: FieldForm) -> int:
    """The most bytes of a field besides its value."""
    return max(len(form.opening) + len(form.closing), len(form.null), len(form.absent)) + len(form.name)


def _gathered(groups: list[Any]) -> tuple[Array, list[Array]]:
    """All texts one after the other with SPARE bytes behind them; of each group offsets and sizes in turn."""
    texts = [text for group in groups for text in group]
    sizes = np.array([len(text) for text in texts], np.int64)
    places = np.stack((np.cumsum(sizes) - sizes, sizes), 1).reshape(-1)
    ends = 2 * np.cumsum([len(group) for group in groups])
    return np.frombuffer(b"".join(texts) + bytes(SPARE), np.uint8), np.split(places, ends[:-1])


def count_lines(file: IO[bytes], *, are_quoted: bool) -> int:
    """The number of lines of a file, read from its beginning; ``are_quoted``: line breaks in quotes end none."""
    lines = is_inside = 0
    while data := file.read(_READ):
        address = np.frombuffer(data, np.uint8).ctypes.data
        found = kernels()["count_lines"](address, len(data), int(are_quoted), is_inside)
        lines, is_inside = lines + (found >> 1), found & 1
    return lines
