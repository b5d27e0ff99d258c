"""Two trails side by side: their differences in order, with neighbouring rows and the number of equal rows between.

It follows a comparison: equal rows come in by calls, and only those near a difference are passed to the view.
"""

from __future__ import annotations

from collections import deque

from logdump.features.diff.model import (
    AlignedTrails,
    DifferenceShown,
    DiffShown,
    PairedTransaction,
    PassedOver,
    SameRow,
)
from logdump.features.diff.rows import ComparedRow
from logdump.features.diff.side import Side
from trailformat.transactions.batches import TransactionSummary

CONTEXT = 2
"""Number of equal rows shown before and after one that differs."""


class SideBySide:
    """The rows of two trails that are compared, for a view of them."""

    def __init__(self, a: Side, b: Side, view: AlignedTrails) -> None:
        self._a, self._b, self._view = a, b, view
        self._transactions = self._records = self._context_left = 0
        self._head: PairedTransaction | None = None
        self._before: deque[tuple[ComparedRow, ComparedRow]] = deque(maxlen=CONTEXT)

    def begin_pair(self, a: TransactionSummary, b: TransactionSummary) -> None:
        """Two transactions that belong together, before their rows."""
        spots = self._a.spot(a.first), self._b.spot(b.first)
        self._head = PairedTransaction(*spots, a.csn or b.csn, a.xid or b.xid)
        self._begin_rows()

    def _begin_rows(self) -> None:
        self._records = self._context_left = 0
        self._before.clear()

    def same(self, a: ComparedRow, b: ComparedRow) -> None:
        """Two rows of them that are equal."""
        if self._context_left:
            self._context_left -= 1
            self._show(a, b)
            return
        self._records += len(self._before) == CONTEXT
        self._before.append((a, b))

    def found(self, difference: DifferenceShown) -> None:
        """A difference: of two rows of them, or of a whole transaction."""
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
        self._view.add(SameRow(self._a.spot(a.places[0]), self._b.spot(b.places[0]), b.table, b.op))
