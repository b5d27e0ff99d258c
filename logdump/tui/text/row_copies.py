"""A row as text for the clipboard: JSON, SQL, CSV; and a value of it, to be copied or read as a whole."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from logdump.display import json_lines, sql
from logdump.display.values_text import column_name
from logdump.features.export.text_formats import csv_line
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session
from trailformat import Change, Value
from trailformat.values import sql_type


class WholeValue(NamedTuple):
    """A value of a column: its name and type, and both images; None for an image that the record lacks."""

    column: str
    type: str
    before: Value | None
    after: Value | None

    @property
    def newest(self) -> Value | None:
        """The value after the change, else the one before."""
        return self.after if self.after is not None else self.before


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


def value_of(known: KnownRecord, field: str) -> WholeValue:
    """Return the value of a field of the record, ``Column <index>``, perhaps with the name of an image.

    Raises:
        LookupError: the record has no such column.
    """
    words = field.split(" ")
    index = int(words[1]) if words[0] == "Column" and len(words) > 1 else -1
    column = next((column for column in _change(known).columns if column.index == index), None)
    if column is None:
        raise LookupError
    kind = sql_type(column.definition) if column.definition is not None else None
    return WholeValue(column_name(column), kind or "", column.before, column.after)
