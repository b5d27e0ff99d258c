"""SAVE by columns: runs of neighbouring records are copied as one range of bytes.

Only the first row of each table index after a metadata record is read as a record: it determines which definitions must
stand before it, and those behind it need no others. The same is true again in every file that the target goes on to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from trailformat import Record, TrailFile
from trailformat.codec.mapped_file import copied
from trailformat.records.framing import Buffer
from trailformat.scan import Batch
from trailformat.scan.rows import NO_INDEX, RowBytes, grouped, headers_of, learn_definitions


class CopyRows(NamedTuple):
    """Rows to be copied, in order; every column is a numpy array with one value per row.

    Attributes:
        buffer: the bytes that hold them.
        starts: where each record begins in the buffer.
        ends: where each ends.
        segment: how many metadata records the source has before the row; any number that changes with each will do.
        is_metadata: whether the row is one itself.
        table_index: the index in its header, NO_INDEX where that holds a name.
        record: the record of a row, by the row's number here.
    """

    buffer: Buffer | memoryview
    starts: Any
    ends: Any
    segment: Any
    is_metadata: Any
    table_index: Any
    record: Callable[[int], Record | None]


class RangeCopy:
    """Copies rows.

    Args:
        write_record: takes a record that must be looked at; true where a new file, which knows no definitions, begins
            with it.
        write_bytes: takes the bytes of records that can be copied as they are, and their number.
        room: how many bytes the file being written takes as they are; None for any number.
    """

    def __init__(
        self,
        write_record: Callable[[Record], bool | None],
        write_bytes: Callable[[bytes | memoryview, int], None],
        room: Callable[[], int] | None = None,
    ) -> None:
        self._write_record = write_record
        self._write_bytes = write_bytes
        self._room = room

    def copy(self, rows: CopyRows) -> None:
        """Copy all of them."""
        done = 0
        while done < len(rows.starts):
            done = self._copy_into_one_file(rows, done)

    def _copy_into_one_file(self, rows: CopyRows, begun: int) -> int:
        """Copy from row ``begun`` on, at most to the first row of a new file; returns where to go on."""
        count = len(rows.starts)
        looked_at = begun + np.flatnonzero(_must_be_looked_at(rows, begun))
        for at in [*looked_at.tolist(), count]:
            stop = self._fitting(rows, begun, at)
            self._copy_ranges(rows, begun, stop)
            if stop == count:
                return count
            record = rows.record(stop)
            is_new_file = record is not None and self._write_record(record)
            begun = stop + 1
            if is_new_file or stop < at:
                break
        return begun

    def _fitting(self, rows: CopyRows, first: int, stop: int) -> int:
        """The first row from ``first`` on that does not fit the file being written, or ``stop``."""
        if self._room is None or first == stop:
            return stop
        total = np.cumsum(rows.ends[first:stop] - rows.starts[first:stop])
        return first + int(np.searchsorted(total, self._room(), side="right"))

    def _copy_ranges(self, rows: CopyRows, first: int, stop: int) -> None:
        if first == stop:
            return
        starts, ends = rows.starts[first:stop], rows.ends[first:stop]
        breaks = np.flatnonzero(starts[1:] != ends[:-1]) + 1
        begins = starts[np.concatenate(([0], breaks))].tolist()
        finishes = ends[np.concatenate((breaks - 1, [len(starts) - 1]))].tolist()
        ranges = [_part(rows.buffer, begin, finish) for begin, finish in zip(begins, finishes, strict=True)]
        self._write_bytes(ranges[0] if len(ranges) == 1 else b"".join(ranges), len(starts))


def _part(buffer: Buffer | memoryview, begin: int, finish: int) -> bytes | memoryview:
    """The bytes of a range, copied where they are mapped: the file may be cut while they are written."""
    return buffer[begin:finish] if isinstance(buffer, memoryview) else copied(buffer, begin, finish)


def _must_be_looked_at(rows: CopyRows, first: int) -> Any:
    """Metadata, and between two metadata records of the source the first row of each table index."""
    index = rows.table_index[first:]
    firsts = np.zeros(len(index), dtype=bool)
    firsts[grouped(rows.segment[first:], index).firsts] = True
    return rows.is_metadata[first:] | (firsts & (index != NO_INDEX))


def rows_of(trail: TrailFile, batch: Batch, numbers: Any) -> Iterator[CopyRows]:
    """Rows of a batch, given by their numbers in order; the trail learns of the metadata records in the batch."""
    is_metadata = learn_definitions(trail, batch)
    segment = np.cumsum(is_metadata)
    for rows in RowBytes.chunks(trail.buffer, batch, numbers):
        yield CopyRows(
            rows.data,
            rows.starts,
            rows.starts + rows.of("length"),
            segment[rows.rows],
            is_metadata[rows.rows],
            headers_of(rows).table_index,
            partial(_record, trail, rows.of("rba")),
        )


def _record(trail: TrailFile, rbas: Any, row: int) -> Record | None:
    return trail.record_at(int(rbas[row]))
