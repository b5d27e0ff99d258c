"""Rows of tables as lines of text, written by columns in the forms that a :class:`RowSpelling` defines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from logdump.arrow.tables.group import Array, Group
from logdump.arrow.tables.layout import SIDES, RowProblem, TableLayout
from trailformat.arrays import (
    BytesAt,
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
from trailformat.arrays.lines import LinePart, count, merged
from trailformat.native.scan.arguments import HAS_UNDECIDED, HAS_VALUE, UNDECIDED

_DAY, _SECOND = 86_400_000_000, 1_000_000
_PAIRS = np.array([divmod(number, 10) for number in range(100)], np.uint8) + ord("0")


class MomentForm(NamedTuple):
    """The form of a time: its text at 0, the character within its date, and the pairs of digits after the date.

    A pair has its position, its unit in microseconds, and the number of its values.
    """

    zero: bytes
    in_date: bytes
    pairs: tuple[tuple[int, int, int], ...]


_CLOCK = ((11, 3_600 * _SECOND, 24), (14, 60 * _SECOND, 60), (17, _SECOND, 60), (20, 10_000, 100))
ISO_MOMENT = MomentForm(b"0000-00-00T00:00:00.000000Z", b"-", (*_CLOCK, (22, 100, 100), (24, 1, 100)))
SHOWN_MOMENT = MomentForm(
    b"0000/00/00 00:00:00.000.000", b"/", (*_CLOCK, (21, 1_000, 100), (24, 10, 100), (25, 1, 100))
)
"""As ``notation.times.format_timestamp``; of three digits both pairs have the second one."""


class RowForm(NamedTuple):
    """The form of the lines of a table.

    Attributes:
        line: the texts around the fields.
        fixed: forms of the fields that every row has, after ``file``.
        data: form of the data of a row, if the table has no definition.
        images: forms of the columns of both images.
        problems: form of the last field, which ``RowSpelling.problems`` writes.
    """

    line: LineForm
    fixed: list[FieldForm]
    data: FieldForm
    images: list[FieldForm]
    problems: FieldForm


class RowSpelling(Protocol):
    """The spelling of rows in a text format."""

    def form(self, layout: TableLayout, path: Path) -> RowForm:
        """Return the form of the lines of a table in a trail file."""

    def problems(self, problems: list[RowProblem]) -> str:
        """Return the problems of a row as text."""


class TableLines(NamedTuple):
    """Lines for one file, and their number."""

    layout: TableLayout
    data: bytes | memoryview
    rows: int


class PieceLines(NamedTuple):
    """The lines of a piece by table, in the order of first rows, and its problems: RBA, column, reason."""

    tables: list[TableLines]
    problems: list[tuple[int, str, str]]


def lines_of(groups: list[Group], spelling: RowSpelling) -> PieceLines:
    """Return the lines of the groups of a piece; uses only the groups, so that threads can run it."""
    parts: dict[TableLayout, list[LinePart]] = {}
    problems: list[tuple[int, int, str, str]] = []
    for group in sorted(groups, key=lambda group: int(group.rows.rows[0])):
        parts.setdefault(group.layout, []).append(_lines_of(group, spelling))
        numbers, rbas = group.rows.rows, group.rows.of("rba")
        problems += [
            (int(numbers[row]), int(rbas[row]), problem.column or "", problem.reason) for row, problem in group.problems
        ]
    tables = [TableLines(layout, merged(those), count(those)) for layout, those in parts.items()]
    return PieceLines(tables, [problem[1:] for problem in sorted(problems, key=lambda problem: problem[0])])


def _lines_of(group: Group, spelling: RowSpelling) -> LinePart:
    form, fixed = spelling.form(group.layout, group.path), group.fixed
    rows = len(group.rows)
    columns: list[Digits | Numbered] = [
        Digits(fixed.rba.astype(np.uint64)),
        fixed.op,
        fixed.csn,
        fixed.xid,
        iso_texts(fixed.time, fixed.has_time),
        Digits(fixed.trans_ind.astype(np.uint64)),
    ]
    fields = [Field(*pair) for pair in zip(form.fixed, columns, strict=True)]
    fields += [_data(group, form.data)] if group.layout.columns is None else _images(group, form.images)
    problems: dict[int, list[RowProblem]] = {}
    for row, problem in group.problems:
        problems.setdefault(row, []).append(problem)
    texts = [spelling.problems(those) for those in problems.values()]
    numbers = np.full(rows, len(texts), np.int32)
    numbers[[*problems]] = np.arange(len(texts))
    last = Field(form.problems, Numbered(Strings.of([*texts, None]), numbers))
    lines = write_lines(form.line, fields, np.zeros(rows, bool), last=last)
    return LinePart(group.rows.rows, lines.data.data, lines.ends)


def _data(group: Group, form: FieldForm) -> Field:
    """Return the data of rows without a definition as a field."""
    sizes = np.array([*map(len, group.data)], np.int64)
    return Field(form, BytesAt(np.frombuffer(b"".join(group.data), np.uint8), np.cumsum(sizes) - sizes), sizes)


def _images(group: Group, forms: list[FieldForm]) -> Iterator[Field]:
    """Yield the columns of both images; an undecodable value is noted as a problem and left empty."""
    spans, form = group.spans, iter(forms)
    for side in SIDES:
        image: Image = getattr(spans, side)
        for index, definition in enumerate(group.layout.columns or ()):
            values, sizes = None, image.sizes[index]
            if image.seen[index] & (HAS_VALUE | HAS_UNDECIDED):
                values, problems = text_column(spans, image, index, definition, group.layout.codec)
                for problem in problems:
                    group.note_value(problem.row, side, index, problem.reason)
                sizes = np.where(sizes == UNDECIDED, 0, sizes) if problems else sizes
            yield Field(next(form), values, sizes)


def iso_texts(times: Array, present: Array | None = None) -> Numbered:
    """Return microseconds since 1970, int64, as ISO 8601 in UTC; null where the mask ``present`` is false.

    Equal neighbours share one text.
    """
    return moment_texts(times, ISO_MOMENT, present)


def moment_texts(times: Array, form: MomentForm, present: Array | None = None) -> Numbered:
    """Return microseconds since 1970 in a form, as ``iso_texts``; their years are 1 to 9999."""
    begins, runs = runs_of(times)
    moments = times[begins]
    first, of_day = runs_of(moments // _DAY)
    days = np.datetime_as_string((moments[first] // _DAY).view("M8[D]")).astype("S10").view(np.uint8).reshape(-1, 10)
    days = np.where(days == ord("-"), np.uint8(form.in_date[0]), days)
    text = np.tile(np.frombuffer(form.zero, np.uint8), (len(moments) + 1, 1))
    text[:-1, :10] = days[of_day]
    of_clock = moments % _DAY
    for place, unit, values in form.pairs:
        text[:-1, place : place + 2] = _PAIRS[of_clock // unit % values]
    valid = np.packbits(np.arange(len(text)) < len(moments), bitorder="little")
    texts = Strings(text.reshape(-1), np.arange(0, text.size + 1, len(form.zero), dtype=np.int32), valid)
    return Numbered(texts, runs if present is None else np.where(present, runs, np.int32(len(moments))))


def runs_of(numbers: Array) -> tuple[Array, Array]:
    """Return a mask of the numbers that begin a run of equal numbers, and the run of each number."""
    begins = np.append(True, numbers[1:] != numbers[:-1])[: len(numbers)]
    return begins, np.cumsum(begins, dtype=np.int32) - np.int32(1)
