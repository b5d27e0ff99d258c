"""The line of a record, piece by piece from its facts: what the maker by columns is held against."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.listing.lines import StoryRole
from logdump.display.listing.stated import StoryPiece
from logdump.display.listing.values import UNICODE_MARKS, Marks
from logdump.display.record_row import RecordKind, RecordRow
from logdump.notation.text import cut_in_the_middle, escape
from logdump.notation.times import TimeOffset, format_timestamp
from trailformat import ColumnChange, Value


def listed_line(row: RecordRow, offset: TimeOffset, file: str = "") -> str:
    """The line of LIST."""
    time = "- -" if row.time is None else format_timestamp(row.time, offset)
    place = f"{_field(file)}:{row.rba}" if file else f"{row.rba:>10}"
    told = "".join(piece.text for piece in story_of(row))
    fields = (place, time, f"{row.kind.name:<8}", _field(row.table), _field(row.csn), _field(row.xid), told)
    return " ".join(fields).rstrip()


def _field(text: str | None) -> str:
    shown = escape(text or "-")
    return f'"{shown}"' if any(map(str.isspace, shown)) else shown


def story_of(row: RecordRow, marks: Marks = UNICODE_MARKS) -> Iterator[StoryPiece]:
    """The pieces of the story, the empty ones too."""
    gap = ""
    for column in row.columns:
        if not column.is_key:
            continue
        yield StoryPiece(StoryRole.GAP, gap and " ")
        gap = "  "
        if column.is_changed:
            yield StoryPiece(StoryRole.BEFORE, _key(column.before, marks))
            yield StoryPiece(StoryRole.NOTE, marks.arrow)
            yield StoryPiece(StoryRole.AFTER, _key(column.after, marks))
        else:
            yield StoryPiece(StoryRole.KEY, _key(column.before if column.after is None else column.after, marks))
    for column in row.columns:
        if column.is_key:
            continue
        yield StoryPiece(StoryRole.GAP, gap)
        gap = ", "
        name = f"column {column.index}" if column.definition is None else escape(column.name)
        yield StoryPiece(StoryRole.NAME, f"{name} ")
        yield from _both(row.kind, column, marks)
    if row.note:
        yield StoryPiece(StoryRole.GAP, "  " if gap else "")
        yield StoryPiece(StoryRole.NOTE, escape(row.note))


def _both(kind: RecordKind, column: ColumnChange, marks: Marks) -> Iterator[StoryPiece]:
    if column.before is not None:
        yield StoryPiece(StoryRole.BEFORE, value_text(column.before, marks))
    if kind is RecordKind.UPDATE or (column.before is not None and column.after is not None):
        yield StoryPiece(StoryRole.NOTE, marks.arrow)
    if column.after is not None:
        yield StoryPiece(StoryRole.AFTER, value_text(column.after, marks))


def _key(value: Value | None, marks: Marks) -> str:
    text = value_text(value, marks)
    bare = text[1:-1]
    is_word = (
        bare[:1].isalpha()
        and all(character.isalnum() or character in "_-" for character in bare)
        and bare.upper() != "NULL"
    )
    return bare if text.startswith("'") and is_word else text


def value_text(value: Value | None, marks: Marks) -> str:
    """A value in the cells that a line has for it."""
    if value is None:
        return ""
    if value.problem is not None or isinstance(value.value, bytes):
        data = value.data if value.problem is not None else bytes(value.value)  # type: ignore[arg-type]
        shown = f"'{data.hex()}'" if len(data) <= 12 else f"'{data[:4].hex()}{marks.cut}' {len(data):,} bytes"
        return ("X" if value.problem is None else "?") + shown
    if isinstance(value.value, str):
        return "'" + cut_in_the_middle(escape(value.text), 22, marks.cut).replace("'", "''") + "'"
    text = value.text
    if ":" in text and "." in text and not text.rpartition(".")[2].strip("0"):
        text = text.rpartition(".")[0]
    return cut_in_the_middle(escape(text), 35, marks.cut)
