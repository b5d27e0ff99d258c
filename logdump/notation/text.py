"""Text for people: control characters made harmless, display width, plurals, wildcards, where two texts differ."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import AnyStr, NewType, cast

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


def first_difference(a: AnyStr, b: AnyStr) -> int:
    """The index of the first character or byte that differs, by halving: records may have a gigabyte."""
    low, high = 0, min(len(a), len(b))
    while low < high:
        middle = (low + high + 1) // 2
        if a[low:middle] == b[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def around_difference(a: str, b: str, most: int, cut: str) -> tuple[str, str]:
    """Return two texts shortened to ``most`` characters around their first difference; ``cut`` marks omissions."""
    if max(len(a), len(b)) <= most:
        return a, b
    start = max(0, first_difference(a, b) - most // 4)
    return _from(a, start, most, cut), _from(b, start, most, cut)


def _from(text: str, start: int, most: int, cut: str) -> str:
    shown = (cut if start else "") + text[start:]
    return shown if len(shown) <= most else shown[: most - 1] + cut


def amount(number: int, noun: str) -> str:
    """Return ``1 record``, ``2 records``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def size_text(size: int) -> str:
    """Bytes in three digits or so."""
    value, unit = float(size), "B"
    for unit in ("B", "KB", "MB", "GB"):
        if value < 1024 or unit == "GB":
            break
        value /= 1024
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"


def matches(pattern: str, name: str, *, case_sensitive: bool) -> bool:
    """Return True if ``pattern`` matches all of ``name``; steps grow at most with the product of the two lengths."""
    return _compile(pattern, case_sensitive=case_sensitive).fullmatch(name) is not None


def name_test(pattern: str | None) -> Callable[[str], bool] | None:
    """The test whether a name fits, in letters of either case; None where there is no pattern, and all names do."""
    return None if pattern is None else lambda name: matches(pattern, name, case_sensitive=False)


@lru_cache(maxsize=256)
def _compile(pattern: str, *, case_sensitive: bool) -> re.Pattern[str]:
    """Return a regular expression that never backtracks over an earlier ``*``: each takes the first match for good.

    No match is lost, since what matches after a later place also matches after the first one.
    """
    first, *others = (_literal(part) for part in re.sub(r"\*+", "*", pattern).split("*"))
    expression = first
    if others:
        *middle, last = others
        expression += "".join(f"(?>.*?{part})" for part in middle) + f".*{last}"
    return re.compile(expression, re.DOTALL if case_sensitive else re.DOTALL | re.IGNORECASE)


def _literal(part: str) -> str:
    return ".".join(re.escape(text) for text in part.split("?"))


_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9A-Fa-f]{1,16}|[0-9]{1,20}|[0-9]{1,3}(?:,[0-9]{3}){1,6})")


def whole_number(text: str) -> int | None:
    """The number that all of ``text`` is, hexadecimal after ``0x``; None where it is none.

    Commas may separate groups of three digits: GoldenGate's messages print RBAs so (``rba 483,188,832``).
    """
    if not _NUMBER.fullmatch(text):
        return None
    return int(text.replace(",", ""), 16 if "x" in text.lower() else 10)


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
