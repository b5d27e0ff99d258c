"""The margin beside the detail: names and values of columns, and what else the bytes mean. It is never copied."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from decimal import Decimal

from logdump.render.escape import escape
from logdump.tui.text import Line
from trailformat import Column, Record, TableDefinition, TrailError, TrailFile, decode_value
from trailformat.transactions import is_transactional

_POSITIONS = ("begins its transaction", "inside its transaction", "ends its transaction", "the whole transaction")
_LONGEST = 60


def with_margin(lines: Iterable[Line], record: Record, trail: TrailFile) -> Iterator[Line]:
    """The lines with what is known of the fields that they show, where each of them is shown first."""
    notes = dict(_notes(record, trail))
    for one in lines:
        found = [notes.pop(name) for name in one.fields if name in notes]
        yield one._replace(margin=tuple((note, "") for note in found)) if found else one


def _notes(record: Record, trail: TrailFile) -> Iterator[tuple[str, str]]:
    """A remark for each field that there is something to say about, by its name."""
    if record.is_file_header:
        return
    header = record.header
    if is_transactional(record) and header.trans_ind < len(_POSITIONS):
        yield "TransInd", _POSITIONS[header.trans_ind]
    entry = trail.table_of(record)
    definition = trail.tables.columns(entry) if entry is not None else None
    if definition is not None:
        yield from _columns(record, definition)


def _columns(record: Record, definition: TableDefinition) -> Iterator[tuple[str, str]]:
    try:
        images = record.images
    except TrailError:
        return
    if images is None:
        return
    earlier = {column.index: column for column in images.before or ()}
    is_paired = bool(images.prefix_size)
    for column in images.before or ():
        yield f"Column {column.index}{' before' if is_paired else ''}", _named(column, definition, record)
    for column in images.after or ():
        note = _named(column, definition, record)
        old = earlier.get(column.index)
        if is_paired and old is not None and old.raw != column.raw:
            note += f"   was {_value(old, definition, record)}"
        yield f"Column {column.index}{' after' if is_paired else ''}", note


def _named(column: Column, definition: TableDefinition, record: Record) -> str:
    if column.index >= len(definition.columns):
        return "no column of this index in the definition in force"
    return f"{escape(definition.columns[column.index].name)} = {_value(column, definition, record)}"


def _value(column: Column, definition: TableDefinition, record: Record) -> str:
    value = decode_value(column, definition.columns[column.index], record.order)
    if value is None:
        return "NULL"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, bytes):
        return f"x{value.hex()}"
    text = f'"{escape(value)}"'
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}..."
