"""The totals of COUNT.

``Total Data Bytes`` is the sum of RecLength (of the file header: its length less 8); a transaction ends at each record
with TransInd 2 or 3; ``Bytes/Trans`` adds 48 bytes of header for every record. Both follow from the COUNT of the 11.1
session, 37 records and 3834 bytes in 4 transactions, and from the manual's TRANSHIST example. Averages are truncated.
"""

from __future__ import annotations

from bisect import insort
from collections import Counter
from typing import NamedTuple

from trailformat.scan import Breakdown, CountBounds, KernelTotals, Names, TransactionPart
from trailformat.scan.counting import HEADER_BYTES

OTHERS = 1000
"""Type number of the file header; sorts after all types."""
FILE_HEADER_NAME = "*FileHeader*"
_BEFORE, _AFTER = ord("B"), ord("A")
MINUTE = 60_000_000


class LargeTransaction(NamedTuple):
    """A transaction in TRANSHIST: size including record headers, time (Julian) and place of its first record."""

    data_bytes: int
    records: int
    tables: int
    time: int
    seqno: int
    rba: int


class OpenTransaction:
    """A transaction that has not ended: time and place of its first record, and its totals so far."""

    def __init__(self, time: int, seqno: int, rba: int) -> None:
        self.time = time
        self.seqno = seqno
        self.rba = rba
        self.data_bytes = self.records = 0
        self.tables: set[str] = set()


class TypeTotals:
    """Numbers of records, data bytes, types and images."""

    def __init__(self) -> None:
        self.records = 0
        self.data_bytes = 0
        self.types: Counter[int] = Counter()
        self.before_images = 0
        self.after_images = 0

    @property
    def average_bytes(self) -> int:
        """Data bytes per record, truncated."""
        return self.data_bytes // self.records if self.records else 0

    def add(self, data_bytes: int, io_type: int, before_after: int | None, records: int = 1) -> None:
        """Add one record, or several of one kind with their total bytes."""
        self.records += records
        self.data_bytes += data_bytes
        self.types[io_type] += records
        if before_after == _BEFORE:
            self.before_images += records
        elif before_after == _AFTER:
            self.after_images += records

    def join(self, other: TypeTotals) -> None:
        """Add the totals of other records."""
        self.records += other.records
        self.data_bytes += other.data_bytes
        self.types += other.types
        self.before_images += other.before_images
        self.after_images += other.after_images


class TransactionHistory:
    """The largest transactions by bytes: at most ``size``, with ``record_limit`` records or ``byte_limit`` bytes."""

    def __init__(self, size: int = 0, record_limit: int = 0, byte_limit: int = 0) -> None:
        self.size = size
        self.record_limit = record_limit
        self.byte_limit = byte_limit
        self.largest: list[LargeTransaction] = []

    def add(self, transaction: LargeTransaction) -> None:
        """Add a transaction if it is large enough; if the table is full, drop the smallest."""
        if self.size and (transaction.records >= self.record_limit or transaction.data_bytes >= self.byte_limit):
            insort(self.largest, transaction, key=_by_size)
            del self.largest[self.size :]


def _by_size(transaction: LargeTransaction) -> tuple[int, int, int]:
    return -transaction.data_bytes, transaction.seqno, transaction.rba


class Totals:
    """Totals of all records, of each table by name and partition, and of the transactions.

    Attributes:
        total: all records.
        tables: by name and partition.
        start: the given beginning of the first interval (Julian), or None.
        origin: the beginning of an interval (Julian): ``start``, else the minute of the first record; None without one.
        intervals: by start (Julian), if ``interval`` (microseconds) is given.
        transactions: number of transactions that ended.
        table_visits: number of distinct tables, summed over the transactions.
        lookups: number of lookups of a table's totals.
    """

    def __init__(self, history: TransactionHistory | None = None, interval: int = 0, start: int | None = None) -> None:
        self.total = TypeTotals()
        self.tables: dict[tuple[str, int], TypeTotals] = {}
        self.intervals: dict[int, TypeTotals] = {}
        self.history = history or TransactionHistory()
        self.interval = interval
        self.transactions = 0
        self.table_visits = 0
        self.lookups = 0
        self.start = self.origin = start
        self.open_transaction: OpenTransaction | None = None

    @property
    def bytes_per_transaction(self) -> int:
        """Data and header bytes per transaction, truncated."""
        return self._per_transaction(self.total.data_bytes + HEADER_BYTES * self.total.records)

    @property
    def records_per_transaction(self) -> int:
        """Records per transaction, truncated."""
        return self._per_transaction(self.total.records)

    @property
    def tables_per_transaction(self) -> int:
        """Distinct tables per transaction, truncated."""
        return self._per_transaction(self.table_visits)

    def _per_transaction(self, amount: int) -> int:
        return amount // self.transactions if self.transactions else 0

    def tally(
        self, table: tuple[str, int], data_bytes: int, io_type: int, before_after: int | None, records: int = 1
    ) -> None:
        """Add to the total and to the totals of one table."""
        self.lookups += records
        self.total.add(data_bytes, io_type, before_after, records)
        tally = self.tables.get(table)
        if tally is None:
            tally = self.tables[table] = TypeTotals()
        tally.add(data_bytes, io_type, before_after, records)

    def interval_of(self, time: int) -> TypeTotals:
        """Return the totals of the interval around ``time``; intervals are aligned to START or a full minute."""
        return self.intervals.setdefault(time - (time - self.interval_origin(time)) % self.interval, TypeTotals())

    def interval_origin(self, time: int) -> int:
        """Return the beginning of an interval; if none is set, set it to the minute of ``time``, the first record's."""
        if self.origin is None:
            self.origin = time - time % MINUTE
        return self.origin

    def end_transaction(self) -> None:
        """Count the open transaction, if it has any counted record."""
        ended, self.open_transaction = self.open_transaction, None
        if ended is not None:
            self.transactions += 1
            self.table_visits += len(ended.tables)
            place = (ended.time, ended.seqno, ended.rba)
            self.history.add(LargeTransaction(ended.data_bytes, ended.records, len(ended.tables), *place))


def breakdown_of(count: Totals) -> Breakdown:
    """Return the breakdown that the kernel computes for a count.

    Intervals whose first minute is still unknown are summed from whole minutes.
    """
    history, origin = count.history, count.origin
    interval = 0 if not count.interval else MINUTE if origin is None else count.interval
    limits = (history.record_limit, history.byte_limit) if history.size else (None, None)
    return Breakdown(interval, origin or 0, *limits)


def add_counted(count: Totals, bounds: CountBounds, seqno: int, counted: KernelTotals) -> None:
    """Add the totals of a stretch of records to the count; the stretches of a file must be in order."""
    names = counted.names
    if counted.file_headers and not bounds.has_bounds and bounds.takes_table(""):
        place = (FILE_HEADER_NAME, 0)
        count.tally(place, counted.file_header_bytes, OTHERS, None, counted.file_headers)
    if counted.first_time is not None:
        count.interval_origin(counted.first_time)
    for group, (records, data_bytes) in counted.groups.items():
        place = (names[group.table], group.partition)
        count.tally(place, data_bytes, group.io_type, group.before_after, records)
        if count.interval:
            count.interval_of(group.time).add(data_bytes, group.io_type, group.before_after, records)
    count.open_transaction = joined(count.open_transaction, seqno, counted.first, names)
    if counted.first_ended:
        count.end_transaction()
        add_later(count, seqno, counted)


def add_later(count: Totals, seqno: int, counted: KernelTotals) -> None:
    """Add the transactions after the first one of a stretch, which has ended."""
    count.transactions += counted.transactions
    count.table_visits += counted.table_visits
    for time, rba, data_bytes, records, tables in counted.listed:
        count.history.add(LargeTransaction(data_bytes, records, tables, time, seqno, rba))
    count.open_transaction = joined(None, seqno, counted.last, counted.names)


def joined(
    transaction: OpenTransaction | None, seqno: int, part: TransactionPart | None, names: Names
) -> OpenTransaction | None:
    """Return a transaction extended by a part, if there is one."""
    if part is None:
        return transaction
    if transaction is None:
        transaction = OpenTransaction(part.time, seqno, part.rba)
    transaction.tables.update(names[key] for key in part.tables)
    transaction.data_bytes += part.data_bytes + HEADER_BYTES * part.records
    transaction.records += part.records
    return transaction
