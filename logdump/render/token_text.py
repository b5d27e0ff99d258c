"""Token lines, the HEADERTOKEN block, GGS tokens and user tokens.

TokenID x4c 'L' LOGCSN           Info x00  Length   37
"""

from __future__ import annotations

from functools import lru_cache

from logdump.notation.escape import escape
from logdump.notation.hexdump import hexdump
from logdump.session.settings import Level, Settings
from trailformat import Record, Token, TrailError
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.token_names import GGS_TOKENS, RECORD_TOKENS, token_name
from trailformat.codec.tokens import build_tokens
from trailformat.records.file_header import GROUPS
from trailformat.records.record_header import HEADER_SIZE

_HEADER = ord("H")


@lru_cache(maxsize=4096)
def token_line(kind: str, token_id: int, name: str, info: int, length: int) -> str:
    """The line of one token; ``kind`` is ``Token`` or ``Group``."""
    shown = chr(token_id) if 0x20 < token_id < 0x7F else "."
    return f"{kind}ID x{token_id:02x} '{shown}' {name:<16} Info x{info:02x}  Length {length:>4}"


def _record_token_line(token: Token, length: int) -> str:
    return token_line("Token", token.id, token_name(RECORD_TOKENS, token.id), token.info, length)


def _inner_token_line(record: Record, token: Token) -> str:
    if record.is_file_header and token.id in GROUPS:
        return token_line("Token", token.id, GROUPS[token.id].name, token.info, len(token.payload))
    return _record_token_line(token, len(token.payload))


def header_token_lines(record: Record, settings: Settings) -> list[str]:
    """The tokens that make up a record; under DETAIL with the bytes of ``H``."""
    lines = [_record_token_line(record.frame, record.length)]
    for token in record.tokens:
        lines.append(_inner_token_line(record, token))
        if settings.headertoken is Level.DETAIL and token.id == _HEADER:
            lines += hexdump(_as_logdump_shows(record, token.payload), gutter=settings.header_gutter)
    lines.append(_record_token_line(record.trailer, record.length))
    return lines


def _as_logdump_shows(record: Record, header: bytes) -> bytes:
    """The header with its name zeroed in a trail of 12.2 or later, as Logdump dumps it (transcripts of 21.3)."""
    if record.header.name_is_index or record.is_metadata:
        return header[:HEADER_SIZE] + bytes(len(header) - HEADER_SIZE)
    return header


def ggs_token_lines(record: Record, settings: Settings) -> list[str]:
    """The block of GGS tokens, with the blank line before it; nothing when there are none."""
    payload, gutter = record.payload("T"), settings.dump_gutter
    if not payload:
        return []
    lines = ["", "GGS tokens:"]
    try:
        tokens = record.gg_tokens if settings.ggstoken is not Level.ON else None
    except TrailError:
        tokens = None
    if tokens is None:
        return lines + hexdump(payload, gutter=gutter)
    for token in tokens:
        lines.append(token_line("Token", token.id, token_name(GGS_TOKENS, token.id), token.info, len(token.payload)))
        lines += hexdump(token.payload, gutter=gutter)
    return lines


def user_token_lines(record: Record, settings: Settings) -> list[str]:
    """The block of user tokens, with the blank line before it: names and lengths; under DETAIL names and values."""
    payload = record.payload("U")
    if payload is None:
        return []
    lines = ["", f"User tokens: {len(payload):>4} bytes"]
    try:
        pairs = record.user_tokens
    except TrailError:
        return lines + hexdump(payload, gutter=settings.dump_gutter)
    for name, value in pairs:
        label = escape(name.decode("utf-8", "backslashreplace"))
        if settings.usertoken is Level.DETAIL:
            lines.append(f"{label:<20}: {escape(value.decode('utf-8', 'backslashreplace'))}")
        else:
            lines.append(f"{label:<20}  Length {len(value):>4}")
    return lines


def token_bytes(token: Token, order: ByteOrder) -> bytes:
    """The bytes of a token, its own header included."""
    return build_tokens([token], order)
