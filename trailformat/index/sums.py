"""What is in a file: records and bytes by table, bounds of the time, the largest transactions."""

from __future__ import annotations

from array import array
from typing import NamedTuple

from trailformat.index.digest import Digest
from trailformat.index.following import ArrivalOrders, Follower
from trailformat.index.transaction_spans import TransactionSpans
from trailformat.scan.batch import Batch

MOST_TABLES = 1 << 16


class TableTotals(NamedTuple):
    """What a file holds of one table, metadata records included; the bytes are those of the data."""

    records: int
    data_bytes: int

    def plus(self, records: int, data_bytes: int) -> TableTotals:
        """The sum of both."""
        return TableTotals(self.records + records, self.data_bytes + data_bytes)


NOTHING = TableTotals(0, 0)


class Sums(Follower):
    """Sums over the rows, bounded in number.

    Attributes:
        tables: by name; rows without a name under the empty one. Of more than MOST_TABLES names those beyond are
            counted in ``other_tables``. A new mapping for every batch.
        earliest, latest: bounds of the IO Time of all records but metadata (Julian microseconds); None without any.
        transactions: the largest, and the one that has not ended.
    """

    def _forget(self) -> None:
        super()._forget()
        self.tables: dict[str, TableTotals] = {}
        self.other_tables = NOTHING
        self.earliest: int | None = None
        self.latest: int | None = None
        self.transactions = TransactionSpans()

    def _take(self, batch: Batch, orders: ArrivalOrders) -> None:  # noqa: ARG002 - sums need no order
        found = _digest(batch, self.transactions.least)
        tables = self.tables.copy()
        for key, totals in found.tables.items():
            name = batch.names[key]
            if name in tables or len(tables) < MOST_TABLES:
                tables[name] = tables.get(name, NOTHING).plus(*totals)
            else:
                self.other_tables = self.other_tables.plus(*totals)
        self.tables = tables
        if found.times is not None:
            earliest, latest = found.times
            self.earliest = earliest if self.earliest is None else min(self.earliest, earliest)
            self.latest = latest if self.latest is None else max(self.latest, latest)
        self.transactions.add(found.transactions, found.ended)


def _digest(batch: Batch, least: int) -> Digest:
    """The digest of a batch of either engine."""
    if isinstance(batch.rba, array):
        from trailformat.index.by_rows import digest_rows  # noqa: PLC0415 - only one of the two is needed

        return digest_rows(batch, least)
    from trailformat.index.by_columns import digest_columns  # noqa: PLC0415 - it needs numpy

    return digest_columns(batch, least)
