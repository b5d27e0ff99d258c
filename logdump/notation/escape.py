"""Text from a trail, made harmless: control characters never reach a terminal."""

from __future__ import annotations

from typing import NewType

Harmless = NewType("Harmless", str)
"""Printable characters alone, as :func:`escape` makes them: a terminal and a session log take nothing else."""


def escape(text: str) -> Harmless:
    r"""``text`` with every character that is not printable written as ``\xNN`` or ``\uNNNN``."""
    if text.isprintable():
        return Harmless(text)
    return Harmless("".join(one if one.isprintable() else one.encode("unicode_escape").decode() for one in text))
