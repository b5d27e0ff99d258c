"""SAVE by columns: runs of neighbouring records are copied as one range of bytes.

Only the first row of each table index after a metadata record is read as a record: it determines which definitions must
precede it, and the rows after it need no others. The same applies again to each further file of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from trailformat import Record, TrailFile
from trailformat.codec.mapped_file import FileBuffer, FileContents, copied
from trailformat.records.record_header import NAME_IS_INDEX
from trailformat.scan import Batch, Names
from trailformat.scan.rows import NO_INDEX, RowBytes, grouped, headers_of, learn_definitions

_LONG = 1 << 16
"""Bytes of a run of records from which on the system copies it."""


class CopyRows(NamedTuple):
    """Rows to be copied, in order; every column is a numpy array with one value per row.

    Attributes:
        buffer: the bytes of the records; of a mapped file, addressed by RBA.
        starts: offset of each record in the buffer.
        ends: offset of each record's end.
        segment: number of metadata records of the source before the row; any number that changes with each will do.
        is_metadata: True if the row is a metadata record.
        table_index: the index in its header, NO_INDEX if that holds a name; or any number of its definition, and
            NO_INDEX if that has been written.
        record: returns the record of a row, by the row's number here.
    """

    buffer: FileBuffer | memoryview
    starts: Any
    ends: Any
    segment: Any
    is_metadata: Any
    table_index: Any
    record: Callable[[int], Record | None]


class RangeCopy:
    """Copies rows: as byte ranges, or record by record if definitions may be needed.

    Args:
        write_record: writes a record that may need definitions; returns True if a new file, without definitions,
            begins with it.
        write_bytes: writes the bytes of a number of records unchanged.
        room: number of bytes that still fit into the file being written; None: no limit.
        copy_range: like ``write_bytes`` for a range of a mapped file; optional.
    """

    def __init__(
        self,
        write_record: Callable[[Record], bool | None],
        write_bytes: Callable[[bytes | memoryview, int], None],
        room: Callable[[], int] | None = None,
        copy_range: Callable[[FileContents, int, int, int], None] | None = None,
    ) -> None:
        self._write_record = write_record
        self._write_bytes = write_bytes
        self._room = room
        self._copy_range = copy_range

    def copy(self, rows: CopyRows) -> None:
        """Copy all rows."""
        done = 0
        while done < len(rows.starts):
            done = self._copy_into_one_file(rows, done)

    def _copy_into_one_file(self, rows: CopyRows, begun: int) -> int:
        """Copy from row ``begun`` on, at most to the first row of a new file; returns the next row."""
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
        if self._copy_range is not None and isinstance(rows.buffer, FileContents):
            counts = np.diff(breaks, prepend=0, append=len(starts)).tolist()
            for begin, finish, count in zip(begins, finishes, counts, strict=True):
                self._copy_range(rows.buffer, begin, finish, count)
            return
        ranges = _parts(rows.buffer, begins, finishes)
        self._write_bytes(ranges[0] if len(ranges) == 1 else b"".join(ranges), len(starts))


def _parts(buffer: FileBuffer | memoryview, begins: list[int], finishes: list[int]) -> Sequence[bytes | memoryview]:
    """Return the bytes of ranges; those of a mapped file are copied, since the file may be truncated meanwhile."""
    places = zip(begins, finishes, strict=True)
    if isinstance(buffer, bytes | memoryview):
        data = memoryview(buffer)
        return [data[begin:finish] for begin, finish in places]
    return [copied(buffer, begin, finish) for begin, finish in places]


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


class RowsOfFile:
    """Rows of the batches of one scan, with a key for each definition, as input of :class:`RangeCopy`.

    Long runs stay in the file, short ones are read together.
    """

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._names: Names | None = None
        self._written = np.zeros(0, dtype=bool)

    def of(self, batch: Batch, numbers: Any) -> Iterator[CopyRows]:
        """Rows of a batch, given by their numbers in order; the trail learns of the metadata records in the batch."""
        is_metadata = learn_definitions(self._trail, batch)[numbers]
        definition = self._definitions(batch, numbers)
        starts = np.asarray(batch.rba)[numbers]
        ends = starts + np.asarray(batch.length)[numbers]
        for first, stop, is_long in _alike(starts, ends):
            rows = slice(first, stop)
            about = np.zeros(stop - first, np.int64), is_metadata[rows], definition[rows]
            record = partial(_record, self._trail, starts[rows])
            if is_long:
                yield CopyRows(self._trail.buffer, starts[rows], ends[rows], *about, record)
                continue
            done = 0
            for read in RowBytes.chunks(self._trail.buffer, batch, numbers[rows]):
                part = slice(done, done := done + len(read))
                segment, metadata, index = (column[part] for column in about)
                record = partial(_record, self._trail, read.of("rba"))
                ends_read = read.starts + read.of("length")
                yield CopyRows(read.data, read.starts, ends_read, segment, metadata, index, record)

    def _definitions(self, batch: Batch, numbers: Any) -> Any:
        """The key of each row's definition, NO_INDEX where it has none or a batch before had a row of it."""
        if batch.names is not self._names:
            self._names, self._written = batch.names, np.zeros(0, dtype=bool)
        more = len(batch.names) - len(self._written)
        self._written = np.append(self._written, np.zeros(more, dtype=bool))
        keys = np.asarray(batch.table)[numbers]
        is_new = (np.asarray(batch.partition)[numbers] & NAME_IS_INDEX != 0) & ~self._written[keys]
        self._written[keys[is_new]] = True
        return np.where(is_new, keys, NO_INDEX)


def _alike(starts: Any, ends: Any) -> Iterator[tuple[int, int, bool]]:
    """Yield ranges of rows, first and end: each range has either one long run or only short ones."""
    if not len(starts):
        return
    breaks = np.flatnonzero(starts[1:] != ends[:-1]) + 1
    firsts, stops = np.append(0, breaks), np.append(breaks, len(starts))
    is_long = ends[stops - 1] - starts[firsts] >= _LONG
    begins = np.flatnonzero(np.append(True, is_long[1:] | is_long[:-1]))
    for begin, stop in pairwise([*begins.tolist(), len(firsts)]):
        yield int(firsts[begin]), int(stops[stop - 1]), bool(is_long[begin])


def _record(trail: TrailFile, rbas: Any, row: int) -> Record | None:
    return trail.record_at(int(rbas[row]))
