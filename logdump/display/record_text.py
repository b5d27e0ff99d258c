"""The display of one record: the blocks that are switched on, in Logdump's order.

HEADERTOKEN block; GHDR block; record, name and image line with the bytes of the data; columns; user tokens; GGS tokens;
under VALUES, which Logdump does not have, our additions. All other lines are exactly Logdump's: scripts parse them.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache, partial
from operator import attrgetter

from logdump.display.text import HarmlessRenderers, partition_text
from logdump.notation.text import Harmless, escape, escape_lines
from logdump.notation.times import format_timestamp
from logdump.session.events import RecordsInLines
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Detail, Level, Release, Settings
from trailformat import FileHeader, Record, TrailError, io_type_name
from trailformat.codec.on_demand import on_demand
from trailformat.records.file_header import ORDER, HeaderGroup
from trailformat.records.record_header import LARGE_OBJECT

with on_demand:
    from logdump.display import definition_text, header_values, token_text, values_text
    from logdump.notation import hexdump
    from trailformat.changes import segments

RULE = escape("_" * 67)


def _letter(code: int, gutter: str) -> str:
    shown = gutter[code].replace(" ", ".")
    return f"{shown:>5}  (x{code:02x})  "


def _number(value: int, digits: int = 2) -> str:
    return f"{value:>5}  (x{value:0{digits}x})"


def ghdr_lines(record: Record, settings: Settings) -> list[Harmless]:
    """Return the GHDR block of a record, without the blank line after it."""
    header = record.header
    time = format_timestamp(header.io_time, settings.time_offset)
    if record.is_metadata:
        ddr, tdr = record.metadata_indexes
        audit = f"DDR/TDR index:   ({ddr:03d}, {tdr:03d})     "
    else:
        audit = f"AuditRBA   : {header.audit_rba:>10}       "
    hdr_ind, undo_flag, io_type, trans_ind, syskey_len, continued = _rows_alike(
        *_FIELDS_ALIKE(header), hexdump.gutter_table(ebcdic=settings.ebcdic_header)
    )
    return [
        RULE,
        hdr_ind,
        undo_flag,
        _row(f"RecLength  : {_number(header.record_length, 4)}", f"IO Time    : {time}"),
        io_type,
        trans_ind,
        syskey_len,
        _row(audit, f"AuditPos   : {header.audit_pos}"),
        continued,
    ]


_FIELDS_ALIKE = attrgetter(
    *("hdr_ind", "partition", "undo_flag", "before_after", "io_type", "orig_node", "trans_ind", "format_type"),
    *("syskey_len", "incomplete", "continued", "rec_count"),
)
"""Header fields that are the same in many records, so that their rows are cached."""


@lru_cache(maxsize=1024)
def _rows_alike(
    hdr_ind: int,
    partition: int,
    undo_flag: int,
    before_after: int,
    io_type: int,
    orig_node: int,
    trans_ind: int,
    format_type: int,
    syskey_len: int,
    incomplete: int,
    continued: int,
    rec_count: int,
    gutter: str,
) -> tuple[Harmless, ...]:
    """Return the rows that show only these fields."""
    letter = partial(_letter, gutter=gutter)
    goes_on = "Y" if continued else "N"
    rows = (
        (f"Hdr-Ind    : {letter(hdr_ind)}", f"Partition  : {letter(partition)}"),
        (f"UndoFlag   : {letter(undo_flag)}", f"BeforeAfter: {letter(before_after)}"),
        (f"IOType     : {_number(io_type)}", f"OrigNode   : {_number(orig_node)}"),
        (f"TransInd   : {letter(trans_ind)}", f"FormatType : {letter(format_type)}"),
        (f"SyskeyLen  : {_number(syskey_len)}", f"Incomplete : {letter(incomplete)}"),
        (f"Continued  : {goes_on:>5}  (x{continued:02x})", f"RecCount   : {_number(rec_count)}"),
    )
    return tuple(_row(*row) for row in rows)


def _row(left: str, right: str) -> Harmless:
    return escape(f"{left:<30}{right}".rstrip())


_POSITION_IN_TRANSACTION = {0: "b", 1: "m", 2: "e", 3: "s"}
_IMAGE_WIDTH = 58
_BLANK = escape("")
_BEFORE = ord("B")


def record_lines(known: KnownRecord, settings: Settings) -> list[Harmless]:
    """Return the lines of a record under these settings.

    Raises:
        TrailError: the record's framing is broken; data that does not decode is shown as bytes instead.
    """
    record = known.record
    if record.is_file_header:
        headertoken = settings.headertoken is not Level.OFF
        lines = token_text.header_token_lines(record, settings) if headertoken else []
        values = _header_value_lines(record, settings) if settings.values else ()
        return lines + escape_lines(file_header_lines(record, settings)) + escape_lines(values)
    if record.is_metadata:
        lines = _with_blocks(record, _metadata_lines(known, settings), settings)
    else:
        lines = row_lines(record, name_line(known, settings), settings)
    if settings.values:
        lines += escape_lines(values_text.addition_lines(known, settings))
    return lines


def many_lines(shown: RecordsInLines, _settings: Settings) -> list[Harmless]:
    """Return the lines of an event that consists of lines already made."""
    return shown.take()


def _with_blocks(record: Record, shown: list[Harmless], settings: Settings) -> list[Harmless]:
    """Return lines with the blocks before and after them that are switched on."""
    lines: list[Harmless] = []
    if settings.headertoken is not Level.OFF:
        lines += token_text.header_token_lines(record, settings)
    if settings.ghdr:
        lines += ghdr_lines(record, settings)
    lines += shown
    if settings.usertoken is not Level.OFF:
        lines += token_text.user_token_lines(record, settings)
    if settings.ggstoken is not Level.OFF:
        lines += token_text.ggs_token_lines(record, settings)
    return lines


def _metadata_lines(known: KnownRecord, settings: Settings) -> list[Harmless]:
    return escape_lines(definition_text.metadata_lines(known, settings))


def row_lines(record: Record, name: Harmless, settings: Settings) -> list[Harmless]:
    """Return the lines of a row without its additions; ``name`` is the line of its table. Raises like record_lines."""
    header = record.header
    time = format_timestamp(header.io_time, settings.time_offset)
    lines = [
        _BLANK,
        escape(f"{time} {io_type_name(header.io_type):<20} Len {record.data_length:>5} RBA {record.rba}"),
        name,
        image_line(header.before_after, header.partition, header.trans_ind, settings),
        *hexdump.hexdump(record.head("D", settings.reclen), settings.reclen, settings.data_gutter),
    ]
    if settings.ghdr and header.io_type == LARGE_OBJECT:
        lines += escape_lines(_lob_lines(record))
    columns = _columns(record, settings)
    lines += columns
    has_blank = settings.release.has_blank_after_data and record.data_size > 0
    if has_blank and not columns and not _shows_tokens(record, settings):
        lines.append(_BLANK)
    return _with_blocks(record, lines, settings)


def _shows_tokens(record: Record, settings: Settings) -> bool:
    """Return True if a block of tokens follows, which begins with a blank line of its own."""
    shown = {"T": settings.ggstoken, "U": settings.usertoken}
    return any(level is not Level.OFF and record.part(kind) is not None for kind, level in shown.items())


def _columns(record: Record, settings: Settings) -> list[Harmless]:
    """Return the column list under DETAIL; empty if the data does not decode, which a notice reports."""
    if settings.detail is Detail.OFF:
        return []
    try:
        return values_text.column_lines(record, settings)
    except TrailError:
        return []


def _lob_lines(record: Record) -> Iterator[str]:
    """Yield ``Column 3, LOB fragment 3 of 4`` if the piece has these numbers (MOS note: under GHDR)."""
    numbers = segments.numbers_of(record)
    if numbers is not None:
        yield f"Column {numbers.column}, LOB fragment {numbers.number} of {numbers.pieces}"


def name_line(known: KnownRecord, settings: Settings) -> Harmless:
    """Return the line with the name of a record's table."""
    if known.table is not None:
        return escape(f"Name: {known.table.name}  (TDR Index: {known.table.table_index})")
    index = known.record.table_index
    if index is None:
        return escape(f"Name: {escape(_name_in_header(known.record, settings))}".rstrip())
    return escape(f"Name:   (TDR Index: {index})")


def _name_in_header(record: Record, settings: Settings) -> str:
    if settings.ebcdic_header and not record.header.name_is_index:
        return hexdump.decode_ebcdic(record.header.name_field.split(b"\0", 1)[0])
    return record.name


def image_line(before_after: int, partition: int, trans_ind: int, settings: Settings) -> Harmless:
    """Return the line with the image, the partition and the place in the transaction."""
    return _image_line(before_after, partition, trans_ind, settings.release)


@lru_cache(maxsize=1024)
def _image_line(before_after: int, partition: int, trans_ind: int, release: Release) -> Harmless:
    image = "Before Image:" if before_after == _BEFORE else "After  Image:"
    position, is_hex = _POSITION_IN_TRANSACTION.get(trans_ind, "?"), release.has_hex_partition
    return escape(f"{image:<{_IMAGE_WIDTH}}{partition_text(partition, is_hex=is_hex)}   G  {position}")


HARMLESS: HarmlessRenderers = {
    KnownRecord: record_lines,
    RecordsInLines: many_lines,
}


def file_header_lines(record: Record, settings: Settings) -> Iterator[str]:
    """Yield the lines of a file header, with the blank line before them as before every record.

    Groups that do not decode are shown as bytes only.
    """
    header = _header(record)
    time = format_timestamp(header.created or 0, settings.time_offset)
    yield ""
    yield f"{time} {'FileHeader':<20} Len {record.data_length:>5} RBA {record.rba}"
    yield "Name: *FileHeader*"
    yield from hexdump.hexdump(_body(record, settings.reclen), gutter=settings.dump_gutter)
    shows_tokens = settings.fileheader is Level.DETAIL
    if shows_tokens or (settings.fileheader is Level.ON and settings.detail is Detail.DATA):
        for group in header.groups:
            yield from _group_lines(group, settings, shows_tokens=shows_tokens)
    elif settings.release.has_blank_after_data:
        # seen in one session of 11.2, as after the data of a record
        yield ""


def _header_value_lines(record: Record, settings: Settings) -> Iterator[str]:
    """Yield the values of a file header under FILEHEADER DETAIL, below the bytes of its tokens."""
    if settings.fileheader is Level.DETAIL:
        yield f"Values of the file header at RBA {record.rba}"
        for label, text in header_values.header_values(_header(record), settings):
            yield f"   {label}{text}"


def _header(record: Record) -> FileHeader:
    try:
        return record.file_header
    except TrailError:
        return FileHeader(())


def _body(record: Record, most: int) -> bytes:
    """Return the bytes between the record's token and its trailer, at most ``most``."""
    start, end = record.frame.header_size, record.length - record.trailer.header_size
    return record.cut(start, min(end, start + most))


def _group_lines(group: HeaderGroup, settings: Settings, *, shows_tokens: bool) -> Iterator[str]:
    yield ""
    yield token_text.token_line("Group", group.token.id, group.name, group.token.info, len(group.token.payload))
    yield from hexdump.hexdump(token_text.token_bytes(group.token, ORDER), settings.reclen, settings.dump_gutter)
    for token, field in group.tokens if shows_tokens else ():
        yield token_text.token_line("Token", token.id, field.name if field else "", token.info, len(token.payload))
        yield from hexdump.hexdump(token.payload, gutter=settings.dump_gutter)
