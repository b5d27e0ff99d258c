"""COUNT: what it adds up.

``Total Data Bytes`` is the sum of RecLength (for the file header, of its length less 8); a transaction ends at each
record with TransInd 2 or 3; ``Bytes/Trans`` adds 48 bytes of header for every record. Both follow from the COUNT of the
11.1 session, 37 records and 3834 bytes in 4 transactions, and from the manual's TRANSHIST example. Averages are
truncated.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from trailformat import Record
from trailformat.changes.transactions import ENDS
from trailformat.records.io_types import NOT_TRANSACTIONAL

HEADER_BYTES = 48
OTHERS = 1000
"""Stands for the file header among the types; sorts behind all of them."""
FILE_HEADER_NAME = "*FileHeader*"
_BEFORE, _AFTER = ord("B"), ord("A")
_MINUTE = 60_000_000


class LargeTransaction(NamedTuple):
    """A transaction that TRANSHIST keeps: size with header bytes, first record's time (Julian) and place."""

    data_bytes: int
    records: int
    tables: int
    time: int
    seqno: int
    rba: int


class OpenTransaction:
    """A transaction without its end: time and place of its first record, and its sums so far."""

    def __init__(self, time: int, seqno: int, rba: int) -> None:
        self.time = time
        self.seqno = seqno
        self.rba = rba
        self.data_bytes = self.records = 0
        self.tables: set[str] = set()


class TypeTotals:
    """Records, their data bytes, their types and images."""

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
        """Take one record in, or many of one kind with the sum of their bytes."""
        self.records += records
        self.data_bytes += data_bytes
        self.types[io_type] += records
        if before_after == _BEFORE:
            self.before_images += records
        elif before_after == _AFTER:
            self.after_images += records


class TransactionHistory:
    """The largest transactions by bytes: at most ``size``, of at least so many records or so many bytes."""

    def __init__(self, size: int = 0, record_limit: int = 0, byte_limit: int = 0) -> None:
        self.size = size
        self.record_limit = record_limit
        self.byte_limit = byte_limit
        self.largest: list[LargeTransaction] = []

    def add(self, one: LargeTransaction) -> None:
        """Keep ``one`` if it is large enough; when the table is full the smallest goes."""
        if self.size and (one.records >= self.record_limit or one.data_bytes >= self.byte_limit):
            self.largest.append(one)
            self.largest.sort(key=lambda kept: (-kept.data_bytes, kept.seqno, kept.rba))
            del self.largest[self.size :]


class Totals:
    """The tally of records, of each of their tables by name and partition, and of their transactions.

    Attributes:
        total: all records.
        tables: by name and partition.
        intervals: by start (Julian), when ``interval`` (microseconds) is given.
        transactions: how many ended.
        table_visits: distinct tables, summed over the transactions.
        lookups: how often a table's tally was looked up.
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
        self._interval_origin = start
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

    def add(self, record: Record, name: str, seqno: int = 0) -> None:
        """Take one record in, under the name of its table; ``seqno`` is that of its file."""
        if record.is_file_header:
            self.add_file_header(record.data_length)
            return
        header = record.header
        image = (header.io_type, header.before_after, header.partition)
        self.add_row(name, seqno, record.rba, record.data_length, *image, header.io_time, header.trans_ind)

    def add_file_header(self, size: int) -> None:
        """Take a file header in."""
        self.tally((FILE_HEADER_NAME, 0), size, OTHERS, None)

    def add_row(
        self,
        name: str,
        seqno: int,
        rba: int,
        size: int,
        io_type: int,
        before_after: int,
        partition: int,
        io_time: int,
        trans_ind: int,
    ) -> None:
        """Take one record in by its fields; ``size`` is its data length."""
        self.tally((name, partition), size, io_type, before_after)
        if self.interval:
            self.interval_of(io_time).add(size, io_type, before_after)
        if io_type in NOT_TRANSACTIONAL:
            return
        if self.open_transaction is None:
            self.open_transaction = OpenTransaction(io_time, seqno, rba)
        self.open_transaction.tables.add(name)
        self.open_transaction.data_bytes += size + HEADER_BYTES
        self.open_transaction.records += 1
        if trans_ind in ENDS:
            self.end_transaction()

    def tally(
        self, table: tuple[str, int], data_bytes: int, io_type: int, before_after: int | None, records: int = 1
    ) -> None:
        """Add to the total and to one table's tally."""
        self.lookups += records
        self.total.add(data_bytes, io_type, before_after, records)
        tally = self.tables.get(table)
        if tally is None:
            tally = self.tables[table] = TypeTotals()
        tally.add(data_bytes, io_type, before_after, records)

    def interval_of(self, time: int) -> TypeTotals:
        """The tally of the interval around ``time``; they are laid from the START given, or the first full minute."""
        return self.intervals.setdefault(time - (time - self.interval_origin(time)) % self.interval, TypeTotals())

    def interval_origin(self, time: int) -> int:
        """The beginning of one of the intervals; ``time`` is that of the first record, while there is none yet."""
        if self._interval_origin is None:
            self._interval_origin = time - time % _MINUTE
        return self._interval_origin

    def pass_over(self, record: Record) -> None:
        """Leave one record out, but see a transaction end with it."""
        if not record.is_file_header:
            self.pass_over_row(record.header.io_type, record.header.trans_ind)

    def pass_over_row(self, io_type: int, trans_ind: int) -> None:
        """Leave one record out by its fields, but see a transaction end with it."""
        if io_type not in NOT_TRANSACTIONAL and trans_ind in ENDS:
            self.end_transaction()

    def end_transaction(self) -> None:
        """Count the transaction that is open, if any of its records was taken in."""
        ended, self.open_transaction = self.open_transaction, None
        if ended is not None:
            self.transactions += 1
            self.table_visits += len(ended.tables)
            place = (ended.time, ended.seqno, ended.rba)
            self.history.add(LargeTransaction(ended.data_bytes, ended.records, len(ended.tables), *place))
