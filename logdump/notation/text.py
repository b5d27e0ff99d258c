"""Text for display: escapes of control characters, display width, plurals, wildcards, differences of two texts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import AnyStr, NewType, cast

_WIDE = frozenset("WF")
_CUT = "…"
_NAME_SHOWN = 80
_ABSENT = "-"
GAP = 2
"""Blanks between the columns of a table."""


def display_width(text: str) -> int:
    """Return the terminal columns that ``text`` takes; control characters must be escaped already."""
    return len(text) if text.isascii() else sum(map(_width, text))


@lru_cache(maxsize=1 << 12)
def _width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def cut_to(text: str, width: int) -> str:
    """Return ``text`` cut to ``width`` columns, with an ellipsis in the last one if it does not fit."""
    return text if display_width(text) <= width else _head(text, width - 1) + _CUT


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
    columns = 0
    for index, character in enumerate(text):
        columns += _width(character)
        if columns > width:
            return text[:index]
    return text


def widths_of(rows: Sequence[Sequence[str]]) -> list[int]:
    """Return the width of each column of a table."""
    return [max(map(display_width, cells)) for cells in zip(*rows, strict=True)]


def aligned(rows: Sequence[Sequence[str]], at_the_right: Collection[int] = ()) -> Iterator[str]:
    """Yield the lines of a table, its columns as wide as their widest cells; ``at_the_right`` are right-aligned."""
    widths = widths_of(rows)
    sides = [">" if column in at_the_right else "<" for column in range(len(widths))]
    line = (" " * GAP).join(f"{{:{side}{width}}}" for side, width in zip(sides, widths, strict=True)).format
    for row in rows:
        if all(map(str.isascii, row)):
            yield line(*row).rstrip()
            continue
        blanks = [" " * (width - display_width(cell)) for cell, width in zip(row, widths, strict=True)]
        cells = zip(sides, row, blanks, strict=True)
        yield (" " * GAP).join(blank + cell if side == ">" else cell + blank for side, cell, blank in cells).rstrip()


def first_difference(a: AnyStr, b: AnyStr) -> int:
    """Return the index of the first character or byte that differs, by binary search: records may have a gigabyte."""
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


def some_of(names: Sequence[str], most: int) -> str:
    """Return at most ``most`` names, and how many more there are: ``a, b and 3 more``."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return f"{', '.join(names[:most])}{more}"


def size_text(size: int) -> str:
    """Return a size in B, KB, MB or GB, with a decimal below 100 (``1.5 MB``)."""
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
    """Return a test whether a name matches, ignoring case; None without a pattern, when all names match."""
    return None if pattern is None else lambda name: matches(pattern, name, case_sensitive=False)


@lru_cache(maxsize=256)
def _compile(pattern: str, *, case_sensitive: bool) -> re.Pattern[str]:
    """Return a regular expression that never backtracks over an earlier ``*``: each keeps its first match.

    No match is lost: text that matches after a later position also matches after the first one.
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
    """Return the number that ``text`` consists of, hexadecimal after ``0x``; None if it is not a number.

    Commas may separate groups of three digits, as in RBAs of GoldenGate's messages (``rba 483,188,832``).
    """
    if not _NUMBER.fullmatch(text):
        return None
    return int(text.replace(",", ""), 16 if "x" in text.lower() else 10)


Harmless = NewType("Harmless", str)
"""Text of printable characters only, from :func:`escape`: nothing else is written to a terminal or session log."""

_PLAIN = bytes((ord("\n"), *range(0x20, 0x7F)))
"""Printable ASCII, and the line feed."""


def escape(text: str) -> Harmless:
    r"""Return ``text`` with every character that is not printable written as ``\xNN`` or ``\uNNNN``."""
    if text.isprintable():
        return Harmless(text)
    return Harmless("".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text))


def as_field(text: str | None) -> str:
    """Return a text as one field: ``-`` if it is empty, in quotes if it has a blank."""
    shown = escape(text or _ABSENT)
    return f'"{shown}"' if any(map(str.isspace, shown)) else shown


_TOO_LONG = 256
"""Characters of a word that is no name of a file on any common system."""
_NAME = re.compile(r'[^/\s"\\{}\[\],;]{256,}')


def cut_names(line: Harmless) -> Harmless:
    """Return a line of a message with words that are too long for a name cut in the middle."""
    if len(line) < _TOO_LONG:
        return line
    return Harmless(_NAME.sub(lambda match: cut_in_the_middle(match[0], _NAME_SHOWN), line))


_DEEPER = 4
"""Columns by which the rest of a wrapped line is indented more than its beginning."""


def wrapped(line: Harmless, width: int, margin: int | None = None) -> Iterator[Harmless]:
    """Yield a line in parts of at most ``width`` columns, broken between words; a longer word is a part of its own.

    ``margin`` is the number of columns by which the parts after the first one are indented; None: four more than that.
    """
    if display_width(line) <= width:
        yield line
        return
    indent = len(line) - len(line.lstrip(" "))
    part, room = line[:indent], max(width, _DEEPER + 1)
    before = " " * min(indent + _DEEPER if margin is None else margin, room // 2)
    for word in _words(line[indent:], room - len(before)):
        if part.strip() and display_width(part + word.rstrip(" ")) > room:
            yield Harmless(part.rstrip(" "))
            part = before
        part += word
    yield Harmless(part.rstrip(" "))


def _words(text: str, room: int) -> Iterator[str]:
    """Yield the words of a text with the blanks after them; a number stays with the word before it if both fit."""
    for both in re.findall(r"\S+(?: \d\S*)? *", text):
        yield from (both,) if display_width(both.rstrip(" ")) <= room else re.findall(r"\S+ *", both)


def ascii_json(text: str) -> Harmless:
    r"""Return one or more lines of ASCII JSON as harmless: in it, unprintable characters are like ``\u001b``."""
    return Harmless(text)


def escape_lines(lines: Iterable[str]) -> list[Harmless]:
    """Escape lines; one check of all of them shows if none needs it."""
    shown = list(lines)
    return cast("list[Harmless]", shown) if "".join(shown).isprintable() else list(map(escape, shown))


def escape_block(data: bytes) -> Harmless:
    """Return UTF-8 lines, separated by line feeds, each escaped, as one text."""
    text = data.decode()
    if data.translate(None, _PLAIN).decode().isprintable():
        return Harmless(text)
    return Harmless("\n".join(escape_lines(text.split("\n"))))


def escaped_lines(data: bytes) -> list[Harmless]:
    """Return UTF-8 lines, separated by line feeds, each escaped, as a list."""
    return cast("list[Harmless]", escape_block(data).split("\n"))
