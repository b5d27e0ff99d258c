"""Two trails side by side: their differences in order, with neighbouring rows and the number of equal rows between.

A comparison reports each pair of rows; only rows near a difference are passed to the view.
"""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

from logdump.features.diff.model import (
    AlignedRow,
    AlignedTrails,
    DifferenceShown,
    DiffLevel,
    DiffShown,
    PairedTransaction,
    PartDifference,
    PassedOver,
    SameRow,
)
from logdump.features.diff.rows import ComparedRow
from logdump.features.diff.side import Side
from logdump.notation.text import around_difference
from trailformat.transactions.batches import TransactionSummary

MOST_ROWS = 20_000
MOST_CHARACTERS = 8_000_000
"""Maximum total length of the texts of differing parts in a listing."""
MOST_PARTS = 200
_LONGEST = 1000


class AlignedListing:
    """The aligned rows of DIFF. One thread appends rows while others read those before.

    Attributes:
        level: how records are compared.
        titles: the names of both trails.
        rows: the first rows, until MOST_ROWS or MOST_CHARACTERS is reached.
        differences: the indexes of the differences in ``rows``.
        left_out: number of differences that are not in ``rows``.
        goes_on: the CSN of the first difference left out.
        shown: the summary; None before the end.
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

    def so_far(self, *, is_ended: bool) -> AlignedSoFar:
        """Return the listing with its present number of rows."""
        return AlignedSoFar(self, len(self.rows), is_ended)


class AlignedSoFar(NamedTuple):
    """A listing with the number of rows reported; ``is_ended`` is True if no more will follow."""

    listing: AlignedListing
    rows: int
    is_ended: bool


def _shortened(part: PartDifference) -> PartDifference:
    a, b = around_difference(part.a or "", part.b or "", _LONGEST, "…")
    return part._replace(a=None if part.a is None else a, b=None if part.b is None else b)


CONTEXT = 2
"""Number of equal rows shown before and after one that differs."""


class SideBySide:
    """Passes the differences of two trails, with context, to a view."""

    def __init__(self, a: Side, b: Side, view: AlignedTrails) -> None:
        self._a, self._b, self._view = a, b, view
        self._transactions = self._records = self._context_left = 0
        self._head: PairedTransaction | None = None
        self._before: deque[tuple[ComparedRow, ComparedRow]] = deque(maxlen=CONTEXT)

    def begin_pair(self, a: TransactionSummary, b: TransactionSummary) -> None:
        """Begin a pair of transactions."""
        positions = self._a.position(a.first), self._b.position(b.first)
        self._head = PairedTransaction(*positions, a.csn or b.csn, a.xid or b.xid)
        self._begin_rows()

    def _begin_rows(self) -> None:
        self._records = self._context_left = 0
        self._before.clear()

    def same(self, a: ComparedRow, b: ComparedRow) -> None:
        """Add two equal rows of the pair."""
        if self._context_left:
            self._context_left -= 1
            self._show(a, b)
            return
        self._records += len(self._before) == CONTEXT
        self._before.append((a, b))

    def add_difference(self, difference: DifferenceShown) -> None:
        """Add a difference, of rows of the pair or of a transaction."""
        if difference.table is None:
            self._end_transactions()
            self._view.add(difference)
            return
        if self._head is not None:
            self._end_transactions()
            self._view.add(self._head)
            self._head = None
        self._pass(records=self._records)
        for pair in self._before:
            self._show(*pair)
        self._begin_rows()
        self._view.add(difference)
        self._context_left = CONTEXT

    def end_pair(self, *, is_counted: bool) -> None:
        """End a pair of transactions; ``is_counted`` is True if they are equal."""
        if self._head is None:
            self._pass(records=self._records + len(self._before))
        self._head = None
        self._transactions += is_counted
        self._begin_rows()

    def end(self, shown: DiffShown) -> None:
        """End both trails."""
        self._end_transactions()
        self._view.end(shown)

    def _end_transactions(self) -> None:
        self._pass(transactions=self._transactions)
        self._transactions = 0

    def _pass(self, **number: int) -> None:
        if any(number.values()):
            self._view.add(PassedOver(**number))

    def _show(self, a: ComparedRow, b: ComparedRow) -> None:
        self._view.add(SameRow(self._a.position(a.places[0]), self._b.position(b.places[0]), b.table, b.op))
