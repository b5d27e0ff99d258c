"""SAVE by columns: runs of neighbouring records are copied as one range of bytes.

Only the first row of each table index after a metadata record is looked at as a record: it tells which definitions must
stand before it, and those behind it need no others.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from trailformat import Record, TrailFile
from trailformat.framing import Buffer
from trailformat.io_types import METADATA
from trailformat.record_header import HEADER_SIZE, NAME_IS_INDEX
from trailformat.scan import RECORD, Batch
from trailformat.tokens import UNSET, WIDE


class RangeCopy:
    """Copies rows of batches.

    Args:
        trail: the source.
        write_record: takes a record that must be looked at.
        write_bytes: takes the bytes of so many records that can be copied as they are.
    """

    def __init__(
        self,
        trail: TrailFile,
        write_record: Callable[[Record], None],
        write_bytes: Callable[[bytes, int], None],
    ) -> None:
        self._trail = trail
        self._write_record = write_record
        self._write_bytes = write_bytes

    def copy(self, batch: Batch, rows: Any) -> None:
        """Copy these rows, given by their numbers in order."""
        found = np.asarray(batch.rba)[_is_metadata(batch)]
        end = int(batch.rba[-1]) + int(batch.length[-1])
        self._trail.tables.learn(int(batch.rba[0]), end, found.tolist())
        begun = 0
        for at in np.flatnonzero(self._must_be_looked_at(batch, rows)).tolist():
            self._copy_ranges(batch, rows[begun:at])
            record = self._trail.record_at(int(batch.rba[rows[at]]))
            if record is not None:
                self._write_record(record)
            begun = at + 1
        self._copy_ranges(batch, rows[begun:])

    def _must_be_looked_at(self, batch: Batch, rows: Any) -> Any:
        """Metadata, and between two metadata records of the file the first row of each table index."""
        is_metadata = _is_metadata(batch)
        segment = np.cumsum(is_metadata)[rows].astype(np.int64)
        index = table_indexes(batch, rows, self._trail.buffer)
        firsts = np.zeros(len(rows), dtype=bool)
        firsts[np.unique(segment << 17 | (index + 1), return_index=True)[1]] = True
        return is_metadata[rows] | (firsts & (index >= 0))

    def _copy_ranges(self, batch: Batch, rows: Any) -> None:
        if not len(rows):
            return
        starts = np.asarray(batch.rba)[rows]
        ends = starts + np.asarray(batch.length)[rows]
        breaks = np.flatnonzero(starts[1:] != ends[:-1]) + 1
        firsts = starts[np.concatenate(([0], breaks))].tolist()
        lasts = ends[np.concatenate((breaks - 1, [len(rows) - 1]))].tolist()
        buffer = self._trail.buffer
        self._write_bytes(b"".join([buffer[first:last] for first, last in zip(firsts, lasts, strict=True)]), len(rows))


def _is_metadata(batch: Batch) -> Any:
    return (np.asarray(batch.io_type) == METADATA) & (np.asarray(batch.kind) == RECORD)


def table_indexes(batch: Batch, rows: Any, buffer: Buffer) -> Any:
    """The table index in the header of each row, -1 where it holds a name; read from the mapped bytes."""
    view = np.frombuffer(buffer, dtype=np.uint8)
    header = np.asarray(batch.rba)[rows]
    for _ in range(2):
        info = view[header + 1]
        header = header + 4 + 2 * ((info & WIDE != 0) & (info != UNSET))
    name = header + HEADER_SIZE
    first, second = view[name].astype(np.int64), view[name + 1].astype(np.int64)
    is_little = np.asarray(batch.order)[rows] == 1
    index = np.where(is_little, second << 8 | first, first << 8 | second)
    return np.where(np.asarray(batch.partition)[rows] & NAME_IS_INDEX != 0, index, -1)
