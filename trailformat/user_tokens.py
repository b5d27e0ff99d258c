"""User tokens ``U``: NUL-terminated name, NUL-terminated value, repeated; at most 2000 bytes.

The layout is documented only in words; bytes that do not parse so are kept and shown raw.
"""

from __future__ import annotations

import construct as c

from trailformat import layout
from trailformat.errors import BadData, CannotWrite

USER_TOKEN = c.Struct("name" / c.NullTerminated(c.GreedyBytes), "value" / c.NullTerminated(c.GreedyBytes))

UserTokens = tuple[tuple[bytes, bytes], ...]


def parse_user_tokens(data: bytes) -> UserTokens:
    """The pairs that fill ``data``.

    Raises:
        BadData: a name or value is not terminated.
    """
    parsed = layout.parse_all(USER_TOKEN, data, BadData, "user token")
    return tuple((pair.name, pair.value) for pair in parsed)


def build_user_tokens(pairs: UserTokens | list[tuple[bytes, bytes]]) -> bytes:
    """The bytes of the pairs.

    Raises:
        CannotWrite: a name or value holds a NUL.
    """
    if any(b"\0" in text for pair in pairs for text in pair):
        raise CannotWrite("a user token cannot hold a NUL")
    return b"".join(layout.build(USER_TOKEN, {"name": name, "value": value}, "user token") for name, value in pairs)
