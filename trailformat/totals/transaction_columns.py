"""The transactions in the rows of batches, for COUNT; those that reach over the border of a batch are joined."""

from __future__ import annotations

from typing import Any

from trailformat.changes.transactions import LAST, ONLY
from trailformat.scan import Batch
from trailformat.totals.counting import HEADER_BYTES, LargeTransaction, OpenTransaction, Totals

_MOST_MARKS = 1 << 24
"""Up to so many possible values a mark for each is cheaper than sorting."""


class TransactionColumns:
    """Takes the rows of one file's batches, in order; a transaction open from the file before goes on in the first."""

    def __init__(self, count: Totals, seqno: int) -> None:
        import numpy as np  # noqa: PLC0415 - a batch of numpy columns is here, so it is loaded

        self._np = np
        self._count = count
        self._seqno = seqno
        self._open_ordinal = 0

    def add(self, batch: Batch, rows: Any) -> None:
        """Take these rows of a batch into the count; every row of the batch, in or out, may end a transaction."""
        np, count = self._np, self._count
        all_ordinals = np.asarray(batch.transaction)
        last_ended = self._last_ended(batch)
        rows = rows[all_ordinals[rows] >= 0]
        if count.open_transaction is not None:
            mine = all_ordinals[rows] == self._open_ordinal
            self.join(count.open_transaction, batch, rows[mine])
            if self._open_ordinal <= last_ended:
                count.end_transaction()
            rows = rows[~mine]
        is_whole = all_ordinals[rows] <= last_ended
        self._add_whole(batch, rows[is_whole])
        self._open(batch, rows[~is_whole])

    def _last_ended(self, batch: Batch) -> int:
        """The last ordinal that ends in the batch; they end in their order. -1: none."""
        np = self._np
        trans_ind, ordinals = np.asarray(batch.trans_ind), np.asarray(batch.transaction)
        ended = ordinals[((trans_ind == LAST) | (trans_ind == ONLY)) & (ordinals >= 0)]
        return int(ended[-1]) if len(ended) else -1

    def join(self, one: OpenTransaction, batch: Batch, rows: Any) -> None:
        """Take rows of a batch into a transaction."""
        np = self._np
        one.tables.update(batch.names[key] for key in np.unique(np.asarray(batch.table)[rows]).tolist())
        one.data_bytes += int(np.asarray(batch.record_length)[rows].sum()) + HEADER_BYTES * len(rows)
        one.records += len(rows)

    def _open(self, batch: Batch, rows: Any) -> None:
        """The rows of the transaction that has not ended yet, if there are any."""
        if len(rows):
            first = rows[0]
            one = OpenTransaction(int(batch.io_time[first]), self._seqno, int(batch.rba[first]))
            self.join(one, batch, rows)
            self._count.open_transaction = one
            self._open_ordinal = int(batch.transaction[first])

    def _add_whole(self, batch: Batch, rows: Any) -> None:
        """The transactions that begin and end in these rows."""
        np, count = self._np, self._count
        if not len(rows):
            return
        ordinals = np.asarray(batch.transaction)[rows]
        starts = np.flatnonzero(np.diff(ordinals, prepend=ordinals[0] - 1))
        number = np.cumsum(np.diff(ordinals, prepend=ordinals[0]) != 0)
        keys = self._one_key_per_name(batch)
        visits = self._distinct(number * len(keys) + keys[np.asarray(batch.table)[rows]], len(starts) * len(keys))
        count.transactions += len(starts)
        count.table_visits += len(visits)
        if count.history.size:
            tables = np.bincount(visits // len(keys), minlength=len(starts))
            self._add_to_history(batch, rows, starts, tables)

    def _distinct(self, values: Any, bound: int) -> Any:
        """The different values, in order; all are below ``bound``."""
        np = self._np
        if bound > _MOST_MARKS:
            return np.unique(values)
        marks = np.zeros(bound, dtype=bool)
        marks[values] = True
        return np.flatnonzero(marks)

    def _one_key_per_name(self, batch: Batch) -> Any:
        """For each key the first one that has its name."""
        first: dict[str, int] = {}
        keys = [first.setdefault(batch.names[key], key) for key in range(len(batch.names))]
        return self._np.array(keys, dtype=self._np.int64)

    def _add_to_history(self, batch: Batch, rows: Any, starts: Any, tables: Any) -> None:
        np, history = self._np, self._count.history
        records = np.diff(starts, append=len(rows))
        sizes = np.add.reduceat(np.asarray(batch.record_length)[rows], starts) + HEADER_BYTES * records
        for at in np.flatnonzero((records >= history.record_limit) | (sizes >= history.byte_limit)).tolist():
            row = rows[starts[at]]
            place = (int(batch.io_time[row]), self._seqno, int(batch.rba[row]))
            history.add(LargeTransaction(int(sizes[at]), int(records[at]), int(tables[at]), *place))
