"""Sums of a file: records and bytes by table, bounds of the time, the largest transactions."""

from __future__ import annotations

from typing import NamedTuple

from trailformat.index.incremental import ArrivalOrders, IncrementalScan
from trailformat.scan.batch import Batch
from trailformat.transactions.spans import TransactionSpans

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
        from trailformat.totals.row_groups import bounds_of_time, tables_of  # noqa: PLC0415 - it needs numpy

        tables = self.tables.copy()
        for key, totals in tables_of(batch).items():
            name = batch.names[key]
            if name in tables or len(tables) < MOST_TABLES:
                tables[name] = tables.get(name, NOTHING).plus(*totals)
            else:
                self.other_tables = self.other_tables.plus(*totals)
        self.tables = tables
        bounds = bounds_of_time(batch)
        if bounds is not None:
            times = *(self.times or ()), *bounds
            self.times = min(times), max(times)
        self.transactions.add(batch)
