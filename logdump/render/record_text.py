"""The display of one record: the blocks that are switched on, in Logdump's order.

HEADERTOKEN block; GHDR block; record, name and image line with the bytes of the data; columns; user tokens; GGS tokens;
under VALUES, which Logdump does not have, our additions. All else is Logdump's own lines: scripts read them.
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.ebcdic import decode_ebcdic
from logdump.notation.escape import escape
from logdump.notation.hexdump import hexdump
from logdump.notation.times import format_timestamp
from logdump.render.column_text import column_lines
from logdump.render.definition_formats import FORMATS, definition_token_lines
from logdump.render.file_header_text import file_header_lines
from logdump.render.header_text import ghdr_lines
from logdump.render.metadata_text import database_lines, reference_line, table_lines
from logdump.render.token_text import ggs_token_lines, header_token_lines, user_token_lines
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Detail, Level, Settings
from trailformat import DatabaseDefinition, Record, TableDefinition, TrailError, io_type_name
from trailformat.definitions.metadata_kinds import REFERENCE
from trailformat.records.io_types import LARGE_OBJECT

_POSITION_IN_TRANSACTION = {0: "b", 1: "m", 2: "e", 3: "s"}
_IMAGE_WIDTH = 58


def record_lines(known: KnownRecord, settings: Settings) -> Iterator[str]:
    """The lines of a record under these settings.

    Raises:
        TrailError: the record's framing is broken; data that does not decode is shown as bytes instead.
    """
    record = known.record
    if settings.headertoken is not Level.OFF:
        yield from header_token_lines(record, settings)
    if record.is_file_header:
        yield from file_header_lines(record, settings)
        return
    if settings.ghdr:
        yield from ghdr_lines(record, settings)
    yield ""
    if record.is_metadata:
        yield from _metadata_lines(known, settings)
    else:
        yield from _row_lines(known, settings)
    if settings.usertoken is not Level.OFF:
        yield from user_token_lines(record, settings)
    if settings.ggstoken is not Level.OFF:
        yield from ggs_token_lines(record, settings)
    if settings.values:
        from logdump.render.addition_text import addition_lines  # noqa: PLC0415 - loaded with the first VALUES ON

        yield from addition_lines(known, settings)


def _row_lines(known: KnownRecord, settings: Settings) -> Iterator[str]:
    record = known.record
    header = record.header
    time = format_timestamp(header.io_time, settings.time_offset)
    yield f"{time} {io_type_name(header.io_type):<20} Len {record.data_length:>5} RBA {record.rba}"
    yield _name_line(known, settings)
    yield image_line(header.before_after, header.partition, header.trans_ind, settings)
    yield from hexdump(record.head("D", settings.reclen), gutter=settings.data_gutter)
    if settings.ghdr and header.io_type == LARGE_OBJECT:
        yield from _lob_lines(record)
    columns = _columns(record, settings)
    yield from columns
    if (
        settings.release.has_blank_after_data
        and record.data_size
        and not columns
        and not _shows_tokens(record, settings)
    ):
        yield ""


def _shows_tokens(record: Record, settings: Settings) -> bool:
    """Whether a block of tokens follows, which brings a blank line of its own."""
    shown = {"T": settings.ggstoken, "U": settings.usertoken}
    return any(level is not Level.OFF and record.part(kind) is not None for kind, level in shown.items())


def _columns(record: Record, settings: Settings) -> list[str]:
    """The column list under DETAIL; none where the data does not hold it, which a notice reports."""
    if settings.detail is Detail.OFF:
        return []
    try:
        return list(column_lines(record, settings))
    except TrailError:
        return []


def _lob_lines(record: Record) -> Iterator[str]:
    """``Column 3, LOB fragment 3 of 4``, where the piece has these numbers (MOS note: under GHDR)."""
    from trailformat.changes.segments import numbers_of  # noqa: PLC0415 - few records are pieces

    numbers = numbers_of(record)
    if numbers is not None:
        yield f"Column {numbers.column}, LOB fragment {numbers.number} of {numbers.pieces}"


def _name_line(known: KnownRecord, settings: Settings) -> str:
    index = known.record.table_index
    if index is None:
        return f"Name: {escape(_name_in_header(known.record, settings))}".rstrip()
    return f"Name: {escape(known.table.name) if known.table else ''}  (TDR Index: {index})"


def _name_in_header(record: Record, settings: Settings) -> str:
    if settings.ebcdic_header and not record.header.name_is_index:
        return decode_ebcdic(record.header.name_field.split(b"\0", 1)[0])
    return record.name


def image_line(before_after: int, partition: int, trans_ind: int, settings: Settings) -> str:
    """The line of the image, the partition and the place in the transaction."""
    image = "Before Image:" if before_after == ord("B") else "After  Image:"
    position = _POSITION_IN_TRANSACTION.get(trans_ind, "?")
    return f"{image:<{_IMAGE_WIDTH}}{partition_text(partition, settings)}   G  {position}"


def partition_text(partition: int, settings: Settings) -> str:
    """``Partition x0c``, or ``Partition 12`` in the older releases."""
    return f"Partition x{partition:02x}" if settings.release.has_hex_partition else f"Partition {partition}"


def _metadata_lines(known: KnownRecord, settings: Settings) -> Iterator[str]:
    record, definition = known.record, known.definition
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
        yield from hexdump(record.head("D", settings.reclen), gutter=settings.data_gutter)
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
