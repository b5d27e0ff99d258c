"""LOGCSN and TRANID as columns: which transaction each row of a walk's batches belongs to.

tracker = TransactionTracker(trail)
for batch in scan(trail):
    owners = tracker.of(batch)
    print([owners.transactions[number].csn for number in owners.index])

The rules are those of :class:`trailformat.changes.transaction_context.TransactionContext`.
"""

from __future__ import annotations

from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING

from trailformat.changes.transaction_search import TransactionSearch
from trailformat.changes.transactions import NO_TRANSACTION, Transaction
from trailformat.codec.byte_order import ByteOrder
from trailformat.records.framing import Buffer
from trailformat.scan.batch import Batch, BatchColumn
from trailformat.scan.engines import Engine, choose_engine
from trailformat.scan.kernels.arguments import OPEN
from trailformat.scan.string_column import StringColumn
from trailformat.scan.transactions.by_row import BatchTransactions, carry_by_row
from trailformat.trail.file import TrailFile

if TYPE_CHECKING:
    from trailformat.scan.rows.row_bytes import Held

_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)


class RowTransactions:
    """For each row of a batch its transaction: ``transactions[index[row]]``.

    Attributes:
        index: int32; 0 is NO_TRANSACTION, of rows that stand outside of every transaction and of damage. The others are
            numbered in the order of the file; one of which nothing is known is equal to NO_TRANSACTION too.
        csns: LOGCSN of the transactions by their numbers.
        xids: TRANID of the transactions by their numbers.
    """

    def __init__(self, index: BatchColumn, csns: StringColumn, xids: StringColumn) -> None:
        self.index = index
        self.csns = csns
        self.xids = xids

    @cached_property
    def transactions(self) -> list[Transaction]:
        """The transactions by their numbers; made when first needed, 1 to 2 microseconds each."""
        return [NO_TRANSACTION, *map(Transaction, islice(self.csns, 1, None), islice(self.xids, 1, None))]

    def of_row(self, row: int) -> Transaction:
        """The transaction of one row."""
        return self.transaction(self.index[row])

    def transaction(self, number: int) -> Transaction:
        """The transaction with this number."""
        return Transaction(self.csns[number], self.xids[number])


class TransactionTracker:
    """LOGCSN and TRANID carried over the rows of batches, in the order of the file.

    After a jump (a batch that does not begin where the last one ended) the beginning of the transaction is looked for
    by walking back, into the file before this one where it began there.

    Args:
        trail: where the batches come from.
        engine: what finds the tokens; by default what is done first with the whole file.
        before: the transaction open where the first batch begins, for a caller that knows it.
    """

    def __init__(self, trail: TrailFile, *, engine: Engine | None = None, before: Transaction | None = None) -> None:
        self._trail = trail
        self._engine = engine or choose_engine(trail.size)
        self._search = TransactionSearch(trail)
        self._expected_rba = -1
        self._before = before
        self._open: Transaction | None = None

    @property
    def open(self) -> Transaction | None:
        """The transaction that is open where the last batch ended; None when none is, or damage ended the batch."""
        return self._open

    def _carry(self, batch: Batch, buffer: Buffer, held: Held | None, *, is_open: bool) -> BatchTransactions:
        """The transactions of a batch; ``is_open``: one is open where it begins."""
        batch.require(buffer)
        if self._engine is Engine.NUMBA:
            from trailformat.scan.transactions.by_kernel import carry_by_kernel  # noqa: PLC0415 - half a second

            return carry_by_kernel(batch, buffer, is_open=is_open, held=held)
        return carry_by_row(batch, buffer, is_open=is_open)

    def of(self, batch: Batch, held: Held | None = None) -> RowTransactions:
        """The transactions of the next batch; ``held`` has its bytes, where they have been read.

        Raises:
            NotATrail: the file is closed, cannot be read any more, or is shorter than when the batch was made.
        """
        self._trail.refresh()
        buffer = self._trail.buffer
        if self._before is not None:
            self._open, self._before = self._before, None
        elif int(batch.rba[0]) != self._expected_rba:
            self._open = None
        carried = self._carry(batch, buffer, held, is_open=self._open is not None)
        known = {} if self._open is None else {OPEN: self._open}
        for number in carried.looked_for:
            row = carried.rows[number]
            known[number] = self._search.goes_on_at(int(batch.rba[row]), _ORDERS[batch.order[row]])
        csns = StringColumn(*carried.csn, {number: transaction.csn for number, transaction in known.items()})
        xids = StringColumn(*carried.xid, {number: transaction.xid for number, transaction in known.items()})
        owners = RowTransactions(carried.numbers, csns, xids)
        self._open = owners.transaction(len(csns) - 1) if carried.is_open else None
        self._expected_rba = batch.end
        return owners
