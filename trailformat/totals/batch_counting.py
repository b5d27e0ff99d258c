"""COUNT over the columns of a scan, in groups of rows."""

from __future__ import annotations

from typing import Any

from trailformat.scan import FILE_HEADER, RECORD, Batch, Taken
from trailformat.totals.counting import Totals
from trailformat.totals.transaction_columns import TransactionColumns


class ColumnCounter:
    """Takes the batches of one file, in order."""

    def __init__(self, count: Totals, taken: Taken, seqno: int) -> None:
        import numpy as np  # noqa: PLC0415 - a batch of numpy columns is here, so it is loaded

        self._np = np
        self._count = count
        self._taken = taken
        self._transactions = TransactionColumns(count, seqno)

    def add(self, batch: Batch, passing: Any = None) -> None:
        """Take a batch into the count, or those of its rows that a mask lets pass."""
        np, taken = self._np, self._taken
        mask = np.ones(len(batch), dtype=bool) if passing is None else passing
        for row in np.flatnonzero(mask & (np.asarray(batch.kind) == FILE_HEADER)):
            if not taken.has_bounds and taken.takes_table(""):
                self._count.add_file_header(int(batch.record_length[row]))
        rows = np.flatnonzero(mask & self._mask(batch))
        self._add_tallies(batch, rows)
        if self._count.interval:
            self._add_intervals(batch, rows)
        self._transactions.add(batch, rows)

    def _mask(self, batch: Batch) -> Any:
        np, taken = self._np, self._taken
        mask = np.asarray(batch.kind) == RECORD
        if taken.start is not None:
            mask &= np.asarray(batch.io_time) >= taken.start
        if taken.end is not None:
            mask &= np.asarray(batch.io_time) <= taken.end
        if taken.takes_name is not None:
            takes = np.array([taken.takes_table(batch.names[key]) for key in range(len(batch.names))])
            mask &= takes[np.asarray(batch.table)]
        return mask

    def _add_tallies(self, batch: Batch, rows: Any) -> None:
        from trailformat.totals.row_groups import groups  # noqa: PLC0415 - it needs numpy

        np = self._np
        image = np.asarray(batch.io_type).astype(np.int64) << 8 | np.asarray(batch.before_after)
        parts = (np.asarray(batch.table)[rows], np.asarray(batch.partition)[rows], image[rows])
        for first, records, size in groups(parts, np.asarray(batch.record_length)[rows]):
            row = rows[first]
            place = (batch.names[batch.table[row]], int(batch.partition[row]))
            self._count.tally(place, size, int(batch.io_type[row]), int(batch.before_after[row]), records)

    def _add_intervals(self, batch: Batch, rows: Any) -> None:
        from trailformat.totals.row_groups import groups  # noqa: PLC0415 - it needs numpy

        np, count = self._np, self._count
        if not len(rows):
            return
        times = np.asarray(batch.io_time)[rows]
        # without the difference of two times, which may be too large for 64 bits
        shift = count.interval_origin(int(times[0])) % count.interval
        ordinals = times // count.interval - (times % count.interval < shift)
        parts = (ordinals, np.asarray(batch.io_type)[rows], np.asarray(batch.before_after)[rows])
        for first, records, size in groups(parts, np.asarray(batch.record_length)[rows]):
            row = rows[first]
            tally = count.interval_of(int(batch.io_time[row]))
            tally.add(size, int(batch.io_type[row]), int(batch.before_after[row]), records)
