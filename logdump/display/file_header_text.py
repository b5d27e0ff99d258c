"""The file header: its record line and bytes, then the groups and their tokens.

GroupID x30 '0' TrailInfo        Info x00  Length  789
TokenID x30 '0' Signature        Info x00  Length    8
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.token_text import token_bytes, token_line
from logdump.notation.hexdump import hexdump
from logdump.notation.times import format_timestamp
from logdump.session.settings import Detail, Level, Settings
from trailformat import FileHeader, Record, TrailError
from trailformat.records.file_header import ORDER, HeaderGroup


def file_header_lines(record: Record, settings: Settings) -> Iterator[str]:
    """The display of an ``F`` record; it begins with a blank line, as every record does.

    Groups that do not decode are shown as bytes only.
    """
    header = _header(record)
    time = format_timestamp(header.created or 0, settings.time_offset)
    yield ""
    yield f"{time} {'FileHeader':<20} Len {record.data_length:>5} RBA {record.rba}"
    yield "Name: *FileHeader*"
    yield from hexdump(_body(record, settings.reclen), gutter=settings.dump_gutter)
    shows_tokens = settings.fileheader is Level.DETAIL
    if shows_tokens or (settings.fileheader is Level.ON and settings.detail is Detail.DATA):
        for group in header.groups:
            yield from _group_lines(group, settings, shows_tokens=shows_tokens)
    elif settings.release.has_blank_after_data:
        # one session of 11.2 shows it, as after the data of a record
        yield ""


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
    yield token_line("Group", group.token.id, group.name, group.token.info, len(group.token.payload))
    yield from hexdump(token_bytes(group.token, ORDER), settings.reclen, settings.dump_gutter)
    for token, field in group.tokens if shows_tokens else ():
        yield token_line("Token", token.id, field.name if field else "", token.info, len(token.payload))
        yield from hexdump(token.payload, gutter=settings.dump_gutter)
