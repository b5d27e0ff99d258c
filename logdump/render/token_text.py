"""Token lines, the HEADERTOKEN block, GGS tokens and user tokens.

TokenID x4c 'L' LOGCSN           Info x00  Length   37
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.escape import escape
from logdump.notation.hexdump import hexdump
from logdump.session.settings import Level, Settings
from trailformat import Record, Token, TrailError
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.token_names import GGS_TOKENS, RECORD_TOKENS, token_name
from trailformat.codec.tokens import build_tokens
from trailformat.records.file_header import GROUPS
from trailformat.records.record import TokenPlace
from trailformat.records.record_header import HEADER_SIZE

_MOST_DUMPED = 1 << 16
"""Bytes of user tokens that are dumped; GoldenGate writes at most 2000."""


def token_line(kind: str, token_id: int, name: str, info: int, length: int) -> str:
    """The line of one token; ``kind`` is ``Token`` or ``Group``."""
    shown = chr(token_id) if 0x20 < token_id < 0x7F else "."
    return f"{kind}ID x{token_id:02x} '{shown}' {name:<16} Info x{info:02x}  Length {length:>4}"


def _record_token_line(token: Token | TokenPlace, length: int) -> str:
    return token_line("Token", token.id, token_name(RECORD_TOKENS, token.id), token.info, length)


def _inner_token_line(record: Record, part: TokenPlace) -> str:
    if record.is_file_header and part.id in GROUPS:
        return token_line("Token", part.id, GROUPS[part.id].name, part.info, part.size)
    return _record_token_line(part, part.size)


def header_token_lines(record: Record, settings: Settings) -> Iterator[str]:
    """The tokens that make up a record; under DETAIL with the bytes of ``H``."""
    yield _record_token_line(record.frame, record.length)
    for part in record.parts:
        yield _inner_token_line(record, part)
        if settings.headertoken is Level.DETAIL and part.id == ord("H"):
            header = record.cut(part.at, part.at + part.size)
            yield from hexdump(_as_logdump_shows(record, header), gutter=settings.header_gutter)
    yield _record_token_line(record.trailer, record.length)


def _as_logdump_shows(record: Record, header: bytes) -> bytes:
    """The header with its name zeroed in a trail of 12.2 or later, as Logdump dumps it (transcripts of 21.3)."""
    if record.header.name_is_index or record.is_metadata:
        return header[:HEADER_SIZE] + bytes(len(header) - HEADER_SIZE)
    return header


def ggs_token_lines(record: Record, settings: Settings) -> Iterator[str]:
    """The block of GGS tokens, with the blank line before it; nothing when there are none."""
    tokens = record.token("T")
    if tokens is None or not tokens.payload:
        return
    yield ""
    yield "GGS tokens:"
    if settings.ggstoken is Level.ON:
        yield from hexdump(tokens.payload, gutter=settings.dump_gutter)
        return
    try:
        for token in record.gg_tokens:
            yield token_line("Token", token.id, token_name(GGS_TOKENS, token.id), token.info, len(token.payload))
            yield from hexdump(token.payload, gutter=settings.dump_gutter)
    except TrailError:
        yield from hexdump(tokens.payload, gutter=settings.dump_gutter)


def user_token_lines(record: Record, settings: Settings) -> Iterator[str]:
    """The block of user tokens, with the blank line before it: names and lengths; under DETAIL names and values."""
    part = record.part("U")
    if part is None:
        return
    yield ""
    yield f"User tokens: {part.size:>4} bytes"
    try:
        pairs = record.user_tokens
    except TrailError:
        yield from hexdump(record.head("U", _MOST_DUMPED), gutter=settings.dump_gutter)
        return
    for name, value in pairs:
        label = escape(name.decode("utf-8", "backslashreplace"))
        if settings.usertoken is Level.DETAIL:
            yield f"{label:<20}: {escape(value.decode('utf-8', 'backslashreplace'))}"
        else:
            yield f"{label:<20}  Length {len(value):>4}"


def token_bytes(token: Token, order: ByteOrder) -> bytes:
    """The bytes of a token, its own header included."""
    return build_tokens([token], order)
