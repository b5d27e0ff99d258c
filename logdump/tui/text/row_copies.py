"""A row as text for the clipboard: JSON, SQL, CSV; and a value of it, to be copied or read as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from logdump.display import json_lines, session_text, sql
from logdump.display.values_text import column_name
from logdump.features.export.text_formats import csv_line
from logdump.notation.text import escape
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from logdump.tui.text.shown_value import LARGE_OBJECTS, ValuePart
from trailformat import Change, Record, TrailError, Value
from trailformat.changes.lobs import Lob, LobBytes, lob_value, lobs_of, whole_lobs
from trailformat.changes.segments import Kind
from trailformat.trail.row_definitions import RowDefinition
from trailformat.trail.sequence import FilePosition
from trailformat.values import sql_type

_MOST_BYTES = 1 << 24
"""Bytes of the large objects of a row that are read; LOB writes all."""
_LONGEST_CHARACTER = 4
"""Bytes of a character, of which a large object that is cut may have a part at its end."""


class WholeValue(NamedTuple):
    """The value of a column: its name and type, and its images, the one after the change first if they differ.

    Of large objects, which are in records of their own, all those that a line is about.
    """

    name: str
    type: str
    parts: tuple[ValuePart, ...]


def _json(session: Session, known: KnownRecord) -> str:
    return "\n".join(json_lines.render(known, session.settings))


def _sql(session: Session, known: KnownRecord) -> str:
    """Return the statement that repeats the change, in the dialect of the source database; or why there is none."""
    header = session.trail.file_header
    dialect = sql.dialect_of(header.vendor if header else "")
    return "\n".join(sql.statement_lines(sql.redo(_change(known), dialect)))


def _csv(_session: Session, known: KnownRecord) -> str:
    """Return a line of names, and one of the values after the change, or before a delete; empty for NULL."""
    columns = _change(known).columns
    values = [column.after if column.after is not None else column.before for column in columns]
    names = [column_name(column) for column in columns]
    fields = [None if value is None or value.is_null else _field(value) for value in values]
    return "\n".join(csv_line(line).rstrip("\r\n") for line in (names, fields))


def _field(value: Value) -> object:
    """Return a number as it is, and anything else as text; bytes and what does not decode as hex."""
    return value.value if isinstance(value.value, int) else value.text


def _change(known: KnownRecord) -> Change:
    """Return the change of a record.

    Raises:
        LookupError: the record is no change of a row.
    """
    change = known.change
    if change is None or not change.columns:
        raise LookupError
    return change


FORMS: dict[str, Callable[[Session, KnownRecord], str]] = {"json": _json, "sql": _sql, "csv": _csv}
"""The forms of a copied row."""


def value_of(session: Session, known: KnownRecord, field: str) -> WholeValue:
    """Return the value of a field of the record, ``Column <index>``, perhaps with the name of an image.

    A record that is a piece of a large object has that object, whatever the field; a row has all its large objects
    under ``LARGE_OBJECTS``.

    Raises:
        LookupError: the record has no such column.
        TrailError: the records of the large object cannot be read.
    """
    if known.segment is not None and known.segment.kind is Kind.LOB:
        return _large_objects(session, known, known.record)
    if field == LARGE_OBJECTS:
        return _large_objects(session, known, None)
    words = field.split(" ")
    index = int(words[1]) if words[0] == "Column" and len(words) > 1 else -1
    column = next((column for column in _change(known).columns if column.index == index), None)
    if column is None:
        raise LookupError
    kind = sql_type(column.definition) if column.definition is not None else None
    both = (("after", column.after), ("before", column.before))
    images = [(name, image) for name, image in both if image is not None]
    if len(images) > 1 and images[0][1] == images[1][1]:
        del images[1]
    return WholeValue(column_name(column), kind or "", tuple(_part(name, image) for name, image in images))


def _part(name: str, image: Value) -> ValuePart:
    """Return an image of a column."""
    if image.is_null:
        return ValuePart(name, ": NULL", "", b"", refusal="The value is NULL.")
    title = f", {len(image.data):,} byte{'s' * (len(image.data) != 1)} in the trail"
    if image.problem is not None:
        return ValuePart(name, title, image.data, image.data, (f"not decoded: {escape(image.problem)}",))
    return ValuePart(name, title, image.value if isinstance(image.value, bytes) else image.text, image.data)


def _large_objects(session: Session, known: KnownRecord, piece: Record | None) -> WholeValue:
    """Return the large objects of the row of a record, or the one that a piece belongs to."""
    trail, definition = session.trail, known.row_definition
    rba = piece.rba if piece is not None else _change(known).records[-1].rba
    most = _MOST_BYTES // max(1, len(lobs_of(trail, rba)))
    objects = whole_lobs(trail, rba, most)
    if piece is not None:
        objects = _of_piece(objects, known, FilePosition(trail.path, piece.rba))
    if not objects:
        raise LookupError
    names = dict.fromkeys(_lob_name(lob_bytes.lob, definition) for lob_bytes in objects)
    parts = tuple(_lob_part(lob_bytes, definition, rba, most) for lob_bytes in objects)
    return WholeValue(", ".join(names), "", parts)


def _of_piece(objects: list[LobBytes], known: KnownRecord, here: FilePosition) -> list[LobBytes]:
    """Return the large object with a piece: that of its column, or the last that begins at or before the piece."""
    numbers = known.segment.numbers if known.segment is not None else None
    if numbers is not None:
        own = (numbers.column, known.record.header.is_before)
        return [lob_bytes for lob_bytes in objects if (lob_bytes.lob.column, lob_bytes.lob.is_before) == own]
    before = [
        lob_bytes
        for lob_bytes in objects
        if lob_bytes.lob.first.path != here.path or lob_bytes.lob.first.rba <= here.rba
    ]
    return before[-1:]


def _lob_name(lob: Lob, definition: RowDefinition) -> str:
    column = definition.column(lob.column) if lob.column is not None else None
    return escape(column.name) if column is not None else f"large object {lob.ordinal}"


def _lob_part(lob_bytes: LobBytes, definition: RowDefinition, rba: int, most: int) -> ValuePart:
    """Return a large object, as far as it is there and fits."""
    lob, data = lob_bytes
    name = _lob_name(lob, definition)
    notes = list(session_text.trouble_lines(lob))
    refusal = f"{name} is not whole." if notes else ""
    if lob.size > most:
        data = data[:most]
        word = lob.column if lob.column is not None else lob.ordinal
        notes.append(f"the first {most:,} of {lob.size:,} bytes")
        refusal = f"Not all of it is here: LOB {rba} {word} TO <filename> writes it."
    value, more = _lob_text(lob, data, definition)
    title = f"{', before image' * lob.is_before}, {lob.size:,} bytes in {lob.pieces:,} piece{'s' * (lob.pieces != 1)}"
    return ValuePart(name, title, value, data, (*notes, *more), refusal)


def _lob_text(lob: Lob, data: bytes, definition: RowDefinition) -> tuple[str | bytes, tuple[str, ...]]:
    """Return a large object as text, or as bytes with the reason why; one that is cut may end within a character."""
    if lob.column is None:
        return data, ("the layout of its pieces is not known: their bytes as they are, one piece after the other",)
    column = definition.column(lob.column)
    if column is None:
        return data, ("no definition of its table fits",)
    problem = ""
    for size in range(len(data), len(data) - (_LONGEST_CHARACTER if lob.size > len(data) else 1), -1):
        try:
            value = lob_value(data[:size], column, definition.charset).value
        except TrailError as error:
            problem = problem or error.problem
        else:
            return (value if isinstance(value, str | bytes) else data), ()
    return data, (f"not decoded: {escape(problem)}",)
