"""User tokens ``U``: NUL-terminated name, NUL-terminated value, repeated; at most 2000 bytes.

The layout is documented only in words; bytes that do not parse so are kept and shown raw.
"""

from __future__ import annotations

from trailformat.codec import layout
from trailformat.errors import BadData, CannotWrite

UserTokens = tuple[tuple[bytes, bytes], ...]


def parse_user_tokens(data: bytes) -> UserTokens:
    """The pairs that fill ``data``.

    Raises:
        BadData: a name or value is not terminated.
    """
    texts = data.split(b"\0")
    if texts.pop() or len(texts) % 2:
        raise BadData("user token is not terminated", expected="pairs of NUL-terminated name and value")
    return tuple(zip(texts[::2], texts[1::2], strict=True))


def build_user_tokens(pairs: UserTokens | list[tuple[bytes, bytes]]) -> bytes:
    """The bytes of the pairs.

    Raises:
        CannotWrite: a name or value holds a NUL.
    """
    if any(b"\0" in text for pair in pairs for text in pair):
        raise CannotWrite("a user token cannot hold a NUL")
    from trailformat import spec

    return layout.build(spec.USER_TOKENS, [{"name": name, "value": value} for name, value in pairs], "user tokens")
