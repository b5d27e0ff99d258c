"""Text from a trail, made harmless: control characters never reach a terminal."""

from __future__ import annotations

from typing import NewType

Harmless = NewType("Harmless", str)
"""Printable characters alone, as :func:`escape` makes them: a terminal and a session log take nothing else."""


def escape(text: str) -> Harmless:
    r"""``text`` with every char that is not printable written as ``\xNN`` or ``\uNNNN``."""
    if text.isprintable():
        return Harmless(text)
    return Harmless("".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text))
