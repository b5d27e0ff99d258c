"""The index of one open file: its places, sums and open transactions, and what these sums are."""

from __future__ import annotations

from typing import NamedTuple
from weakref import WeakKeyDictionary

from trailformat.index.incremental import ArrivalOrders, IncrementalScan
from trailformat.index.record_index import RecordIndex
from trailformat.records.transaction import Transaction
from trailformat.scan.batch import Batch
from trailformat.scan.position import ScanPosition
from trailformat.trail.file import TrailFile
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


class TrailIndex:
    """The findings of scans in one file, from its beginning on: 17 bytes for 256 rows, and a bounded number of others.

    Rows are numbered from 0: the file header if there is one, records, damage; an incomplete record at the
    end of the file does not count yet. Several threads may extend and read an index, each with a TrailFile of its own.

    Attributes:
        places: rows by number and by RBA, the metadata, the damage. They are cheap: a scan with another purpose can
            extend them alone, so that they may be ahead of the sums.
        sums: tables, times, transactions.
        open_transactions: by RBA, the transactions that are open in records of long ones, as far as ``build`` went.
    """

    def __init__(self) -> None:
        self.places = RecordIndex()
        self.sums = Sums()
        self.open_transactions: dict[int, Transaction] = {}

    def clear(self) -> None:
        """Discard all results."""
        self.sums.clear()
        self.places.clear()
        self.open_transactions.clear()

    def extend(self, batch: Batch) -> None:
        """Take in the next batch of a scan in file order, as ``IncrementalScan.extend`` does."""
        self.places.extend(batch)
        self.sums.extend(batch)

    def fits(self, trail: TrailFile) -> bool:
        """Return True if the file is the scanned one, possibly grown."""
        return self.places.fits(trail)

    def position(self, trail: TrailFile) -> ScanPosition:
        """The position where the next scan has to start."""
        return self.sums.position(trail)

    @property
    def metadata_end(self) -> int:
        """RBA up to which all metadata records are known."""
        return self.places.metadata_end

    def metadata_between(self, start: int, stop: int) -> tuple[list[int], int]:
        """See RecordIndex.metadata_between."""
        return self.places.metadata_between(start, stop)

    @property
    def covered(self) -> int:
        """RBA up to which the file was scanned for everything."""
        return self.sums.covered

    @property
    def partial(self) -> int:
        """Bytes of the half-written record found there; 0 without one."""
        return self.sums.partial


_INDEXES: WeakKeyDictionary[TrailFile, TrailIndex] = WeakKeyDictionary()
"""By open file; an index goes with its file."""


def attach(trail: TrailFile, index: TrailIndex) -> None:
    """Make ``index`` that of an open file: names of tables and transactions far into it are found by it."""
    _INDEXES[trail] = index
    trail.known = index


def known_index(trail: TrailFile) -> TrailIndex | None:
    """The index attached to an open file; None without one."""
    return _INDEXES.get(trail)


def index_of(trail: TrailFile) -> TrailIndex:
    """The index attached to an open file, a new and empty one where none is."""
    index = _INDEXES.get(trail)
    if index is None:
        index = TrailIndex()
        attach(trail, index)
    return index
