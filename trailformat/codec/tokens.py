"""Tokens: the one framing that a trail uses at every level, laid out by ``spec.token``.

The length of ``G`` and ``F`` counts the whole record; every other token's counts the payload alone.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import NamedTuple

from trailformat.codec import layout
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.errors import BadToken

WIDE = 0x40
"""Info bit: the length takes four bytes."""

UNSET = 0xFF
"""Info of a file-header token whose value is not known (its bytes are zero)."""


TokenPlace = tuple[int, int, int]
"""Id of a token, place and size of its payload."""


class Token(NamedTuple):
    """One token: id and info as stored, payload as bytes."""

    id: int
    info: int
    payload: bytes

    @property
    def is_wide(self) -> bool:
        """Whether the length is stored in four bytes."""
        return is_wide(self.info)

    @property
    def is_unset(self) -> bool:
        """Whether info says that the value is not set."""
        return self.info == UNSET

    @property
    def header_size(self) -> int:
        """Bytes before the payload: 4, or 6 when wide."""
        return 6 if self.is_wide else 4


def is_wide(info: int) -> bool:
    """Whether a token with this info has a four-byte length; ``ff`` is the unset mark, not a set of bits."""
    return bool(info & WIDE) and info != UNSET


def make_token(token_id: int | str, payload: bytes = b"", info: int = 0) -> Token:
    """A token; info gains the wide bit when the payload needs it."""
    number = ord(token_id) if isinstance(token_id, str) else token_id
    if len(payload) > 0xFFFF and not is_wide(info):
        info |= WIDE
    return Token(number, info, payload)


def parse_tokens(data: bytes, order: ByteOrder) -> tuple[Token, ...]:
    """The tokens that fill ``data`` exactly.

    Raises:
        BadToken: a token's length runs past the end of ``data``.
    """
    short, long, start, stop = _SHORT[order].unpack_from, _LONG[order].unpack_from, 0, len(data)
    tokens: list[Token] = []
    while start + 4 <= stop and len(tokens) < layout.MOST:
        token, info, size = short(data, start)
        at = start + 4
        if info & WIDE and info != UNSET:
            if start + 6 > stop:
                break
            at, size = start + 6, long(data, start + 2)[0]
        if at + size > stop:
            break
        start = at + size
        tokens.append(Token(token, info, data[at:start]))
    # where it goes wrong, the layout says at which byte, and how
    return tuple(tokens) if start == stop else (*tokens, *tokens_by_layout(data, order, start, len(tokens)))


def tokens_by_layout(data: bytes, order: ByteOrder, start: int = 0, number: int = 0) -> Iterator[Token]:
    """The same as the layout has them, twenty times as slow, from an offset on, which ``number`` of them stand before.

    Raises like parse_tokens.
    """
    from trailformat import spec

    for token in layout.parse_all(spec.token(order.value), data, BadToken, "token", start, number):
        yield Token(token.id, token.info, token.payload)


_SHORT = {order: struct.Struct(order.value + "BBH") for order in ByteOrder}
_LONG = {order: struct.Struct(order.value + "I") for order in ByteOrder}


def token_places(buffer: memoryview | Source, start: int, stop: int, order: ByteOrder) -> Iterator[TokenPlace]:
    """The place of each token from ``start`` to ``stop``: the fast twin of the layout.

    Raises:
        BadToken: as parse_tokens.
    """
    short, long = _SHORT[order].unpack, _LONG[order].unpack
    for _ in range(layout.MOST):
        if start == stop:
            return
        if start + 4 > stop:
            break
        token, info, size = short(buffer[start : start + 4])
        at = start + 4
        if info & WIDE and info != UNSET:
            if start + 6 > stop:
                break
            at, size = start + 6, long(buffer[start + 2 : start + 6])[0]
        if at + size > stop:
            break
        yield token, at, size
        start = at + size
    if start != stop:
        raise BadToken("token does not fit into the bytes around it", expected=f"at most {stop - start} bytes")


def build_token(token: Token, order: ByteOrder) -> bytes:
    """The bytes of one token.

    Raises:
        CannotWrite: the payload is too long for the token's length field.
    """
    from trailformat import spec

    what = f"token x{token.id:02x} of {len(token.payload)} bytes"
    return layout.build(spec.token(order.value), token._asdict(), what)


def build_tokens(tokens: tuple[Token, ...] | list[Token], order: ByteOrder) -> bytes:
    """The bytes of tokens, one after the other."""
    return b"".join(build_token(token, order) for token in tokens)
