"""Token lines, the HEADERTOKEN block, GGS tokens and user tokens.

TokenID x4c 'L' LOGCSN           Info x00  Length   37
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from logdump.notation.hexdump import hexdump
from logdump.notation.text import Harmless, cut_in_the_middle, escape
from logdump.session.settings import Level, Settings
from trailformat import Record, Token, TrailError
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.tokens import GGS_TOKENS, RECORD_TOKENS, build_tokens, token_name
from trailformat.records.file_header import GROUPS
from trailformat.records.record import UserTokens
from trailformat.records.record_header import HEADER_SIZE

_MOST_DUMPED = 1 << 16
"""Maximum number of bytes of user tokens in a dump; GoldenGate writes at most 2000."""
_MOST_IN_LINE = 8
_LONGEST_IN_LINE = 32
"""Maximum number of user tokens on a line, and width of a name or value in it."""
_HEADER = ord("H")


@lru_cache(maxsize=4096)
def token_line(kind: str, token_id: int, name: str, info: int, length: int) -> Harmless:
    """Return the line of one token; ``kind`` is ``Token`` or ``Group``."""
    shown = chr(token_id) if 0x20 < token_id < 0x7F else "."
    return escape(f"{kind}ID x{token_id:02x} '{shown}' {name:<16} Info x{info:02x}  Length {length:>4}")


def _record_token_line(token_id: int, info: int, length: int) -> Harmless:
    return token_line("Token", token_id, token_name(RECORD_TOKENS, token_id), info, length)


def _inner_token_line(record: Record, token_id: int, info: int, size: int) -> Harmless:
    if record.is_file_header and token_id in GROUPS:
        return token_line("Token", token_id, GROUPS[token_id].name, info, size)
    return _record_token_line(token_id, info, size)


def header_token_lines(record: Record, settings: Settings) -> list[Harmless]:
    """Return the lines of a record's tokens; under DETAIL with the bytes of ``H``."""
    lines = [_record_token_line(record.frame.id, record.frame.info, record.length)]
    for part in record.parts:
        lines.append(_inner_token_line(record, part.id, part.info, part.size))
        if settings.headertoken is Level.DETAIL and part.id == _HEADER:
            header = record.cut(part.at, part.at + part.size)
            lines += hexdump(_as_logdump_shows(record, header), gutter=settings.header_gutter)
    lines.append(_record_token_line(record.trailer.id, record.trailer.info, record.length))
    return lines


def _as_logdump_shows(record: Record, header: bytes) -> bytes:
    """Return the header; in a trail of 12.2 or later its name is zeroed, as Logdump dumps it (transcripts of 21.3)."""
    if record.header.name_is_index or record.is_metadata:
        return header[:HEADER_SIZE] + bytes(len(header) - HEADER_SIZE)
    return header


def ggs_token_lines(record: Record, settings: Settings) -> list[Harmless]:
    """Return the block of GGS tokens, with the blank line before it; empty without tokens."""
    payload, gutter = record.payload("T"), settings.dump_gutter
    if not payload:
        return []
    lines = [escape(""), escape("GGS tokens:")]
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


def user_token_lines(record: Record, settings: Settings) -> list[Harmless]:
    """Return the block of user tokens, with the blank line before it: names and lengths, or values under DETAIL."""
    part, gutter = record.part("U"), settings.dump_gutter
    if part is None:
        return []
    lines = [escape(""), escape(f"User tokens: {part.size:>4} bytes")]
    try:
        pairs = record.user_tokens
    except TrailError:
        return lines + hexdump(record.head("U", _MOST_DUMPED), gutter=gutter)
    for name, value in pairs:
        label = escape(name.decode("utf-8", "backslashreplace"))
        if settings.usertoken is Level.DETAIL:
            lines.append(escape(f"{label:<20}: {value.decode('utf-8', 'backslashreplace')}"))
        else:
            lines.append(escape(f"{label:<20}  Length {len(value):>4}"))
    return lines


def user_tokens_text(pairs: UserTokens, spell: Callable[[str], str] = str) -> str:
    """Return ``TKN-HOST=samovar, TKN-USER=otto``, with ``spell`` applied to names and values."""
    texts = (tuple(spell(text.decode("utf-8", "backslashreplace")) for text in pair) for pair in pairs)
    return ", ".join(f"{name}={value}" for name, value in texts)


def short_user_tokens(pairs: UserTokens | None, cut: str = "…") -> Harmless:
    """Return the first user tokens, long names and values cut in the middle; ``pairs`` is None if undecodable."""
    if pairs is None:
        return Harmless("user tokens do not decode")
    shown = user_tokens_text(pairs[:_MOST_IN_LINE], lambda text: cut_in_the_middle(escape(text), _LONGEST_IN_LINE, cut))
    return escape(f"{shown}, {cut}" if len(pairs) > _MOST_IN_LINE else shown)


def token_bytes(token: Token, order: ByteOrder) -> bytes:
    """Return the bytes of a token, its own header included."""
    return build_tokens([token], order)
