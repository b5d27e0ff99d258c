"""Bytes to find in the record data, and the lists in which STRING and HEX specify them.

"text" 0:231, "text" …        [manual]: in quotes, a column range, a comma before the next
B,"text" "text" 0:5           [manual]: B, before a text
/text/ 0:231                  [HELP]: between slashes
4BF6 0:3                      [HELP]: a bare word
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import NamedTuple

from logdump.filters.words import FilterError, check_count, quoted

_RANGE = re.compile(r"([0-9]{1,10})(?:\s*:\s*([0-9]{1,10}))?")


@dataclass(frozen=True)
class ColumnRange:
    """The bytes ``start`` to ``end``, both included."""

    start: int
    end: int

    def __str__(self) -> str:
        return f"Col {self.start}:{self.end}"

    @property
    def size(self) -> int:
        """The number of bytes in the range."""
        return self.end - self.start + 1


def parse_column_range(text: str) -> ColumnRange:
    """Parse ``start:end`` or ``n``.

    Raises:
        FilterError: it is not a range, or ends before it starts.
    """
    bounds = _RANGE.fullmatch(text.strip())
    if not bounds:
        raise FilterError(f"{quoted(text)} is not a column range; write <start>:<end>, as in 0:231")
    start = int(bounds[1])
    end = int(bounds[2]) if bounds[2] is not None else start
    if end < start:
        raise FilterError(f"the column range {start}:{end} ends before it starts")
    return ColumnRange(start, end)


MAX_BYTES = 4000
_ITEM = re.compile(
    r"""(?P<mark>[Bb]\s*,\s*(?=["'/]))?
        (?: "(?P<double>(?:[^"]|"")*)" | '(?P<single>(?:[^']|'')*)' | /(?P<slash>[^/]*)/ | (?P<bare>[^\s,"'/][^\s,]*) )
        (?: \s*(?P<range>[0-9]+(?:\s*:\s*[0-9]*)?)(?=[\s,]|\Z) )?
        \s*(?P<comma>,?)\s*""",
    re.VERBOSE,
)
_NEXT = re.compile(r"""(?:[Bb]\s*,\s*)?["'/]""")


@dataclass(frozen=True)
class Needle:
    """Bytes to find in all of the data or in a range of it; with ``any_case``, ASCII letters match in either case."""

    value: bytes
    columns: ColumnRange | None = None
    any_case: bool = False

    def lies_inside(self, start: int, data_size: int) -> bool:
        """Return True if the bytes from ``start`` on are inside the data and the column range."""
        end = start + len(self.value)
        if start < 0 or end > data_size:
            return False
        return self.columns is None or (start >= self.columns.start and end <= self.columns.end + 1)

    @property
    def place(self) -> str:
        """The column range as ``, Col 0:3``, empty without one."""
        return f", {self.columns}" if self.columns else ""


class Item(NamedTuple):
    """One entry of a list as written; ``is_marked`` is True after B."""

    text: str
    columns: ColumnRange | None
    is_marked: bool


def split_items(text: str) -> list[Item]:
    """Return the entries of a list.

    Raises:
        FilterError: no entry, more than 32, an empty or unclosed text, or words without quotes.
    """
    text = text.strip()
    items: list[Item] = []
    position, has_more = 0, True
    while has_more:
        match = _ITEM.match(text, position)
        if not match:
            rest = text[position:]
            raise FilterError(f"cannot read {quoted(rest)}" if rest else "a value is missing")
        items.append(_item(match))
        check_count(len(items))
        position = match.end()
        has_more = bool(match["comma"]) or position < len(text)
        if has_more and not match["comma"] and (match["bare"] or not _NEXT.match(text, position)):
            raise FilterError(f"unexpected {quoted(text[position:])}; a value with blanks must be in quotes")
    return items


def _item(match: re.Match[str]) -> Item:
    value: str = match["slash"] if match["slash"] is not None else match["bare"]
    if match["double"] is not None:
        value = match["double"].replace('""', '"')
    if match["single"] is not None:
        value = match["single"].replace("''", "'")
    if not value:
        raise FilterError("a value is empty")
    columns = parse_column_range(match["range"]) if match["range"] is not None else None
    return Item(value, columns, match["mark"] is not None)


def make_needle(value: bytes, columns: ColumnRange | None, *, any_case: bool = False) -> Needle:
    """Return a needle, checked for whether it can be found at all.

    Raises:
        FilterError: it is longer than 4000 bytes, or than its range.
    """
    if len(value) > MAX_BYTES:
        raise FilterError(f"a value of {len(value)} bytes, at most {MAX_BYTES} are allowed")
    if columns and columns.size < len(value):
        enough = f"{columns.start}:{columns.start + len(value) - 1}"
        raise FilterError(f"{len(value)} bytes cannot be found in {columns}; write {enough} or more")
    return Needle(value, columns, any_case)
