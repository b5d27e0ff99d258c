"""Sums of a file: records and bytes by table, bounds of the time, the largest transactions."""

from __future__ import annotations

from typing import NamedTuple

from trailformat.index.incremental import ArrivalOrders, IncrementalScan
from trailformat.records.io_types import RESTARTS
from trailformat.scan.batch import Batch
from trailformat.totals.transaction_spans import TransactionSpans

MOST_TABLES = 1 << 16


class TableTotals(NamedTuple):
    """The sums of one table in a file, metadata records included; the bytes are those of the data."""

    records: int
    data_bytes: int

    def plus(self, records: int, data_bytes: int) -> TableTotals:
        """Return the totals with these added."""
        return TableTotals(self.records + records, self.data_bytes + data_bytes)


NOTHING = TableTotals(0, 0)


class Sums(IncrementalScan):
    """Sums over the rows, bounded in number.

    Attributes:
        tables: by name; rows without a name under the empty one. Of more than MOST_TABLES names those beyond are
            counted in ``other_tables``. A new mapping for every batch.
        times: bounds of the IO Time of all records but metadata (Julian microseconds); None without any.
        transactions: the largest, and the open one.
    """

    def _forget(self) -> None:
        super()._forget()
        self.tables: dict[str, TableTotals] = {}
        self.other_tables = NOTHING
        self.times: tuple[int, int] | None = None
        self.transactions = TransactionSpans()

    def _take(self, batch: Batch, orders: ArrivalOrders) -> None:  # noqa: ARG002 - sums need no order
        start = 0
        for marker in batch.rows_of(RESTARTS):
            self._add(batch.part(start, marker + 1))
            self.transactions.cut(int(batch.rba[marker]))
            start = marker + 1
        if start < len(batch):
            self._add(batch.part(start, len(batch)))

    def _add(self, batch: Batch) -> None:
        from trailformat.totals.batch_totals import batch_totals  # noqa: PLC0415 - it needs numpy

        added = batch_totals(batch, self.transactions.least)
        tables = self.tables.copy()
        for key, totals in added.tables.items():
            name = batch.names[key]
            if name in tables or len(tables) < MOST_TABLES:
                tables[name] = tables.get(name, NOTHING).plus(*totals)
            else:
                self.other_tables = self.other_tables.plus(*totals)
        self.tables = tables
        if added.times is not None:
            times = *(self.times or ()), *added.times
            self.times = min(times), max(times)
        self.transactions.add(added.transactions, added.ended)
