"""The width of text on a terminal: wide characters take two columns, combining ones none."""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache

_WIDE = frozenset("WF")
_CUT = "…"
GAP = 2
"""Blanks between the columns of a table."""


def display_width(text: str) -> int:
    """The columns that ``text`` takes; control characters must be escaped already."""
    return len(text) if text.isascii() else sum(map(_width, text))


@lru_cache(maxsize=1 << 12)
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


def cut_in_the_middle(text: str, width: int, mark: str = _CUT) -> str:
    """Return ``text`` in at most ``width`` columns: its beginning and its end, with a mark of one column between."""
    if display_width(text) <= width:
        return text
    tail_width = max(0, width - 1) // 2
    return _head(text, width - 1 - tail_width) + mark[:width] + _head(text[::-1], tail_width)[::-1]


def _head(text: str, width: int) -> str:
    """Return the leading characters that fit into ``width`` columns."""
    if text.isascii():
        return text[: max(width, 0)]
    taken = 0
    for at, character in enumerate(text):
        taken += _width(character)
        if taken > width:
            return text[:at]
    return text


def widths_of(rows: Sequence[Sequence[str]]) -> list[int]:
    """The width of each column of a table."""
    return [max(map(display_width, cells)) for cells in zip(*rows, strict=True)]


def aligned(rows: Sequence[Sequence[str]], at_the_right: Collection[int] = ()) -> Iterator[str]:
    """The lines of a table, its columns as wide as their widest cells; those ``at_the_right`` end in line."""
    widths = widths_of(rows)
    for row in rows:
        cells = []
        for at, (cell, width) in enumerate(zip(row, widths, strict=True)):
            blanks = " " * (width - display_width(cell))
            cells.append(blanks + cell if at in at_the_right else cell + blanks)
        yield (" " * GAP).join(cells).rstrip()
