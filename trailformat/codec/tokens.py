"""Tokens: the framing of a trail at every level, laid out by ``spec.token``.

The length of ``G`` and ``F`` is that of the whole record; the length of any other token is that of its payload.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import FileBytes, Source
from trailformat.codec.on_demand import on_demand
from trailformat.errors import BadToken

with on_demand:
    from trailformat import spec
    from trailformat.codec import layout

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


def is_known(token_id: int) -> bool:
    """Return True if the meaning of a GGS token is known."""
    return chr(token_id) in GGS_TOKENS


def token_name(table: dict[str, str], token_id: int) -> str:
    """Return the name of an id; "" if unknown."""
    return table.get(chr(token_id), "")


WIDE = 0x40
"""Info bit: the length takes four bytes."""
INFO_AT, LENGTH_AT = 1, 2
"""Offsets of info and length in a token."""
NARROW_HEAD, WIDE_HEAD = 4, 6
"""Number of bytes of a token before its payload, with a length of two and of four bytes."""
MOST_NARROW = 0xFFFF
"""The greatest length that two bytes hold."""
MOST_PARTS = 1 << 16
"""Maximum number of tokens or columns side by side: column indexes have 16 bits."""

UNSET = 0xFF
"""Info of a file header token whose value is not set (its bytes are zero)."""


TokenPlace = tuple[int, int, int, int]
"""Id, info, payload offset and payload size of a token: a :class:`TokenPart` without names."""


class TokenPart(NamedTuple):
    """A token by its place: the offset of its payload from the origin of the walk, and the payload's size."""

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
        """Number of bytes before the payload: 4, or 6 if wide."""
        return head_size(self.info)


def is_wide(info: int) -> bool:
    """Return True if a token with this info has a four-byte length; ``ff`` is the unset mark, not a set of bits."""
    return bool(info & WIDE) and info != UNSET


def head_size(info: int) -> int:
    """Return the number of bytes before the payload of a token with this info."""
    return WIDE_HEAD if is_wide(info) else NARROW_HEAD


def make_token(token_id: int | str, payload: bytes = b"", info: int = 0) -> Token:
    """Return a token; info gets the wide bit if the payload needs it."""
    number = ord(token_id) if isinstance(token_id, str) else token_id
    if len(payload) > MOST_NARROW and not is_wide(info):
        info |= WIDE
    return Token(number, info, payload)


TOKENS = {order: struct.Struct(order.value + "BBH").unpack_from for order in ByteOrder}
"""Readers of id, info and a two-byte length."""
_LONG = {order: struct.Struct(order.value + "I").unpack_from for order in ByteOrder}
_WIDER = WIDE_HEAD - NARROW_HEAD


def length_at(buffer: Source, offset: int, order: ByteOrder) -> tuple[int, int]:
    """Return the length of the token at ``offset``, and the number of bytes before its payload."""
    size = head_size(buffer[offset + INFO_AT])
    return int.from_bytes(buffer[offset + LENGTH_AT : offset + size], order.word), size


def walk_tokens(
    buffer: memoryview | Source, start: int, stop: int, order: ByteOrder, origin: int = 0, most: int = MOST_PARTS
) -> tuple[list[TokenPlace], int]:
    """Return the tokens from ``start`` to ``stop``, at most ``most``, by offset from ``origin``; and their end.

    The tokens fill the bytes if their end is ``stop``; if it is greater, the last one runs past ``stop``.
    """
    head = TOKENS[order]
    piece, base = buffer.around(start) if isinstance(buffer, FileBytes) else (buffer, 0)
    offset, end, last, shift = start - base, stop - base - NARROW_HEAD, len(piece) - WIDE_HEAD, base - origin
    places: list[TokenPlace] = []
    while offset <= end and len(places) < most:
        if offset > last and isinstance(buffer, FileBytes):
            piece, moved = buffer.around(offset + base)
            offset, end, last, base, shift = (
                offset + base - moved,
                end + base - moved,
                len(piece) - WIDE_HEAD,
                moved,
                moved - origin,
            )
        token, info, length = head(piece, offset)
        if info & WIDE and info != UNSET:
            if offset + _WIDER > end:
                break
            length = _LONG[order](piece, offset + LENGTH_AT)[0]
            offset += _WIDER
        offset += NARROW_HEAD
        places.append((token, info, offset + shift, length))
        offset += length
    return places, offset + base


def token_places(buffer: memoryview | Source, start: int, stop: int, order: ByteOrder) -> list[TokenPlace]:
    """Return the places of the tokens that fill the bytes from ``start`` to ``stop``.

    Raises:
        BadToken: a token's length runs past ``stop``.
    """
    places, end = walk_tokens(buffer, start, stop, order)
    if end != stop:
        raise BadToken("token does not fit into the bytes around it", expected=f"at most {stop - start} bytes")
    return places


def parse_tokens(data: bytes, order: ByteOrder) -> tuple[Token, ...]:
    """Return the tokens that fill ``data`` exactly.

    Raises:
        BadToken: a token's length runs past the end of ``data``; the error has its offset.
    """
    places, end = walk_tokens(data, 0, len(data), order)
    if end != len(data):
        # the layout reports the offset and the contents of the error
        list(layout.parse_all(spec.token(order.value), data, BadToken, "token", most=MOST_PARTS))
    return tuple([Token(token, info, data[start : start + size]) for token, info, start, size in places])


def build_token(token: Token, order: ByteOrder) -> bytes:
    """Return the bytes of one token.

    Raises:
        CannotWrite: the payload is too long for the token's length field.
    """
    what = f"token x{token.id:02x} of {len(token.payload)} bytes"
    return layout.build(spec.token(order.value), token._asdict(), what)


def build_tokens(tokens: tuple[Token, ...] | list[Token], order: ByteOrder) -> bytes:
    """Return the bytes of consecutive tokens."""
    return b"".join(build_token(token, order) for token in tokens)
