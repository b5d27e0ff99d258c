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
from trailformat.transactions import ENDS, is_transactional

HEADER_BYTES = 48
OTHERS = 1000
"""Stands for the file header among the types; sorts behind all of them."""
FILE_HEADER_NAME = "*FileHeader*"


class LargeTransaction(NamedTuple):
    """A transaction that TRANSHIST keeps: size with header bytes, first record's time (Julian) and place."""

    data_bytes: int
    records: int
    tables: int
    time: int
    seqno: int
    rba: int


class Tally:
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

    def add(self, data_bytes: int, io_type: int, before_after: int | None) -> None:
        """Take one record in."""
        self.records += 1
        self.data_bytes += data_bytes
        self.types[io_type] += 1
        self.before_images += before_after == ord("B")
        self.after_images += before_after == ord("A")


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


class Count:
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
        self.total = Tally()
        self.tables: dict[tuple[str, int], Tally] = {}
        self.intervals: dict[int, Tally] = {}
        self.history = history or TransactionHistory()
        self.interval = interval
        self.transactions = 0
        self.table_visits = 0
        self.lookups = 0
        self._interval_origin = start
        self._tables: set[str] = set()
        self._bytes = self._records = 0
        self._begun: tuple[int, int, int] | None = None

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
            self._tally(record.data_length, OTHERS, None, (FILE_HEADER_NAME, 0))
            return
        header = record.header
        size = record.data_length
        self._tally(size, header.io_type, header.before_after, (name, header.partition))
        if self.interval:
            self._interval_of(header.io_time).add(size, header.io_type, header.before_after)
        if is_transactional(record):
            self._add_to_transaction(record, name, seqno)

    def _tally(self, data_bytes: int, io_type: int, before_after: int | None, table: tuple[str, int]) -> None:
        self.lookups += 1
        self.total.add(data_bytes, io_type, before_after)
        tally = self.tables.get(table)
        if tally is None:
            tally = self.tables[table] = Tally()
        tally.add(data_bytes, io_type, before_after)

    def _interval_of(self, time: int) -> Tally:
        """The tally of the interval around ``time``; they are laid from the START given, or the first full minute."""
        if self._interval_origin is None:
            self._interval_origin = time - time % 60_000_000
        start = time - (time - self._interval_origin) % self.interval
        return self.intervals.setdefault(start, Tally())

    def _add_to_transaction(self, record: Record, name: str, seqno: int) -> None:
        if self._begun is None:
            self._begun = (record.header.io_time, seqno, record.rba)
        self._tables.add(name)
        self._bytes += record.data_length + HEADER_BYTES
        self._records += 1
        self._end_transaction_at(record)

    def pass_over(self, record: Record) -> None:
        """Leave one record out, but see a transaction end with it."""
        if is_transactional(record):
            self._end_transaction_at(record)

    def _end_transaction_at(self, record: Record) -> None:
        if self._begun is None or record.header.trans_ind not in ENDS:
            return
        self.transactions += 1
        self.table_visits += len(self._tables)
        self.history.add(LargeTransaction(self._bytes, self._records, len(self._tables), *self._begun))
        self._tables.clear()
        self._bytes = self._records = 0
        self._begun = None
