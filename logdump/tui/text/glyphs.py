"""The few characters that are more than text, and what stands for them where the terminal has ASCII only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Glyphs(NamedTuple):
    """``transaction`` holds a glyph for each place in one: first, middle, last, only; ``restart`` is that of a restart.

    ``spans`` are those of a transaction over time: possibly open, open, written to disk.
    """

    cursor: str
    transaction: str
    restart: str
    rule: str
    thumb: str
    track: str
    cut: str
    divider: str
    bars: str
    spans: str

    @property
    def has_unicode(self) -> bool:
        """Whether the terminal shows more than ASCII."""
        return not self.cut.isascii()


UNICODE = Glyphs("▶", "┌│└─", "\u2573", "─", "┃", "│", "…", "│", "▁▂▃▄▅▆▇█", "·─█")
ASCII = Glyphs(">", "/|\\-", "x", "-", "#", ":", "~", "|", "_.-=*#", ".-#")


def glyphs_for(environment: Mapping[str, str], encoding: str) -> Glyphs:
    """The set that an encoding can write; LOGDUMP_ASCII=1 asks for the plain one."""
    if environment.get("LOGDUMP_ASCII", "0") not in ("", "0"):
        return ASCII
    try:
        "".join(UNICODE).encode(encoding)
    except (LookupError, UnicodeError):
        return ASCII
    return UNICODE
