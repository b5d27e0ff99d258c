"""The margin beside the detail: names and values of columns, and what else the bytes mean. It is never copied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from logdump.display.values_text import column_name, value_text
from logdump.notation.display_width import cut_to
from logdump.session.session import Session
from logdump.tui.text.styled import Line
from trailformat import ColumnChange, Record, TrailError, Value, change_of
from trailformat.changes.transactions import place_of

_POSITIONS = ("begins its transaction", "inside its transaction", "ends its transaction", "the whole transaction")
_LONGEST = 60


def with_margin(lines: Iterable[Line], record: Record, session: Session) -> Iterator[Line]:
    """The lines with what is known of the fields that they show, where each of them is shown first."""
    notes = dict(_notes(record, session))
    for one in lines:
        found = [notes.pop(name) for name in one.fields if name in notes]
        yield one._replace(margin=tuple((note, "") for note in found)) if found else one


def _notes(record: Record, session: Session) -> Iterator[tuple[str, str]]:
    """A remark for each field that there is something to say about, by its name."""
    if record.is_file_header:
        return
    place = place_of(record)
    if place is not None and place < len(_POSITIONS):
        yield "TransInd", _POSITIONS[place]
    yield from _columns(record, session)


def _columns(record: Record, session: Session) -> Iterator[tuple[str, str]]:
    """Name and value of each column in the record; after a change, what it was before, wherever that stands."""
    try:
        images = record.images
    except TrailError:
        return
    change = change_of(session.trail, record, session.row_definitions, session.cursor.transactions)
    if images is None or change is None:
        return
    changed = {column.index: column for column in change.columns}
    labels = (" before", " after") if images.prefix_size else ("", "")
    for column in images.before or ():
        yield f"Column {column.index}{labels[0]}", _named(changed[column.index], changed[column.index].before)
    for column in images.after or ():
        one = changed[column.index]
        was = f"   was {_text(one.before)}" if one.is_changed else ""
        yield f"Column {column.index}{labels[1]}", _named(one, one.after) + was


def _named(column: ColumnChange, value: Value | None) -> str:
    return f"{column_name(column)} = {_text(value)}"


def _text(value: Value | None) -> str:
    return cut_to(value_text(value), _LONGEST)
