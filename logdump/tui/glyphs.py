"""The few characters that are more than text, and what stands for them where the terminal has ASCII only."""

from __future__ import annotations

from typing import NamedTuple


class Glyphs(NamedTuple):
    """``transaction`` holds a glyph for each TransInd: begin, middle, end, only."""

    cursor: str
    transaction: str
    rule: str
    thumb: str
    track: str
    cut: str
    divider: str
    bars: str


UNICODE = Glyphs("▶", "┌│└─", "─", "┃", "│", "…", "│", "▁▂▃▄▅▆▇█")
ASCII = Glyphs(">", "/|\\-", "-", "#", ":", "~", "|", "_.-=*#")


def glyphs_for(encoding: str) -> Glyphs:
    """The set that an encoding can write."""
    try:
        "".join(UNICODE).encode(encoding)
    except (LookupError, UnicodeError):
        return ASCII
    return UNICODE
