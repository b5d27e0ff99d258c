"""Rows of tables as lines of text: by columns, and those that do not decode one by one, in their places.

The forms of lines and the text of a single row are those of a :class:`RowSpelling`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from logdump.arrow.tables.group import Group
from logdump.arrow.tables.layout import SIDES, TableLayout
from logdump.arrow.tables.piece import Array
from logdump.arrow.tables.rows import TableRow
from trailformat.arrays import (
    Digits,
    Field,
    FieldForm,
    Image,
    LineForm,
    Numbered,
    Strings,
    text_column,
    write_lines,
)
from trailformat.arrays.arrow import strings_of
from trailformat.arrays.line_parts import LinePart, count, merged
from trailformat.scan.kernels.arguments import GOOD, HAS_UNDECIDED, HAS_VALUE

_MOMENT = np.frombuffer(b"0000-00-00T00:00:00.000000Z", np.uint8)
_DAY, _SECOND = 86_400_000_000, 1_000_000
_CLOCK = ((11, 3_600 * _SECOND), (14, 60 * _SECOND), (17, _SECOND), (20, 10_000), (22, 100), (24, 1))
"""Places of two digits in a moment, and the microseconds of one."""
_PAIRS = np.array([divmod(number, 10) for number in range(100)], np.uint8) + ord("0")
_FEW = 5
"""So many rows are written sooner one by one, where there are thousands of tables."""


class RowForm(NamedTuple):
    """The form of the lines of a table: of the fields behind ``file`` that every row has, and of both images."""

    line: LineForm
    fixed: list[FieldForm]
    images: list[FieldForm]


class RowSpelling(Protocol):
    """A text format: its lines."""

    def form(self, layout: TableLayout, path: Path) -> RowForm:
        """The form of the lines of a table in a trail."""

    def row(self, row: TableRow, layout: TableLayout) -> str:
        """The line of a row."""


class TableLines(NamedTuple):
    """Lines for one file, and their number."""

    layout: TableLayout
    data: bytes | memoryview
    rows: int


class PieceLines(NamedTuple):
    """The lines of a piece, of tables as they come first; what does not decode, by RBA, column and reason."""

    tables: list[TableLines]
    problems: list[tuple[int, str, str]]


def lines_of(groups: list[Group], spelling: RowSpelling) -> PieceLines:
    """The lines of the groups of a piece; needs nothing but what they hold, so that threads can do it."""
    parts: dict[TableLayout, list[LinePart]] = {}
    problems: list[tuple[int, int, str, str]] = []
    for group in sorted(groups, key=lambda group: int(group.rows.rows[0])):
        odd = np.ones(len(group.rows), bool)
        if group.layout.columns is not None and len(group.rows) > _FEW:
            parts.setdefault(group.layout, []).append(_by_columns(group, spelling, odd))
        if odd.any():
            parts.setdefault(group.layout, []).append(_one_by_one(group, spelling, odd, problems))
    tables = [TableLines(layout, merged(those), count(those)) for layout, those in parts.items()]
    return PieceLines(tables, [problem[1:] for problem in sorted(problems, key=lambda problem: problem[0])])


def _by_columns(group: Group, spelling: RowSpelling, odd: Array) -> LinePart:
    """The lines of the rows that decode; ``odd`` becomes the mask of the others."""
    odd[:] = False
    form = spelling.form(group.layout, group.path)
    fields = list(map(Field, form.fixed, _fixed_values(group)))
    spans = group.located()
    images = iter(form.images)
    for side in SIDES:
        image: Image = getattr(spans, side)
        for index, definition in enumerate(group.layout.columns or ()):
            values = None
            if image.seen[index] & (HAS_VALUE | HAS_UNDECIDED):
                values, problems = text_column(spans, image, index, definition, group.layout.codec)
                odd[[problem.row for problem in problems]] = True
            fields.append(Field(next(images), values, image.sizes[index]))
    odd |= spans.states != GOOD
    odd[group.problem_rows] = True
    lines = write_lines(form.line, fields, odd)
    return LinePart(group.rows.rows, lines.data.data, lines.ends)


def _fixed_values(group: Group) -> list[Strings | Digits | Numbered]:
    """The fields that every row has, but the name of the file, as lines take them."""
    return [_written(array) for array in group.fixed()[1:]]


def _written(array: pa.Array) -> Strings | Digits | Numbered:
    """Values as lines take them: of those that many rows have each is made once."""
    if pa.types.is_timestamp(array.type):
        stored = np.frombuffer(array.buffers()[1], np.int64)
        return iso_texts(stored)
    if pa.types.is_integer(array.type):
        return Digits(array.to_numpy().astype(np.uint64))
    if array.null_count:
        return strings_of(array.cast(pa.string()))
    return Numbered(strings_of(array.dictionary), np.ascontiguousarray(array.indices, np.int32))


def iso_texts(times: Array) -> Numbered:
    """Microseconds from 1970 on, int64, in ISO 8601, UTC; of neighbours that are alike one is made."""
    begins, runs = _runs(times)
    moments = times[begins]
    first, of_day = _runs(moments // _DAY)
    days = np.datetime_as_string((moments[first] // _DAY).view("M8[D]")).astype("S10")
    text = np.tile(_MOMENT, (len(moments), 1))
    text[:, :10] = days.view(np.uint8).reshape(-1, 10)[of_day]
    rest = moments % _DAY
    for place, unit in _CLOCK:
        text[:, place : place + 2] = _PAIRS[rest // unit]
        rest %= unit
    return Numbered(Strings(text.reshape(-1), np.arange(0, text.size + 1, len(_MOMENT), dtype=np.int32)), runs)


def _runs(numbers: Array) -> tuple[Array, Array]:
    """A mask of the numbers that begin a run of equal ones, and the number of each one's run."""
    begins = np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]
    return begins, np.cumsum(begins, dtype=np.int32) - np.int32(1)


def _one_by_one(group: Group, spelling: RowSpelling, odd: Array, problems: list[tuple[int, int, str, str]]) -> LinePart:
    """The lines of the rows of a mask; what does not decode is noted behind the number of its row."""
    lines = []
    chosen = np.flatnonzero(odd)
    for row, number in zip(chosen.tolist(), group.rows.rows[chosen].tolist(), strict=True):
        shown = group.row(row)
        rba = shown.fixed["rba"]
        problems += [(number, rba, problem.column or "", problem.reason) for problem in shown.problems]
        lines.append(spelling.row(shown, group.layout).encode())
    ends = np.cumsum([len(line) for line in lines], dtype=np.int64)
    return LinePart(group.rows.rows[chosen], memoryview(b"".join(lines)), ends)
