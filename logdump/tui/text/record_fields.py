"""The meaning of a record's bytes: its tokens, the fields of its header, its columns, its GGS tokens.

Offsets are from the first byte of the record.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from logdump.notation.text import escape
from logdump.notation.times import format_timestamp
from logdump.session.settings import Settings
from trailformat import Record, Token, TrailError, io_type_name
from trailformat.codec.tokens import GGS_TOKENS, RECORD_TOKENS, TokenPart, token_name, token_places
from trailformat.records.columns import Columns
from trailformat.records.file_header import GROUPS, ORDER
from trailformat.records.record_header import HEADER_SIZE, PLACES

_HEADER = {
    "hdr_ind": "Hdr-Ind",
    "partition": "Partition",
    "undo_flag": "UndoFlag",
    "before_after": "BeforeAfter",
    "record_length": "RecLength",
    "io_type": "IOType",
    "orig_node": "OrigNode",
    "io_time": "IO Time",
    "audit_pos": "AuditPos",
    "audit_rba": "AuditRBA",
    "trans_ind": "TransInd",
    "format_type": "FormatType",
    "syskey_len": "SyskeyLen",
    "incomplete": "Incomplete",
    "continued": "Continued",
    "rec_count": "RecCount",
}
"""The names of the fields of the header as GHDR prints them."""


class RecordField(NamedTuple):
    """Bytes ``start`` to before ``end`` and what they are; ``kind`` distinguishes fields of a kind from others."""

    kind: str
    name: str
    start: int
    end: int
    value: str = ""


class PlacedToken(NamedTuple):
    """A token by its place; ``name`` is what Logdump calls it, ``length`` what its length field says."""

    place: TokenPart
    name: str
    length: int


def placed_tokens(record: Record) -> Iterator[PlacedToken]:
    """The tokens of a record in order, the outermost included; one that holds others comes before them.

    Raises:
        TrailError: the framing is broken.
    """
    yield _of_frame(record.frame, record.frame.header_size, record.length)
    for part in record.parts:
        yield PlacedToken(part, _name_in_record(record, part), part.size)
    yield _of_frame(record.trailer, record.length, record.length)


def _of_frame(token: Token, at: int, length: int) -> PlacedToken:
    return PlacedToken(TokenPart(token.id, token.info, at, 0), token_name(RECORD_TOKENS, token.id), length)


def _name_in_record(record: Record, part: TokenPart) -> str:
    if record.is_file_header:
        return GROUPS[part.id].name if part.id in GROUPS else ""
    return token_name(RECORD_TOKENS, part.id)


def inner_tokens(record: Record, outer: PlacedToken) -> list[PlacedToken]:
    """The tokens inside a token: of ``T`` and of the groups of a file header; none where they do not decode."""
    number, _, at, size = outer.place
    if record.is_file_header and number in GROUPS:
        order, names = ORDER, {token: field.name for token, field in GROUPS[number].fields.items()}
    elif number == ord("T") and not record.is_file_header:
        order, names = record.order, {ord(token): name for token, name in GGS_TOKENS.items()}
    else:
        return []
    data = record.cut(at, at + size)
    try:
        places = token_places(data, 0, len(data), order)
    except TrailError:
        return []
    parts = (TokenPart(token, info, at + inside, length) for token, info, inside, length in places)
    return [PlacedToken(part, names.get(part.id, ""), part.size) for part in parts]


def fields_of(record: Record, settings: Settings) -> list[RecordField]:
    """The fields of a record in the order of their bytes; those that do not decode are left out."""
    found: list[RecordField] = []
    for placed in placed_tokens(record):
        if placed.place.id == ord("H") and not record.is_file_header:
            found += _header_fields(record, placed.place.at, settings)
        elif placed.place.id == ord("D") and not record.is_file_header:
            found += _data_fields(record, placed)
        else:
            inner = inner_tokens(record, placed)
            found += [_token_field(one) for one in inner]
            if not inner and placed.place.id == ord("U"):
                found.append(RecordField("user", "User Tokens", placed.place.at, placed.place.at + placed.length))
    return found


def _header_fields(record: Record, at: int, settings: Settings) -> Iterator[RecordField]:
    header = record.header
    values = {
        "IO Time": format_timestamp(header.io_time, settings.time_offset),
        "IOType": f"{header.io_type} {io_type_name(header.io_type)}",
        "RecLength": str(header.record_length),
        "AuditPos": str(header.audit_pos),
        "AuditRBA": str(header.audit_rba),
    }
    for field, (start, end) in PLACES.items():
        name = _HEADER[field]
        value = values.get(name) or f"x{record.cut(at + start, at + end).hex()}"
        yield RecordField("header", name, at + start, at + end, value)
    size = len(header.name_field)
    if size:
        index = record.table_index
        text = f"table index {index}" if index is not None else escape(record.name)
        yield RecordField("name", "Name", at + HEADER_SIZE, at + HEADER_SIZE + size, text)


def _data_fields(record: Record, placed: PlacedToken) -> list[RecordField]:
    start = placed.place.at
    whole = [RecordField("data", "Data", start, start + placed.length)]
    try:
        images = record.images
    except TrailError:
        return whole
    if images is None:
        return whole if placed.length else []
    at = start + images.prefix_size
    found = []
    for image, columns in (("before", images.before), ("after", images.after)):
        label = f" {image}" if images.prefix_size else ""
        found += list(_column_fields(columns or (), at, label))
        at = found[-1].end if found else at
    return found


def _column_fields(columns: Columns, at: int, label: str) -> Iterator[RecordField]:
    for column in columns:
        end = at + 4 + len(column.raw)
        yield RecordField("column", f"Column {column.index}{label}", at, end, "NULL" if column.is_null else "")
        at = end


def _token_field(placed: PlacedToken) -> RecordField:
    place = placed.place
    return RecordField("token", placed.name or f"x{place.id:02x}", place.start, place.at + place.size)
