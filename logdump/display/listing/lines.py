"""Lines of records from columns: the one maker for LIST, FOLLOW LIST, ROW and the list of the screen.

    2722 2024/03/14 09:34:00.000.000 UPDATE   TEAHOUSE.TEAS 41882368 5.4.8804 ASS02  STOCK_KG 260→310

A line has fixed fields, then the story of the record: the values of its key, the other columns shown, and a note.
"""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import NamedTuple, Protocol

import numpy as np

from logdump.display.listing.values import UNICODE_MARKS, Marks
from trailformat.arrays import Digits, Field, FieldForm, LineForm, Numbered, Strings, write_lines
from trailformat.arrays.lines import LinePart
from trailformat.native.scan.arguments import ABSENT, NULL
from trailformat.scan.rows.row_bytes import Array

_ABSENT = b"-"
_RBA_DIGITS = 10
_BLANKS = Strings.of(" " * count for count in range(_RBA_DIGITS))
_POWERS = 10 ** np.arange(1, 19)
_BETWEEN_KEYS, _BETWEEN_PARTS, _BETWEEN_COLUMNS = b" ", b"  ", b", "


class StoryRole(enum.Enum):
    """The role of a piece of text in the line."""

    KEY = "key"
    NAME = "name"
    BEFORE = "before"
    AFTER = "after"
    NOTE = "note"
    GAP = "gap"

    __hash__ = object.__hash__  # looked up for every piece; Enum's own hash is slow Python


class FixedFields(NamedTuple):
    """The fields that every line has; a null text is an unknown one."""

    rba: Array
    time: Numbered
    kind: Numbered
    table: Numbered
    csn: Numbered
    xid: Numbered


class ShownColumn(NamedTuple):
    """A column of some records: its name as it is printed, and True if it is part of the key."""

    name: str
    is_key: bool


class CellTexts(NamedTuple):
    """The values of a column as text, None without any; sizes: NULL, ABSENT, or 0 for a text."""

    texts: Strings | None
    sizes: Array


class ListedRows(Protocol):
    """Records that become lines together.

    Attributes:
        columns: the columns of their stories, in the order in which they are shown, those of the key first.
        had, has, changed, shown: masks with a row for each column: whether the value before and after are there,
            whether both are and differ, and whether the column is shown.
        is_update: a mask of the updates.
        notes: the note of each record; null without one.
    """

    columns: list[ShownColumn]
    had: Array
    has: Array
    changed: Array
    shown: Array
    is_update: Array
    notes: Numbered | None

    def cells(self, column: int, wanted: Array, *, is_before: bool) -> CellTexts:
        """Return the values of a column before or after, for the records of a mask."""


RoleMarks = Mapping[StoryRole, bytes]
"""The text before each piece of a story, by role."""
_NO_MARKS = dict.fromkeys(StoryRole, b"")


def made_lines(rows: ListedRows, fixed: FixedFields, numbers: Array, skipped: Array, file: bytes = b"") -> LinePart:
    """Return the lines of records, each with its end; ``numbers`` are those of the rows.

    Args:
        rows: the records.
        fixed: their fixed fields.
        numbers: the number of each, by which the lines of several groups are put into order.
        skipped: a mask of the records that get no line.
        file: the name of their file, which precedes the RBA.
    """
    story = Story(rows, ~skipped, UNICODE_MARKS, _NO_MARKS, first_gap=b" ")
    head = file + b":" if file else b""
    fields = [*_fixed_fields(fixed, has_file=bool(file)), *story.fields()]
    lines = write_lines(LineForm(head, b"\n"), fields, skipped)
    return LinePart(numbers, lines.data.data, lines.ends)


def _fixed_fields(fixed: FixedFields, *, has_file: bool) -> list[Field]:
    blanks = []
    if not has_file:
        digits = np.searchsorted(_POWERS, fixed.rba, "right") + 1
        blanks = [Field(FieldForm(b""), Numbered(_BLANKS, np.maximum(_RBA_DIGITS - digits, 0).astype(np.int32)))]
    unknown = FieldForm(b"", b" ", _ABSENT + b" ")
    return [
        *blanks,
        Field(FieldForm(b"", b" "), Digits(fixed.rba.astype(np.uint64))),
        Field(FieldForm(b"", b" ", _ABSENT + b" " + _ABSENT + b" "), fixed.time),
        Field(FieldForm(b"", b" "), fixed.kind),
        Field(unknown, fixed.table),
        Field(unknown, fixed.csn),
        Field(FieldForm(b"", null=_ABSENT), fixed.xid),
    ]


class Story:
    """The stories of records as fields of lines.

    Args:
        rows: the records.
        written: a mask of those that are written.
        marks: the marks between and in values.
        roles: the text before each piece.
        first_gap: the text before the first piece of a story.
    """

    def __init__(self, rows: ListedRows, written: Array, marks: Marks, roles: RoleMarks, *, first_gap: bytes) -> None:
        self._rows, self._written, self._roles = rows, written, roles
        self._arrow = roles[StoryRole.NOTE] + marks.arrow.encode()
        self._first_gap = first_gap
        self._is_begun = np.zeros(len(written), bool)
        self._has_columns = np.zeros(len(written), bool)
        self._fields: list[Field] = []

    def fields(self) -> list[Field]:
        """Return the fields."""
        for number, column in enumerate(self._rows.columns):
            mask = self._rows.shown[number] & self._written
            if not mask.any():
                continue
            if column.is_key:
                self._key(number, mask)
            else:
                self._column(number, column, mask)
        self._note()
        return self._fields

    def _key(self, number: int, mask: Array) -> None:
        """Append a column of the key: its value, or both if it changes."""
        rows, roles = self._rows, self._roles
        self._gap(mask, [(~self._is_begun, self._first_gap), (self._is_begun, _BETWEEN_KEYS)])
        self._is_begun |= mask
        changed, has = rows.changed[number] & mask, rows.has[number] & mask
        lost = mask & ~has
        before = rows.cells(number, changed | lost, is_before=True) if (changed | lost).any() else None
        after = rows.cells(number, has, is_before=False)
        if before is not None:
            self._value(StoryRole.BEFORE, before, changed)
            self._constant(self._arrow, changed)
        if roles[StoryRole.AFTER] == roles[StoryRole.KEY]:
            self._value(StoryRole.KEY, after, has)
        else:
            self._value(StoryRole.AFTER, after, changed)
            self._value(StoryRole.KEY, after, has & ~changed)
        if before is not None:
            self._value(StoryRole.KEY, before, lost)

    def _column(self, number: int, column: ShownColumn, mask: Array) -> None:
        """Append another column: its name, the value before, that after, an arrow before the latter in an update."""
        rows, begun, later = self._rows, self._is_begun, self._has_columns
        name = self._roles[StoryRole.NAME] + f"{column.name} ".encode()
        gaps = [(~begun, self._first_gap), (begun & ~later, _BETWEEN_PARTS), (later, _BETWEEN_COLUMNS)]
        self._gap(mask, gaps, name)
        self._is_begun, self._has_columns = begun | mask, later | mask
        had, has = rows.had[number] & mask, rows.has[number] & mask
        if had.any():
            self._value(StoryRole.BEFORE, rows.cells(number, had, is_before=True), had)
        self._constant(self._arrow, mask & (rows.is_update | (had & has)))
        if has.any():
            self._value(StoryRole.AFTER, rows.cells(number, has, is_before=False), has)

    def _note(self) -> None:
        notes = self._rows.notes
        if notes is None:
            return
        mask = notes.texts.present[notes.numbers] & self._written
        self._gap(mask, [(~self._is_begun, self._first_gap), (self._is_begun, _BETWEEN_PARTS)])
        if mask.any():
            sizes = np.where(mask, 0, ABSENT).astype(np.int32)
            self._fields.append(Field(FieldForm(self._roles[StoryRole.NOTE]), notes, sizes))

    def _gap(self, mask: Array, gaps: list[tuple[Array, bytes]], name: bytes = b"") -> None:
        """Append the text between two pieces, by what is before it, and a name after it."""
        for where, gap in gaps:
            text = (self._roles[StoryRole.GAP] + gap if gap else b"") + name
            if text:
                self._constant(text, mask & where)

    def _constant(self, text: bytes, mask: Array) -> None:
        if mask.any():
            self._fields.append(Field(FieldForm(b"", null=text), None, np.where(mask, NULL, ABSENT).astype(np.int32)))

    def _value(self, role: StoryRole, cells: CellTexts, mask: Array) -> None:
        if mask.any():
            opening = self._roles[role]
            sizes = np.where(mask, cells.sizes, ABSENT).astype(np.int32)
            self._fields.append(Field(FieldForm(opening, null=opening + b"NULL"), cells.texts, sizes))
