"""The transactions that go on at every 256th row of long ones, so that no walk back to a beginning is long.

Shorter transactions are left out: the walk back to their beginning is short.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailformat.changes.transactions import NO_TRANSACTION, Transaction
from trailformat.scan.batch import Batch
from trailformat.trail.file import TrailFile

if TYPE_CHECKING:
    from trailformat.transactions.tracker import TransactionTracker

_STEP = 1 << 8


class TransactionMarker:
    """Finds the transactions that go on in every 256th row of long ones, in the batches of one walk over a file.

    Args:
        trail: where the batches come from.
        transactions: takes LOGCSN and TRANID by the RBA of the record.
    """

    def __init__(self, trail: TrailFile, transactions: dict[int, Transaction]) -> None:
        self._trail = trail
        self._transactions = transactions
        self._carrier: TransactionTracker | None = None

    def extend(self, batch: Batch) -> None:
        """Take in the next batch. Raises as TransactionTracker.of."""
        rows = _inside(batch)
        if not rows:
            return
        if self._carrier is None:
            from trailformat.transactions.tracker import TransactionTracker  # noqa: PLC0415 - it needs numpy

            self._carrier = TransactionTracker(self._trail)
        owners = self._carrier.of(batch)
        for row in rows:
            transaction = owners.of_row(row)
            if transaction != NO_TRANSACTION:
                self._transactions[int(batch.rba[row])] = transaction


def _inside(batch: Batch) -> list[int]:
    """Every 256th row whose transaction holds the row 256 before it too."""
    numbers = batch.transaction
    steps = range(_STEP, len(batch), _STEP)
    return [row for row in steps if numbers[row] >= 0 and numbers[row] == numbers[row - _STEP]]
