"""The hex page: a record's tokens, and under each its bytes in lines that begin where a field begins.

    1924 G  Record Header    Info x01  Length   175
    1928 H  GHDR             Info x00  Length    36
    1932    450c 0041 2500 05ff c0ab 5600 9a16 f302 0400 0000 | E..A%.....V.........

Damage is shown as plain bytes, in the same lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby, pairwise
from operator import itemgetter
from typing import NamedTuple

from logdump.notation.hexdump import ASCII
from logdump.session.session import Session
from logdump.tui.text.record_fields import PlacedToken, RecordField, fields_of, inner_tokens, placed_tokens
from logdump.tui.text.styled import Piece
from trailformat import Record, TrailError

MOST_BYTES = 1 << 16
"""The most bytes of a record that are shown."""
_WIDE, _SLIM = 20, 16
_FRAME = 6
"""Cells of a line besides RBA, bytes and characters."""


class HexLine(NamedTuple):
    """A line: text in front, then bytes from ``start`` on (offset in the record); none for the line of a token."""

    label: str
    start: int
    data: bytes


class HexText(NamedTuple):
    """All lines of a record at ``rba``, its fields, and how many bytes stand in a whole line."""

    rba: int
    lines: list[HexLine]
    fields: list[RecordField]
    bytes_per_line: int


def hex_text(session: Session, rba: int, width: int) -> HexText:
    """The hex page of the record at ``rba`` for ``width`` cells, or of the damage there."""
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
        for one in inner:
            yield _token_line(one, indent="  ")
            yield from _payload_lines(record, one, [], per_line)
        if not inner:
            yield from _payload_lines(record, placed, starts, per_line)


def _payload_lines(record: Record, placed: PlacedToken, starts: list[int], per_line: int) -> Iterator[HexLine]:
    begin, end = placed.place.at, placed.place.at + placed.place.size
    shown = min(end, begin + MOST_BYTES)
    cuts = [begin, *(one for one in starts if begin < one < shown), shown]
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
    for at in range(0, len(data), per_line):
        yield HexLine("", start + at, data[at : at + per_line])


_PRINTABLE = frozenset(range(0x21, 0x7F))
_BLANK = frozenset(b" \t\r\n\f\v")


def byte_style(byte: int) -> str:
    """The style of a byte by its class: zero, printable, blank, other ASCII, above."""
    if byte == 0:
        return "zero"
    if byte in _PRINTABLE:
        return "printable"
    if byte in _BLANK:
        return "blank"
    return "control" if byte < 0x80 else "high"


def line_pieces(text: HexText, one: HexLine, digits: int, field: RecordField | None) -> tuple[Piece, ...]:
    """A line as pieces; the bytes of ``field`` are underlined."""
    rba = f"{text.rba + one.start:>{digits}} "
    if not one.data:
        return (rba, "dim"), (one.label, "strong")
    pieces: list[Piece] = [(f"{rba}   ", "dim")]
    for at, byte in enumerate(one.data):
        style = _style_at(byte, one.start + at, field)
        pieces.append((f"{byte:02x}", style))
        if at % 2 and at + 1 < len(one.data):
            ends = field is not None and one.start + at + 1 == field.end
            pieces.append((" ", style.removesuffix("+field") if ends else style))
    width = text.bytes_per_line * 5 // 2 - 1
    used = len(one.data) * 2 + (len(one.data) - 1) // 2
    pieces.append((" " * (width - used) + " | ", ""))
    for at, byte in enumerate(one.data):
        is_inside = field is not None and field.start <= one.start + at < field.end
        pieces.append((ASCII[byte], "field" if is_inside else ""))
    return tuple(_merged(pieces))


def _merged(pieces: list[Piece]) -> Iterator[Piece]:
    """The same with neighbours of one style in one piece, which costs fewer bytes on the way to the terminal."""
    for style, group in groupby(pieces, key=itemgetter(1)):
        yield "".join(text for text, _ in group), style


def _style_at(byte: int, at: int, field: RecordField | None) -> str:
    is_inside = field is not None and field.start <= at < field.end
    return f"{byte_style(byte)}+field" if is_inside else byte_style(byte)
