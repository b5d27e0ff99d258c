"""Text from a trail, made harmless: control characters never reach a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NewType, cast

Harmless = NewType("Harmless", str)
"""Printable characters alone, as :func:`escape` makes them: a terminal and a session log take nothing else."""

_PLAIN = bytes((ord("\n"), *range(0x20, 0x7F)))
"""Printable ASCII, and the line feed."""


def escape(text: str) -> Harmless:
    r"""``text`` with every char that is not printable written as ``\xNN`` or ``\uNNNN``."""
    if text.isprintable():
        return Harmless(text)
    return Harmless("".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text))


def ascii_json(text: str) -> Harmless:
    r"""JSON in ASCII, a line or some with line feeds between them: it has ``\u001b`` for what is not printable."""
    return Harmless(text)


def escape_lines(lines: Iterable[str]) -> list[Harmless]:
    """Escape lines; if none needs it, one look at all of them shows that."""
    shown = list(lines)
    return cast("list[Harmless]", shown) if "".join(shown).isprintable() else list(map(escape, shown))


def escape_block(data: bytes) -> Harmless:
    """Lines in UTF-8 with line feeds between them, each escaped, as one text."""
    text = data.decode()
    if data.translate(None, _PLAIN).decode().isprintable():
        return Harmless(text)
    return Harmless("\n".join(escape_lines(text.split("\n"))))
