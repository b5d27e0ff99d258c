"""Rows against what a message of GoldenGate allows: values too long for their column, columns their table lacks."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

from logdump.display.first_match import all_of
from logdump.display.values_text import value_text
from logdump.filters.name_criteria import AnsiName
from logdump.notation.text import amount, cut_to, escape
from logdump.session.chosen_trail import files_of_trail
from logdump.session.events import Event, say
from logdump.session.known_record import KnownRecord
from logdump.session.scan import FilteredReader
from logdump.session.session import Session
from trailformat import ColumnChange, Record, TrailError, Value
from trailformat.values.data_types import limit_of

_MOST_SHOWN = 3
_WIDEST = 60
_PREFIX = 2
"""Bytes of the length before a value of variable length."""
_FILES_AROUND = 2
"""Files before the open one, and after it, that are looked through."""
_FORMS = (
    re.compile(
        r"length\s*\(?\s*(?P<length>\d+)\)?.{0,80}?\bcolumn\s+(?P<column>[^\s,]+).{0,40}?\btable\s+(?P<table>[^\s,]+)"
        r".{0,80}?(?P<most>\d+)",
        re.IGNORECASE | re.DOTALL,
    ),
    re.compile(
        r"ORA-12899.{0,80}?(?P<table>\"[^\"]+\"\.\"[^\"]+\")\.(?P<column>\"[^\"]+\").{0,40}?maximum:\s*(?P<most>\d+)",
        re.DOTALL,
    ),
    re.compile(
        r"column\s+index\s*\(?\s*(?P<index>\d+)\)?.{0,40}?\btable\s+(?P<table>[^\s,]+).{0,80}?(?P<columns>\d+)",
        re.IGNORECASE | re.DOTALL,
    ),
)
"""Messages about a value that is longer than its column, and about a column that its table does not have."""


class ColumnBound(NamedTuple):
    """What a message allows for the columns of a table.

    Attributes:
        table: the table.
        column: the column that may have ``most`` bytes; None if the message is about the number of columns.
        most: the number of bytes, or of columns.
    """

    table: str
    column: str | None
    most: int

    @property
    def what(self) -> str:
        """The name of a thing that a row must not have."""
        if self.column is None:
            return f"column of {escape(self.table)} after the first {self.most}"
        return (
            f"value of column {escape(self.column)} of {escape(self.table)} with more than {amount(self.most, 'byte')}"
        )


def bound_in(text: str) -> ColumnBound | None:
    """Return the bound that a message about a row and its definition names; None if it names none."""
    match = next((match for form in _FORMS if (match := form.search(text))), None)
    if match is None:
        return None
    parts = {name: value.replace('"', "") for name, value in match.groupdict().items()}
    return ColumnBound(parts["table"].rstrip("."), parts.get("column"), int(parts.get("most") or parts["columns"]))


def values_at_fault(session: Session, bound: ColumnBound, rba: int | None) -> Iterator[Event]:
    """Yield what the bound does not allow: of the record at an RBA, or the first of the open file and those around it.

    The open file stays open.
    """
    if rba is not None:
        try:
            record = session.trail.record_at(rba)
        except TrailError:  # said where the record is shown
            return
        lines = _lines(session, record, bound)
        yield say(*(lines or (f"The record at RBA {rba} has no {bound.what}.",)))
        return
    opened, shown, name = session.trail.path, 0, escape(session.trail.path.name)
    is_met = False
    try:
        for path in _around(opened):
            met, shown = yield from _in_file(session, path, bound, is_open=path == opened)
            is_met |= met > 0
            if shown:
                break
    finally:
        if session.trail.path != opened:
            session.open(opened)
    if not shown:
        others = len(_around(opened)) - 1
        has = f"and {others} of the files around it have" if others else "has"
        if is_met:
            yield say(f"{name} {has} no {bound.what}.")
        else:
            yield say(f"{name} {has} no change of {escape(bound.table)}, which may be the name in the target.")


def _around(opened: Path) -> list[Path]:
    """Return the open file, the next ones of its trail, and those before it, the nearest first."""
    paths = files_of_trail(opened)
    at = paths.index(opened)
    return [opened, *paths[at + 1 : at + 1 + _FILES_AROUND], *reversed(paths[max(at - _FILES_AROUND, 0) : at])]


def _in_file(
    session: Session, path: Path, bound: ColumnBound, *, is_open: bool
) -> Generator[Event, None, tuple[int, int]]:
    """Yield the first values of a file that the bound does not allow.

    Returns: the number of records of the table that were met, and of those with such values.
    """
    if not is_open:
        try:
            session.open(path)
        except TrailError:
            return 0, 0
    met, shown, cursor, name = 0, 0, session.cursor, escape(path.name)
    cursor.move(0)
    cursor.is_backwards = False
    filters = all_of(AnsiName((bound.table,)))
    with closing(FilteredReader(session, filtered=False, also=filters, stays=True)) as reader:
        while shown < _MOST_SHOWN and (further := (yield from reader.find())) is not None:
            met += 1
            if lines := _lines(session, further, bound):
                shown += 1
                yield say(*(lines if is_open else (f"{name}, {line}" for line in lines)))
    if shown == _MOST_SHOWN:
        yield say(f"These are the first {_MOST_SHOWN} of {name}.")
    return met, shown


def _lines(session: Session, record: Record | None, bound: ColumnBound) -> tuple[str, ...]:
    """Return a line for each value of a record that is longer than the bound."""
    if record is None or record.is_file_header or record.is_metadata:
        return ()
    try:
        change = KnownRecord(record, session).change
    except TrailError:
        return ()
    if change is None:
        return ()
    return tuple(
        f"RBA {record.rba}: {change.op} {escape(change.table)}, column {escape(column.name)}, {image}: {allowed}: "
        f"{cut_to(value_text(value), _WIDEST)}"
        for column in change.columns
        for image, value in (("before", column.before), ("after", column.after))
        if value is not None and (allowed := _not_allowed(column, value, bound))
    )


def _not_allowed(column: ColumnChange, value: Value, bound: ColumnBound) -> str:
    """Return how a value is beyond the bound; empty if it is not."""
    if bound.column is None:
        return f"number {column.index + 1}, {bound.most} allowed" if column.index >= bound.most else ""
    if column.name.upper() != bound.column.upper() or (size := _size(column, value)) <= bound.most:
        return ""
    return f"{size} bytes, {bound.most} allowed"


def _size(column: ColumnChange, value: Value) -> int:
    """Return the number of bytes of a value; 0 for NULL."""
    if value.is_null:
        return 0
    is_prefixed = column.definition is not None and limit_of(column.definition).is_prefixed
    return len(value.data) - (_PREFIX if is_prefixed else 0)
