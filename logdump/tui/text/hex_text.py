"""The hex page: the tokens of a record, each followed by its bytes; a new line begins where a field begins.

    1924 G  Record Header    Info x01  Length   175
    1928 H  GHDR             Info x00  Length    36
    1932    450c 0041 2500 05ff c0ab 5600 9a16 f302 0400 0000 | E..A%.....V.........

Damage is shown as plain bytes in the same form.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from logdump.notation.hexdump import ASCII
from logdump.notation.text import escape
from logdump.notation.times import format_timestamp
from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.tui.text.styled import Piece
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
"""The names of the header fields as GHDR prints them."""


class RecordField(NamedTuple):
    """A field: the bytes from ``start`` to before ``end`` of a record; ``kind`` is column, token, data or another."""

    kind: str
    name: str
    start: int
    end: int
    value: str = ""


class PlacedToken(NamedTuple):
    """A token and its position; ``name`` is Logdump's name, ``length`` the value of its length field."""

    place: TokenPart
    name: str
    length: int


def placed_tokens(record: Record) -> Iterator[PlacedToken]:
    """Yield the tokens of a record in order: the frame, the tokens in it, the trailer.

    Raises:
        TrailError: the framing is damaged.
    """
    yield _of_frame(record.frame, record.frame.header_size, record.length)
    for part in record.parts:
        yield PlacedToken(part, _name_in_record(record, part), part.size)
    yield _of_frame(record.trailer, record.length, record.length)


def _of_frame(token: Token, offset: int, length: int) -> PlacedToken:
    return PlacedToken(TokenPart(token.id, token.info, offset, 0), token_name(RECORD_TOKENS, token.id), length)


def _name_in_record(record: Record, part: TokenPart) -> str:
    if record.is_file_header:
        return GROUPS[part.id].name if part.id in GROUPS else ""
    return token_name(RECORD_TOKENS, part.id)


def inner_tokens(record: Record, outer: PlacedToken) -> list[PlacedToken]:
    """Return the tokens inside ``T`` or a group of the file header; none of other tokens or if they do not decode."""
    number, _, offset, size = outer.place
    if record.is_file_header and number in GROUPS:
        order, names = ORDER, {token: field.name for token, field in GROUPS[number].fields.items()}
    elif number == ord("T") and not record.is_file_header:
        order, names = record.order, {ord(token): name for token, name in GGS_TOKENS.items()}
    else:
        return []
    data = record.cut(offset, offset + size)
    try:
        places = token_places(data, 0, len(data), order)
    except TrailError:
        return []
    parts = (TokenPart(token, info, offset + inside, length) for token, info, inside, length in places)
    return [PlacedToken(part, names.get(part.id, ""), part.size) for part in parts]


def fields_of(record: Record, settings: Settings) -> list[RecordField]:
    """Return the fields of a record in the order of their bytes, without those that cannot be decoded."""
    fields: list[RecordField] = []
    for placed in placed_tokens(record):
        if placed.place.id == ord("H") and not record.is_file_header:
            fields += _header_fields(record, placed.place.at, settings)
        elif placed.place.id == ord("D") and not record.is_file_header:
            fields += _data_fields(record, placed)
        else:
            inner = inner_tokens(record, placed)
            fields += [_token_field(token) for token in inner]
            if not inner and placed.place.id == ord("U"):
                fields.append(RecordField("user", "User Tokens", placed.place.at, placed.place.at + placed.length))
    return fields


def _header_fields(record: Record, offset: int, settings: Settings) -> Iterator[RecordField]:
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
        value = values.get(name) or f"x{record.cut(offset + start, offset + end).hex()}"
        yield RecordField("header", name, offset + start, offset + end, value)
    size = len(header.name_field)
    if size:
        index = record.table_index
        text = f"table index {index}" if index is not None else escape(record.name)
        yield RecordField("name", "Name", offset + HEADER_SIZE, offset + HEADER_SIZE + size, text)


def _data_fields(record: Record, placed: PlacedToken) -> list[RecordField]:
    start = placed.place.at
    whole = [RecordField("data", "Data", start, start + placed.length)]
    try:
        images = record.images
    except TrailError:
        return whole
    if images is None:
        return whole if placed.length else []
    offset = start + images.prefix_size
    fields = []
    for image, columns in (("before", images.before), ("after", images.after)):
        label = f" {image}" if images.prefix_size else ""
        fields += list(_column_fields(columns or (), offset, label))
        offset = fields[-1].end if fields else offset
    return fields


def _column_fields(columns: Columns, start: int, label: str) -> Iterator[RecordField]:
    for column in columns:
        end = start + 4 + len(column.raw)
        yield RecordField("column", f"Column {column.index}{label}", start, end, "NULL" if column.is_null else "")
        start = end


def _token_field(placed: PlacedToken) -> RecordField:
    place = placed.place
    return RecordField("token", placed.name or f"x{place.id:02x}", place.start, place.at + place.size)


MOST_BYTES = 1 << 16
"""Maximum number of bytes of a token that are shown."""
_WIDE, _SLIM = 20, 16
_FRAME = 6
"""Number of cells of a line in addition to RBA, bytes and characters."""


class HexLine(NamedTuple):
    """A line: a label, or the bytes from offset ``start`` of the record. The line of a token has only a label."""

    label: str
    start: int
    data: bytes


class HexText(NamedTuple):
    """The lines of the record at ``rba``, its fields, and the number of bytes in a full line."""

    rba: int
    lines: list[HexLine]
    fields: list[RecordField]
    bytes_per_line: int


def hex_text(session: Session, rba: int, width: int) -> HexText:
    """Return the hex page of the record or damage at ``rba`` for ``width`` cells."""
    trail = session.trail
    digits = len(str(trail.size))
    per_line = _WIDE if digits + _FRAME + _WIDE * 7 // 2 <= width else _SLIM
    try:
        record = trail.record_at(rba)
        if record is None:
            return HexText(rba, [], [], per_line)
        fields = fields_of(record, session.settings)
        return HexText(rba, list(_record_lines(record, fields, per_line)), fields, per_line)
    except TrailError:
        end = trail.next_good_header(rba + 1) or trail.size
        data = trail.bytes[rba : min(end, rba + MOST_BYTES)]
        return HexText(rba, list(_bytes_lines(data, 0, per_line)), [], per_line)


def _record_lines(record: Record, fields: list[RecordField], per_line: int) -> Iterator[HexLine]:
    starts = sorted(field.start for field in fields if field.kind == "column")
    for placed in placed_tokens(record):
        yield _token_line(placed)
        inner = inner_tokens(record, placed)
        for token in inner:
            yield _token_line(token, indent="  ")
            yield from _payload_lines(record, token, [], per_line)
        if not inner:
            yield from _payload_lines(record, placed, starts, per_line)


def _payload_lines(record: Record, placed: PlacedToken, starts: list[int], per_line: int) -> Iterator[HexLine]:
    begin, end = placed.place.at, placed.place.at + placed.place.size
    shown = min(end, begin + MOST_BYTES)
    cuts = [begin, *(cut for cut in starts if begin < cut < shown), shown]
    for start, stop in pairwise(cuts):
        yield from _bytes_lines(record.cut(start, stop), start, per_line)
    if shown < end:
        yield HexLine(f"({end - shown} more bytes: DUMP shows them)", shown, b"")


def _token_line(placed: PlacedToken, *, indent: str = "") -> HexLine:
    place = placed.place
    letter = chr(place.id) if 0x20 < place.id < 0x7F else "."
    text = f"{indent}{letter}  {placed.name:<16} Info x{place.info:02x}  Length {placed.length:>5}"
    return HexLine(text, place.start, b"")


def _bytes_lines(data: bytes, start: int, per_line: int) -> Iterator[HexLine]:
    for offset in range(0, len(data), per_line):
        yield HexLine("", start + offset, data[offset : offset + per_line])


_PRINTABLE = frozenset(range(0x21, 0x7F))
_BLANK = frozenset(b" \t\r\n\f\v")


def byte_style(byte: int) -> str:
    """Return the style of a byte by its class: zero, printable, blank, other ASCII, or not ASCII."""
    if byte == 0:
        return "zero"
    if byte in _PRINTABLE:
        return "printable"
    if byte in _BLANK:
        return "blank"
    return "control" if byte < 0x80 else "high"


def line_pieces(text: HexText, line: HexLine, digits: int, field: RecordField | None) -> tuple[Piece, ...]:
    """Return a line as pieces, with the bytes of ``field`` underlined."""
    rba = f"{text.rba + line.start:>{digits}} "
    if not line.data:
        return (rba, "dim"), (line.label, "strong")
    pieces: list[Piece] = [(f"{rba}   ", "dim")]
    for index, byte in enumerate(line.data):
        style = _style_at(byte, line.start + index, field)
        pieces.append((f"{byte:02x}", style))
        if index % 2 and index + 1 < len(line.data):
            ends = field is not None and line.start + index + 1 == field.end
            pieces.append((" ", style.removesuffix("+field") if ends else style))
    width = text.bytes_per_line * 5 // 2 - 1
    used = len(line.data) * 2 + (len(line.data) - 1) // 2
    pieces.append((" " * (width - used) + " | ", ""))
    for index, byte in enumerate(line.data):
        is_inside = field is not None and field.start <= line.start + index < field.end
        pieces.append((ASCII[byte], "field" if is_inside else ""))
    return tuple(_merged(pieces))


def _merged(pieces: list[Piece]) -> Iterator[Piece]:
    """Merge neighbours of one style, which saves bytes on the way to the terminal."""
    for style, group in groupby(pieces, key=itemgetter(1)):
        yield "".join(text for text, _ in group), style


def _style_at(byte: int, offset: int, field: RecordField | None) -> str:
    is_inside = field is not None and field.start <= offset < field.end
    return f"{byte_style(byte)}+field" if is_inside else byte_style(byte)
