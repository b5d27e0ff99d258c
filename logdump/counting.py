"""COUNT: what it adds up.

``Total Data Bytes`` is the sum of RecLength (for the file header, of its length less 8); a transaction ends at each
record with TransInd 2 or 3; ``Bytes/Trans`` adds 48 bytes of header for every record. Both follow from the COUNT of the
11.1 session, 37 records and 3834 bytes in 4 transactions, and from the manual's TRANSHIST example. Averages are
truncated.
"""

from __future__ import annotations

from collections import Counter

from trailformat import Record
from trailformat.io_types import NOT_TRANSACTIONAL

HEADER_BYTES = 48
OTHERS = 1000
"""Stands for the file header among the types; sorts behind all of them."""
FILE_HEADER_NAME = "*FileHeader*"
_ENDS = (2, 3)


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


class Count:
    """The tally of a file, of each of its tables by name and partition, and of its transactions."""

    def __init__(self) -> None:
        self.total = Tally()
        self.tables: dict[tuple[str, int], Tally] = {}
        self.transactions = 0
        self.table_visits = 0
        self._open_tables: set[str] = set()

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

    def add(self, record: Record, name: str) -> None:
        """Take one record in, under the name of its table."""
        if record.is_file_header:
            self._tally(record.data_length, OTHERS, None, (FILE_HEADER_NAME, 0))
            return
        header = record.header
        self._tally(record.data_length, header.io_type, header.before_after, (name, header.partition))
        if header.io_type not in NOT_TRANSACTIONAL:
            self._open_tables.add(name)
            if header.trans_ind in _ENDS:
                self._end_transaction()

    def _tally(self, data_bytes: int, io_type: int, before_after: int | None, table: tuple[str, int]) -> None:
        self.total.add(data_bytes, io_type, before_after)
        tally = self.tables.get(table)
        if tally is None:
            tally = self.tables[table] = Tally()
        tally.add(data_bytes, io_type, before_after)

    def _end_transaction(self) -> None:
        self.transactions += 1
        self.table_visits += len(self._open_tables)
        self._open_tables.clear()
