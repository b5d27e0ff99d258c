"""Text from a trail, made harmless: control characters never reach a terminal."""

from __future__ import annotations


def escape(text: str) -> str:
    r"""``text`` with every character that is not printable written as ``\xNN`` or ``\uNNNN``."""
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text)
