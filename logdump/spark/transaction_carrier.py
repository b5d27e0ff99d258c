"""CSN and XID of the transactions in the rows of a batch."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from trailformat import TrailFile
from trailformat.scan import Batch
from trailformat.transactions import NO_TRANSACTION, Transaction, TransactionContext


class Owners(NamedTuple):
    """For each row of a batch its transaction: ``transactions[index[row]]``; 0 is NO_TRANSACTION."""

    index: Any
    transactions: list[Transaction]


class TransactionCarrier:
    """Takes the batches of one file in order."""

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._context = TransactionContext(trail)

    def of(self, batch: Batch) -> Owners:
        """The transactions of a batch's rows."""
        index = np.zeros(len(batch), dtype=np.int32)
        found: dict[Transaction, int] = {NO_TRANSACTION: 0}
        for row in np.flatnonzero(np.asarray(batch.transaction) >= 0).tolist():
            record = self._trail.record_at(int(batch.rba[row]))
            transaction = self._context.of(record) if record is not None else NO_TRANSACTION
            index[row] = found.setdefault(transaction, len(found))
        return Owners(index, list(found))
