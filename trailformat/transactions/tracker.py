"""LOGCSN and TRANID as columns: which transaction each row of a scan's batches belongs to.

    tracker = TransactionTracker(trail)
    for batch in scan(trail):
        owners = tracker.of(batch)
        print([owners.transactions[number].csn for number in owners.index])

Where a transaction begins and ends: :mod:`trailformat.transactions.segments`. What it is called stands on its first
record; of rows whose first record is not there, and of rows behind damage in a transaction, nothing is known.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from trailformat.changes.transaction_search import TransactionSearch
from trailformat.codec.byte_order import ByteOrder
from trailformat.native.scan.arguments import ABSENT
from trailformat.records.io_types import RECORD_FRAGMENT
from trailformat.records.transaction import NO_TRANSACTION, CarriedTransaction, Transaction
from trailformat.scan.batch import Batch, BatchColumn
from trailformat.scan.row_tokens import csn_and_xid_of
from trailformat.scan.string_column import StringColumn
from trailformat.trail.file import TrailFile
from trailformat.transactions.segments import Segments, last_begin

if TYPE_CHECKING:
    from trailformat.scan.rows.row_bytes import RowBuffer

_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)
_NONE, _OPEN = range(2)
"""Numbers of transactions in a batch: none, and the one that is open where the batch begins."""


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

    @classmethod
    def of_one(cls, transaction: Transaction) -> RowTransactions:
        """Return the transactions of a batch of one row."""
        absent = np.full(_OPEN + 1, ABSENT, np.int64)
        texts = (StringColumn(b"", absent, absent, {_OPEN: text}) for text in transaction)
        return cls(np.full(1, _OPEN, np.int32), *texts)

    @classmethod
    def unknown(cls, rows: int) -> RowTransactions:
        """Nothing, for a reader who does not ask for transactions."""
        absent = np.full(1, ABSENT, np.int64)
        texts = StringColumn(b"", absent, absent, {})
        return cls(np.zeros(rows, np.int32), texts, texts)

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


class TrackerState(NamedTuple):
    """Where a tracker is, and what it carries, for another that goes on from there.

    Attributes:
        rba: the end of its last batch.
        last: the transaction that may go on there.
        is_unknown: whether nothing has told of transactions so far.
    """

    rba: int
    last: CarriedTransaction | None
    is_unknown: bool


class TransactionTracker:
    """LOGCSN and TRANID carried over the rows of batches, in the order of the file.

    After a jump (a batch that does not begin where the last one ended) the beginning of the transaction is looked for
    by walking back, into the file before this one where it began there.

    Args:
        trail: where the batches come from.
        before: the transaction open where the first batch begins, for a caller that knows it.
    """

    def __init__(self, trail: TrailFile, *, before: Transaction | None = None) -> None:
        self._trail = trail
        self._search = TransactionSearch(trail)
        self._expected_rba = -1
        self._before = before
        self._last: CarriedTransaction | None = None
        self._is_unknown = False

    @property
    def state(self) -> TrackerState:
        """The position and the transaction that continues there."""
        return TrackerState(self._expected_rba, self._last, self._is_unknown)

    def resume(self, state: TrackerState) -> None:
        """Go on from where another tracker of the same file was."""
        self._expected_rba, self._last, self._is_unknown = state

    def of(self, batch: Batch, held: RowBuffer | None = None) -> RowTransactions:
        """The transactions of the next batch; ``held`` has its bytes, where they have been read.

        Raises:
            NotATrail: the file is closed, cannot be read any more, or is shorter than when the batch was made.
        """
        self._trail.refresh()
        segments = self._divided(batch)
        starts, is_told = segments.starts, segments.begins
        texts = [
            _behind(text, self._last.transaction[at] if self._last is not None else None)
            for at, text in enumerate(csn_and_xid_of(batch, starts, is_told, self._trail.buffer, held))
        ]
        index = np.zeros(len(batch), np.int32)
        rows, numbers = segments.members()
        index[rows] = numbers + _OPEN
        damaged, first = np.unique(segments.of(segments.spans), return_index=True)
        stops = np.append(starts, len(batch))[damaged]
        for span, stop in zip(segments.spans[first].tolist(), stops.tolist(), strict=True):
            index[span:stop] = _NONE
        owners = RowTransactions(index, *texts)
        self._leave(batch, segments, lambda: owners.transaction(len(segments) - 1 + _OPEN))
        return owners

    def pass_over(self, batch: Batch) -> None:
        """Note what goes on behind the next batch, as ``of`` does, but look at the last transaction of it alone.

        Raises like ``of``.
        """
        self._trail.refresh()
        batch = batch.part(last_begin(batch), len(batch))
        segments = self._divided(batch)

        def last() -> Transaction:
            if len(segments) == 1:
                return self._last.transaction if self._last is not None else NO_TRANSACTION
            rows, is_told = segments.starts[-1:], segments.begins[-1:]
            csns, xids = csn_and_xid_of(batch, rows, is_told, self._trail.buffer)
            return Transaction(csns[0], xids[0])

        self._leave(batch, segments, last)

    def _divided(self, batch: Batch) -> Segments:
        """A batch by transactions; what goes on at its beginning is looked for where it is not known."""
        if self._before is not None:
            self._last, self._before = CarriedTransaction(self._before), None
        elif int(batch.rba[0]) != self._expected_rba:
            self._last, self._is_unknown = None, True
        segments = self._with_last(batch)
        row = segments.first_row() if self._is_unknown else None
        self._is_unknown = self._is_unknown and row is None and segments.is_empty
        if row is not None:
            is_fragment = batch.io_type[row] == RECORD_FRAGMENT
            order = _ORDERS[batch.order[row]]
            self._last = self._search.found_at(int(batch.rba[row]), order, is_fragment=bool(is_fragment))
            segments = self._with_last(batch)
        return segments

    def _with_last(self, batch: Batch) -> Segments:
        last = self._last
        return Segments(batch, is_open=last is not None, has_ended=last is not None and last.has_ended)

    def _leave(self, batch: Batch, segments: Segments, last: Callable[[], Transaction]) -> None:
        """Note what may go on behind a batch; nothing is known of it behind damage. ``last``: its last transaction."""
        number = len(segments) - 1
        self._expected_rba = batch.end
        if segments.is_over:
            self._last = None
            return
        is_known = not len(segments.spans) or int(segments.of(segments.spans[-1:])[0]) < number
        transaction = last() if is_known else NO_TRANSACTION
        self._last = CarriedTransaction(transaction, bool(segments.has_end[number]))


def _behind(column: StringColumn, before: str | None) -> StringColumn:
    """Texts by the numbers of their transactions, given that of the one that is open where the batch begins."""
    absent = np.full(_OPEN + 1, ABSENT, np.int64)
    starts, sizes = (np.concatenate((absent, np.asarray(one))) for one in (column.starts, column.sizes))
    known = {number + _OPEN + 1: text for number, text in column.known.items()}
    return StringColumn(column.data, starts, sizes, known | {_OPEN: before})
