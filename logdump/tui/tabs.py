"""The line above the lower pane: its pages, the one that is shown in brackets, and how much of it is visible."""

from __future__ import annotations

from typing import NamedTuple

from logdump.tui.glyphs import Glyphs
from logdump.tui.text import Piece


class Tab(NamedTuple):
    """One page: the widget's name, its key and its title."""

    name: str
    key: str
    title: str


TABS = (
    Tab("detail", "d", "detail"),
    Tab("hex", "h", "hex"),
    Tab("tokens", "o", "tokens"),
    Tab("header", "i", "file header"),
)


def tab_pieces(shown: str, where: str, glyphs: Glyphs, width: int) -> tuple[Piece, ...]:
    """The line in ``width`` cells; ``where`` stands at its end."""
    rule = glyphs.rule
    pieces: list[Piece] = [(rule, "dim")]
    if shown == "output":
        pieces += [("[output] ", "strong"), ("Esc goes back ", "dim")]
    else:
        for tab in TABS:
            text = f"{tab.key} {tab.title}"
            pieces.append((f"[{text}]", "strong") if tab.name == shown else (f" {text} ", ""))
            pieces.append((rule, "dim"))
    end = f" {where} {rule}" if where else ""
    used = sum(len(text) for text, _ in pieces)
    pieces.append((rule * max(0, width - used - len(end)), "dim"))
    return (*pieces, (end, "dim"))
