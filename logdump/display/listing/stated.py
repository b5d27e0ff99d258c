"""Lines and stories of records whose facts are known, from their decoded values.

The story of a record for the screen is one text with marks of its pieces, so that terminals with other characters show
the same text: ``story_pieces`` takes it apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from logdump.display.listing.lines import (
    CellTexts,
    FixedFields,
    ShownColumn,
    Story,
    StoryRole,
    made_lines,
)
from logdump.display.listing.values import UNICODE_MARKS, Marks, key_value, short_value
from logdump.display.record_row import RecordKind, RecordRow
from logdump.display.values_text import column_name
from logdump.notation.text import as_field, escape
from logdump.notation.times import TimeOffset, format_timestamp
from trailformat import Value
from trailformat.arrays import LineForm, Numbered, Strings, write_lines
from trailformat.arrays.lines import LinePart
from trailformat.native.scan.arguments import ABSENT
from trailformat.scan.rows.row_bytes import Array

_MOST_CELLS = 1 << 18
"""Maximum of records times columns that become lines together, unless a single record has more."""
_ARROW, _CUT = "\x0e", "\x0f"
_FIRST_ROLE = 1
_ROLES = tuple(StoryRole)
_ROLE_MARKS = {role: bytes([number]) for number, role in enumerate(_ROLES, _FIRST_ROLE)}
_ANY_ROLE = f"{chr(_FIRST_ROLE)}-{chr(_FIRST_ROLE + len(_ROLES) - 1)}"
_PIECE = re.compile(f"([{_ANY_ROLE}])([^{_ANY_ROLE}]*)")


class StoryPiece(NamedTuple):
    """A piece of a story; pieces that follow each other are joined without blanks."""

    role: StoryRole
    text: str


class StatedRows:
    """Records with their facts, as the source of lines; all columns of their rows are shown.

    Args:
        rows: the records.
        marks: the marks in and between values.
        keeps_blanks: whether blanks at the end of notes are kept.
    """

    def __init__(self, rows: Sequence[RecordRow], marks: Marks = UNICODE_MARKS, *, keeps_blanks: bool = False) -> None:
        self._rows, self._marks = rows, marks
        places = {
            (not column.is_key, column.index, column_name(column)): None for row in rows for column in row.columns
        }
        order = {place: number for number, place in enumerate(sorted(places))}
        self.columns = [ShownColumn(name, is_key=not is_other) for is_other, _, name in order]
        self.had, self.has, self.changed = np.zeros((3, len(order), len(rows)), bool)
        self._columns = {}
        for number, row in enumerate(rows):
            for column in row.columns:
                place = order[not column.is_key, column.index, column_name(column)]
                self._columns[place, number] = column
                self.had[place, number], self.has[place, number] = column.before is not None, column.after is not None
                self.changed[place, number] = column.is_changed
        self.shown = self.had | self.has
        self.is_update = np.array([row.kind is RecordKind.UPDATE for row in rows], bool)
        notes = [escape(row.note) if keeps_blanks else escape(row.note).rstrip() for row in rows]
        self.notes: Numbered | None = Numbered(
            Strings.of(note or None for note in notes), np.arange(len(rows), dtype=np.int32)
        )

    def cells(self, column: int, wanted: Array, *, is_before: bool) -> CellTexts:
        """Return the values of a column before or after, for the records of a mask."""
        write = key_value if self.columns[column].is_key else short_value
        texts: list[str | None] = [None] * len(wanted)
        for row in np.flatnonzero(wanted).tolist():
            change = self._columns[column, row]
            value: Value | None = change.before if is_before else change.after
            texts[row] = write(value, self._marks)
        return CellTexts(Strings.of(texts), np.where(wanted, 0, ABSENT))

    def fixed(self, offset: TimeOffset) -> FixedFields:
        """Return the fixed fields; times are in the zone of ``offset``."""
        rows = self._rows
        times = [None if row.time is None else format_timestamp(row.time, offset) for row in rows]
        return FixedFields(
            np.array([row.rba for row in rows], np.int64),
            _each(times),
            _each([kind_text(row.kind) for row in rows]),
            _each([as_field(row.table) for row in rows]),
            _each([as_field(row.csn) for row in rows]),
            _each([as_field(row.xid) for row in rows]),
        )


def _each(texts: list[str | None] | list[str]) -> Numbered:
    return Numbered(Strings.of(texts), np.arange(len(texts), dtype=np.int32))


def kind_text(kind: RecordKind) -> str:
    """Return the name of a kind in its column."""
    return f"{kind.name:<8}"


def stated_part(rows: Sequence[RecordRow], offset: TimeOffset, numbers: Array, file: str = "") -> list[LinePart]:
    """Return the lines of records in parts; arguments as for ``stated_lines``, ``numbers`` as for ``made_lines``."""
    parts = []
    for begin, end in _chunks(rows):
        stated = StatedRows(rows[begin:end])
        skipped, name = np.zeros(end - begin, bool), as_field(file).encode() if file else b""
        parts.append(made_lines(stated, stated.fixed(offset), numbers[begin:end], skipped, name))
    return parts


def stated_lines(rows: Sequence[RecordRow], offset: TimeOffset, file: str = "") -> list[str]:
    """Return the line of each record.

    Args:
        rows: the records.
        offset: the zone of times.
        file: the name of their file, which precedes the RBA; without it, the RBA is padded.
    """
    parts = stated_part(rows, offset, np.arange(len(rows)), file)
    return [line for part in parts for line in bytes(part.data).decode().split("\n")[:-1]]


def _chunks(rows: Sequence[RecordRow]) -> Iterator[tuple[int, int]]:
    """Yield ranges of records with few cells: a column of one record is a column of all."""
    begin, columns = 0, set[tuple[bool, int, str]]()
    for number, row in enumerate(rows):
        columns |= {(column.is_key, column.index, column.name) for column in row.columns}
        if number > begin and (number + 1 - begin) * len(columns) > _MOST_CELLS:
            yield begin, number
            begin, columns = number, {(column.is_key, column.index, column.name) for column in row.columns}
    if begin < len(rows):
        yield begin, len(rows)


def marked_stories(rows: Sequence[RecordRow]) -> list[str]:
    """Return the story of each record, with a mark before each piece and for what a terminal chooses."""
    texts = []
    for begin, end in _chunks(rows):
        stated = StatedRows(rows[begin:end], Marks(_ARROW, _CUT), keeps_blanks=True)
        written = np.ones(end - begin, bool)
        story = Story(stated, written, Marks(_ARROW, _CUT), _ROLE_MARKS, first_gap=b"")
        lines = write_lines(LineForm(b"", b"\n"), story.fields(), ~written)
        texts += bytes(lines.data).decode().split("\n")[:-1]
    return texts


def story_pieces(marked: str, marks: Marks = UNICODE_MARKS) -> Iterator[StoryPiece]:
    """Yield the pieces of a marked story with the marks of a terminal."""
    for role, text in _PIECE.findall(marked):
        shown = text.replace(_ARROW, marks.arrow).replace(_CUT, marks.cut)
        yield StoryPiece(_ROLES[ord(role) - _FIRST_ROLE], shown)


@lru_cache(1 << 12)
def marked_story(row: RecordRow) -> str:
    """Return the marked story of one record; cached, since the screen shows a record again and again."""
    return marked_stories([row])[0]


def row_text(row: RecordRow, marks: Marks = UNICODE_MARKS) -> str:
    """Return the story of a record as one text."""
    return "".join(piece.text for piece in story_pieces(marked_story(row), marks))
