"""The rows of two trails side by side, kept for the screen up to a maximum number of rows and characters."""

from __future__ import annotations

from typing import NamedTuple

from logdump.features.diff.model import AlignedRow, DifferenceShown, DiffLevel, DiffShown, PartDifference
from logdump.notation.differing import around_difference

MOST_ROWS = 20_000
MOST_CHARACTERS = 8_000_000
"""Of parts that differ, in all."""
MOST_PARTS = 200
_LONGEST = 1000


class AlignedListing:
    """The aligned rows of DIFF. One thread appends rows while others read those before.

    Attributes:
        level: how records are compared.
        titles: the names of both trails.
        rows: the first ones.
        differences: the indexes of those among them that are differences.
        left_out: how many differences are not among them.
        goes_on: the CSN of the first of these.
        shown: both trails in numbers; None before the end.
    """

    def __init__(self, level: DiffLevel, titles: tuple[str, str]) -> None:
        self.level, self.titles = level, titles
        self.rows: list[AlignedRow] = []
        self.differences: list[int] = []
        self.left_out = self._characters = 0
        self.goes_on: str | None = None
        self.shown: DiffShown | None = None

    def add(self, row: AlignedRow) -> None:
        """Keep one more row, unless the listing is full."""
        is_full = len(self.rows) >= MOST_ROWS or self._characters >= MOST_CHARACTERS
        if not isinstance(row, DifferenceShown):
            self.rows += [] if is_full else [row]
        elif is_full:
            self.goes_on = self.goes_on if self.left_out else row.csn
            self.left_out += 1
        else:
            row = row._replace(parts=tuple(map(_shortened, row.parts[:MOST_PARTS])))
            self._characters += sum(len(text or "") for part in row.parts for text in part[2:])
            self.rows.append(row)
            self.differences.append(len(self.rows) - 1)

    def end(self, shown: DiffShown) -> None:
        """Set the summary of both trails."""
        self.shown = shown


class AlignedSoFar(NamedTuple):
    """A listing as far as it has been reported; ``is_ended`` whether no more rows come."""

    listing: AlignedListing
    rows: int
    is_ended: bool


def _shortened(part: PartDifference) -> PartDifference:
    a, b = around_difference(part.a or "", part.b or "", _LONGEST, "…")
    return part._replace(a=None if part.a is None else a, b=None if part.b is None else b)
