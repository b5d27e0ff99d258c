"""The width of text on a terminal: wide characters take two columns, combining ones none."""

from __future__ import annotations

import unicodedata

_WIDE = frozenset("WF")
_CUT = "…"


def display_width(text: str) -> int:
    """The columns that ``text`` takes; control characters must be escaped already."""
    return len(text) if text.isascii() else sum(map(_width, text))


def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def cut_to(text: str, width: int) -> str:
    """``text`` as far as it fits into ``width`` columns, an ellipsis in the last one when it does not."""
    if display_width(text) <= width:
        return text
    kept, taken = [], 1
    for character in text:
        taken += _width(character)
        if taken > width:
            break
        kept.append(character)
    return "".join(kept) + _CUT


def padded(text: str, width: int) -> str:
    """``text`` filled up with blanks to ``width`` columns."""
    return text + " " * (width - display_width(text))
