"""Tokens: the one framing that a trail uses at every level, laid out by ``spec.token``.

The length of ``G`` and ``F`` counts the whole record; every other token's counts the payload alone.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from trailformat.codec import layout
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileBytes, Source
from trailformat.errors import BadToken

RECORD_TOKENS = {
    "G": "Record Header",
    "F": "File Header",
    "H": "GHDR",
    "D": "Data",
    "T": "GGS Tokens",
    "U": "User Tokens",
    "Z": "Record Trailer",
}

GGS_TOKENS = {
    "R": "ORAROWID",
    "L": "LOGCSN",
    "6": "TRANID",
    "t": "ORATAG",
    "D": "DDL",
}

ROWID, LOGCSN, TRANID = b"RL6"
"""Ids of GGS tokens that the code reads."""


def token_name(table: dict[str, str], token_id: int) -> str:
    """Return the name of an id, "" for an unknown one."""
    return table.get(chr(token_id), "")


WIDE = 0x40
"""Info bit: the length takes four bytes."""
INFO_AT, LENGTH_AT = 1, 2
"""Where info and length of a token are, in front of its payload."""
NARROW_HEAD, WIDE_HEAD = 4, 6
"""Bytes of a token in front of its payload, where its length takes two bytes and where it takes four."""
MOST_NARROW = 0xFFFF
"""The greatest length of two bytes."""

UNSET = 0xFF
"""Info of a file-header token whose value is not known (its bytes are zero)."""


TokenPlace = tuple[int, int, int, int]
"""Id and info of a token, place and size of its payload: a :class:`TokenPart` without its names."""


class TokenPart(NamedTuple):
    """A token by its place: the offset of its payload from where the walk counts, and the size of that."""

    id: int
    info: int
    at: int
    size: int

    @property
    def start(self) -> int:
        """The offset of the token itself."""
        return self.at - head_size(self.info)


class Token(NamedTuple):
    """One token: id and info as stored, payload as bytes."""

    id: int
    info: int
    payload: bytes

    @property
    def is_wide(self) -> bool:
        """True if the length is stored in four bytes."""
        return is_wide(self.info)

    @property
    def is_unset(self) -> bool:
        """True if info marks the value as not set."""
        return self.info == UNSET

    @property
    def header_size(self) -> int:
        """Bytes before the payload: 4, or 6 when wide."""
        return head_size(self.info)


def is_wide(info: int) -> bool:
    """Return True if a token with this info has a four-byte length; ``ff`` is the unset mark, not a set of bits."""
    return bool(info & WIDE) and info != UNSET


def head_size(info: int) -> int:
    """Bytes before the payload of a token with this info."""
    return WIDE_HEAD if is_wide(info) else NARROW_HEAD


def make_token(token_id: int | str, payload: bytes = b"", info: int = 0) -> Token:
    """A token; info gains the wide bit when the payload needs it."""
    number = ord(token_id) if isinstance(token_id, str) else token_id
    if len(payload) > MOST_NARROW and not is_wide(info):
        info |= WIDE
    return Token(number, info, payload)


TOKENS = {order: struct.Struct(order.value + "BBH").unpack_from for order in ByteOrder}
"""Readers of id, info and a length of two bytes."""
_LONG = {order: struct.Struct(order.value + "I").unpack_from for order in ByteOrder}
_WIDER = WIDE_HEAD - NARROW_HEAD


def length_at(buffer: Source, at: int, order: ByteOrder) -> tuple[int, int]:
    """Return the length of the token at ``at``, and the number of bytes before its payload."""
    size = head_size(buffer[at + INFO_AT])
    return int.from_bytes(buffer[at + LENGTH_AT : at + size], order.word), size


def walk_tokens(
    buffer: memoryview | Source, start: int, stop: int, order: ByteOrder, origin: int = 0, most: int = layout.MOST
) -> tuple[list[TokenPlace], int]:
    """Return the tokens from ``start`` to ``stop``, at most ``most``, by offset from ``origin``; and their end.

    They fill the bytes if that is ``stop``; where it is greater, the last of them runs past ``stop``.
    """
    head = TOKENS[order]
    piece, base = buffer.around(start) if isinstance(buffer, FileBytes) else (buffer, 0)
    at, end, last, shift = start - base, stop - base - NARROW_HEAD, len(piece) - WIDE_HEAD, base - origin
    places: list[TokenPlace] = []
    while at <= end and len(places) < most:
        if at > last and isinstance(buffer, FileBytes):
            piece, moved = buffer.around(at + base)
            at, end, last, base, shift = (
                at + base - moved,
                end + base - moved,
                len(piece) - WIDE_HEAD,
                moved,
                moved - origin,
            )
        token, info, length = head(piece, at)
        if info & WIDE and info != UNSET:
            if at + _WIDER > end:
                break
            length = _LONG[order](piece, at + LENGTH_AT)[0]
            at += _WIDER
        at += NARROW_HEAD
        places.append((token, info, at + shift, length))
        at += length
    return places, at + base


def token_places(buffer: memoryview | Source, start: int, stop: int, order: ByteOrder) -> list[TokenPlace]:
    """The tokens that fill the bytes from ``start`` to ``stop``, by their places.

    Raises:
        BadToken: a token's length runs past ``stop``.
    """
    places, end = walk_tokens(buffer, start, stop, order)
    if end != stop:
        raise BadToken("token does not fit into the bytes around it", expected=f"at most {stop - start} bytes")
    return places


def parse_tokens(data: bytes, order: ByteOrder) -> tuple[Token, ...]:
    """The tokens that fill ``data`` exactly.

    Raises:
        BadToken: a token's length runs past the end of ``data``; where, and how, is said.
    """
    places, end = walk_tokens(data, 0, len(data), order)
    if end != len(data):
        from trailformat import spec

        # the layout reports the offset and the contents of the error
        list(layout.parse_all(spec.token(order.value), data, BadToken, "token"))
    return tuple([Token(token, info, data[at : at + size]) for token, info, at, size in places])


def build_token(token: Token, order: ByteOrder) -> bytes:
    """Return the bytes of one token.

    Raises:
        CannotWrite: the payload is too long for the token's length field.
    """
    from trailformat import spec

    what = f"token x{token.id:02x} of {len(token.payload)} bytes"
    return layout.build(spec.token(order.value), token._asdict(), what)


def build_tokens(tokens: tuple[Token, ...] | list[Token], order: ByteOrder) -> bytes:
    """The bytes of tokens, one after the other."""
    return b"".join(build_token(token, order) for token in tokens)
