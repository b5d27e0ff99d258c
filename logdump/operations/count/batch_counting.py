"""COUNT over the columns of a scan: row by row where they are arrays, in groups where numpy is.

Both come to what :meth:`Count.add` makes of the records one by one.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple, Protocol

from logdump.notation.wildcard import matches
from logdump.operations.count.counting import Count
from logdump.operations.count.transaction_columns import TransactionColumns
from trailformat.scan import FILE_HEADER, RECORD, Batch


class Wanted(NamedTuple):
    """Which records COUNT is to take: bounds of the IO Time (Julian), a wildcard on the table's name."""

    start: int | None = None
    end: int | None = None
    file: str | None = None

    @property
    def has_bounds(self) -> bool:
        """Whether the time counts; a file header has none, and is left out then."""
        return self.start is not None or self.end is not None

    def takes_name(self, name: str) -> bool:
        """Whether the name fits."""
        return self.file is None or matches(self.file, name, case_sensitive=False)

    def takes_time(self, io_time: int) -> bool:
        """Whether the time lies within the bounds."""
        return (self.start is None or io_time >= self.start) and (self.end is None or io_time <= self.end)


class BatchCounter(Protocol):
    """Takes the batches of one file, in order."""

    def add(self, batch: Batch) -> None:
        """Take a batch into the count."""


def batch_counter(count: Count, wanted: Wanted, seqno: int, batch: Batch) -> BatchCounter:
    """The counter for batches of this kind."""
    return RowCounter(count, wanted, seqno) if isinstance(batch.rba, array) else ColumnCounter(count, wanted, seqno)


class RowCounter:
    """Goes through the rows."""

    def __init__(self, count: Count, wanted: Wanted, seqno: int) -> None:
        self._count = count
        self._wanted = wanted
        self._seqno = seqno
        self._takes: dict[int, bool] = {}

    def add(self, batch: Batch) -> None:
        """Take a batch into the count."""
        count, seqno, names, wanted = self._count, self._seqno, batch.names, self._wanted
        rows = zip(
            batch.kind,
            batch.table,
            batch.rba,
            batch.record_length,
            batch.io_type,
            batch.before_after,
            batch.partition,
            batch.io_time,
            batch.trans_ind,
            strict=True,
        )
        for kind, table, rba, size, io_type, before_after, partition, io_time, trans_ind in rows:
            if kind == RECORD:
                name = names[table]
                if wanted.takes_time(io_time) and self._takes_table(table, name):
                    count.add_row(name, seqno, rba, size, io_type, before_after, partition, io_time, trans_ind)
                else:
                    count.pass_over_row(io_type, trans_ind)
            elif kind == FILE_HEADER and not wanted.has_bounds and wanted.takes_name(""):
                count.add_file_header(size)

    def _takes_table(self, table: int, name: str) -> bool:
        takes = self._takes.get(table)
        if takes is None:
            takes = self._takes[table] = self._wanted.takes_name(name)
        return takes


class ColumnCounter:
    """Goes through groups of rows with numpy."""

    def __init__(self, count: Count, wanted: Wanted, seqno: int) -> None:
        import numpy as np  # noqa: PLC0415 - a batch of numpy columns is here, so it is loaded

        self._np = np
        self._count = count
        self._wanted = wanted
        self._transactions = TransactionColumns(count, seqno)

    def add(self, batch: Batch, passing: Any = None) -> None:
        """Take a batch into the count, or those of its rows that a mask lets pass."""
        np, wanted = self._np, self._wanted
        mask = np.ones(len(batch), dtype=bool) if passing is None else passing
        for row in np.flatnonzero(mask & (np.asarray(batch.kind) == FILE_HEADER)):
            if not wanted.has_bounds and wanted.takes_name(""):
                self._count.add_file_header(int(batch.record_length[row]))
        rows = np.flatnonzero(mask & self._mask(batch))
        self._add_tallies(batch, rows)
        if self._count.interval:
            self._add_intervals(batch, rows)
        self._transactions.add(batch, rows)

    def _mask(self, batch: Batch) -> Any:
        np, wanted = self._np, self._wanted
        mask = np.asarray(batch.kind) == RECORD
        if wanted.start is not None:
            mask &= np.asarray(batch.io_time) >= wanted.start
        if wanted.end is not None:
            mask &= np.asarray(batch.io_time) <= wanted.end
        if wanted.file is not None:
            takes = np.array([wanted.takes_name(batch.names[key]) for key in range(len(batch.names))])
            mask &= takes[np.asarray(batch.table)]
        return mask

    def _add_tallies(self, batch: Batch, rows: Any) -> None:
        from logdump.operations.count.row_groups import groups  # noqa: PLC0415 - it needs numpy

        np = self._np
        image = np.asarray(batch.io_type).astype(np.int64) << 8 | np.asarray(batch.before_after)
        parts = (np.asarray(batch.table)[rows], np.asarray(batch.partition)[rows], image[rows])
        for first, records, size in groups(parts, np.asarray(batch.record_length)[rows]):
            row = rows[first]
            place = (batch.names[batch.table[row]], int(batch.partition[row]))
            self._count.tally(place, size, int(batch.io_type[row]), int(batch.before_after[row]), records)

    def _add_intervals(self, batch: Batch, rows: Any) -> None:
        from logdump.operations.count.row_groups import groups  # noqa: PLC0415 - it needs numpy

        np, count = self._np, self._count
        if not len(rows):
            return
        times = np.asarray(batch.io_time)[rows]
        ordinals = (times - count.interval_origin(int(times[0]))) // count.interval
        parts = (ordinals, np.asarray(batch.io_type)[rows], np.asarray(batch.before_after)[rows])
        for first, records, size in groups(parts, np.asarray(batch.record_length)[rows]):
            row = rows[first]
            tally = count.interval_of(int(batch.io_time[row]))
            tally.add(size, int(batch.io_type[row]), int(batch.before_after[row]), records)
