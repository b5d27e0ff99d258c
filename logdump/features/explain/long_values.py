"""Values that have more bytes than a message of GoldenGate allows for their column."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import closing
from typing import NamedTuple

from logdump.display.first_match import all_of
from logdump.display.values_text import value_text
from logdump.filters.name_criteria import AnsiName
from logdump.notation.text import amount, cut_to, escape
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
_LIMIT = re.compile(
    r"length\s*\(?\s*(?P<length>\d+)\)?.{0,80}?\bcolumn\s+(?P<column>[^\s,]+).{0,40}?\btable\s+(?P<table>[^\s,]+)"
    r".{0,80}?(?P<most>\d+)",
    re.IGNORECASE | re.DOTALL,
)


class ColumnBound(NamedTuple):
    """The number of bytes that a message allows for the values of a column."""

    table: str
    column: str
    most: int


def bound_in(text: str) -> ColumnBound | None:
    """Return the bound that a message about a bad column length names; None if it names none."""
    match = _LIMIT.search(text)
    return ColumnBound(match["table"].rstrip("."), match["column"], int(match["most"])) if match else None


def long_values(session: Session, bound: ColumnBound, rba: int | None) -> Iterator[Event]:
    """Yield the values of the column that are longer: of the record at an RBA, or of the first records of the file."""
    what = f"column {escape(bound.column)} of {escape(bound.table)}"
    if rba is not None:
        lines = _lines(session, session.trail.record_at(rba), bound)
        yield say(*(lines or (f"The record at RBA {rba} has no value of {what} with more than {bound.most} bytes.",)))
        return
    shown, cursor = 0, session.cursor
    cursor.move(0)
    cursor.is_backwards = False
    filters = all_of(AnsiName((bound.table,)))
    with closing(FilteredReader(session, filtered=False, also=filters, stays=True)) as reader:
        while shown < _MOST_SHOWN and (record := (yield from reader.find())) is not None:
            if lines := _lines(session, record, bound):
                shown += 1
                yield say(*lines)
    name = escape(session.trail.path.name)
    if not shown:
        yield say(f"{name} has no value of {what} with more than {amount(bound.most, 'byte')}.")
    elif shown == _MOST_SHOWN:
        yield say(f"These are the first {_MOST_SHOWN} of {name}.")


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
        f"RBA {record.rba}: {change.op} {escape(change.table)}, column {escape(column.name)}, {image}: {size} bytes, "
        f"{bound.most} allowed: {cut_to(value_text(value), _WIDEST)}"
        for column in change.columns
        if column.name.upper() == bound.column.upper()
        for image, value in (("before", column.before), ("after", column.after))
        if value is not None and (size := _size(column, value)) > bound.most
    )


def _size(column: ColumnChange, value: Value) -> int:
    """Return the number of bytes of a value; 0 for NULL."""
    if value.is_null:
        return 0
    is_prefixed = column.definition is not None and limit_of(column.definition).is_prefixed
    return len(value.data) - (_PREFIX if is_prefixed else 0)
