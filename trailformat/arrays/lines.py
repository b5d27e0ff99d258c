"""Lines of text made of columns of texts, many rows at a time: the way to CSV and JSON lines.

head | opening VALUE closing | opening VALUE closing | ... | list of NULLs | tail
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trailformat.arrays.kernels.arguments import (
    F_DATA,
    F_FIRST,
    F_OFFSETS,
    F_OPENING,
    F_SIZES,
    F_VALID,
    F_WIDE,
    FIELD_SIZE,
    L_FIELDS,
    L_HEAD,
    L_IS_JSON,
    L_ROWS,
    L_SKIPPED,
    L_TABLE,
    L_TEXTS,
    LINE_SIZE,
    SPARE,
)
from trailformat.arrays.kernels.loaded import kernels
from trailformat.scan.rows.row_bytes import Array

if TYPE_CHECKING:
    import pyarrow as pa

_IN_JSON, _IN_CSV = 6, 2
"""The most bytes that one byte of a value becomes."""


class FieldForm(NamedTuple):
    """The texts of a field: around its value, in place of one that is NULL or absent, and its name among the NULLs."""

    opening: bytes
    closing: bytes = b""
    null: bytes = b""
    absent: bytes = b""
    name: bytes = b""


class LineForm(NamedTuple):
    """The texts of a line around its fields, and the escapes of values: those of JSON, which make it ASCII, or of CSV.

    The names of the fields that are NULL as stored are listed behind the fields; ``no_nulls`` stands for an empty list.
    """

    head: bytes
    tail: bytes
    nulls_opening: bytes = b""
    separator: bytes = b""
    nulls_closing: bytes = b""
    no_nulls: bytes = b""
    is_json: bool = False


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
    """Lines one after the other: their bytes, and where the line of each row ends, int64."""

    data: Array
    ends: Array


def write_lines(form: LineForm, fields: list[Field], skipped: Array) -> Lines:
    """The lines of rows, but those that the mask ``skipped`` takes: these have no bytes."""
    of_line = form[:-1]
    texts, places = _gathered([of_line, *(field.form for field in fields)])
    table = np.zeros((len(fields), FIELD_SIZE), np.int64)
    for row, field, place in zip(table, fields, places[1:], strict=True):
        row[F_OPENING:] = place
        _describe(row, field)
    line = np.zeros(LINE_SIZE, np.int64)
    mask = np.ascontiguousarray(skipped, np.uint8)
    line[[L_TEXTS, L_TABLE, L_SKIPPED]] = texts.ctypes.data, table.ctypes.data, mask.ctypes.data
    line[[L_FIELDS, L_ROWS, L_IS_JSON]] = len(fields), len(mask), form.is_json
    line[L_HEAD:] = places[0]
    ends = np.empty(len(mask), np.int64)
    factor = _IN_JSON if form.is_json else _IN_CSV
    room = len(mask) * (len(b"".join(of_line)) + sum(_most(field.form) for field in fields))
    room += factor * sum(field.values.nbytes for field in fields if field.values is not None)
    out = np.empty(room + SPARE, np.uint8)
    end = kernels()["write_lines"](line.ctypes.data, out.ctypes.data, ends.ctypes.data)
    return Lines(out[:end].copy(), ends)


def _describe(row: Array, field: Field) -> None:
    """Put the addresses of a field's arrays into its row of the table."""
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
