"""A metadata record: its record line, the definition in it, and the tokens that this is made of."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.definition_formats import FORMATS, definition_token_lines
from logdump.display.metadata_text import database_lines, reference_line, table_lines
from logdump.notation.escape import escape
from logdump.notation.hexdump import hexdump
from logdump.notation.times import format_timestamp
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Detail, Settings
from trailformat import DatabaseDefinition, TableDefinition
from trailformat.definitions.metadata_kinds import REFERENCE


def metadata_lines(known: KnownRecord, settings: Settings) -> Iterator[str]:
    """The lines of a metadata record, the blank line before them included."""
    record, definition = known.record, known.definition
    yield ""
    time = format_timestamp(record.header.io_time, settings.time_offset)
    yield f"{time} {'Metadata':<20} Len {record.data_length} RBA {record.rba}"
    name = escape(record.name)
    if isinstance(definition, DatabaseDefinition):
        yield from database_lines(definition, known.vendor)
    elif isinstance(definition, TableDefinition):
        yield from _definition_lines(name, definition, settings)
    elif record.header.orig_node == REFERENCE:
        yield reference_line(name, record.metadata_indexes[1])
    else:
        yield f"Name: {name}".rstrip()
        yield from hexdump(record.head("D", settings.reclen), settings.reclen, settings.data_gutter)
    if settings.metadata_detail is not Detail.OFF and definition is not None:
        yield from definition_token_lines(record, settings)


def _definition_lines(name: str, definition: TableDefinition, settings: Settings) -> Iterator[str]:
    """The listing, or the formats that METADATA has switched on in its place."""
    formats = [lines for attribute, lines in FORMATS.items() if getattr(settings, attribute)]
    if not formats:
        yield from table_lines(name, definition)
        return
    yield f"Table Name: {name}"
    for lines in formats:
        yield from lines(name, definition)
