"""A range of columns: bytes of the record data, counted from zero, both ends included (``0:231``, [HELP]).

A single number n means n:n (ours; no source shows one).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from logdump.filters.errors import FilterError
from logdump.filters.words import quoted

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
        """The number of bytes that it spans."""
        return self.end - self.start + 1


def parse_column_range(text: str) -> ColumnRange:
    """``start:end`` or ``n``.

    Raises:
        FilterError: it is no range, or ends before it starts.
    """
    bounds = _RANGE.fullmatch(text.strip())
    if not bounds:
        raise FilterError(f"{quoted(text)} is not a column range; write <start>:<end>, as in 0:231")
    start = int(bounds[1])
    end = int(bounds[2]) if bounds[2] is not None else start
    if end < start:
        raise FilterError(f"the column range {start}:{end} ends before it starts")
    return ColumnRange(start, end)
