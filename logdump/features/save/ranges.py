"""SAVE by columns: runs of contiguous records are copied as one range of bytes.

Only the first row of each definition is read as a record: it determines which definitions must precede it, and the rows
after it need no others. This applies again in each further file of the target.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from trailformat import Record, TrailFile
from trailformat.arrays.strings import joined_runs
from trailformat.codec.mapped_file import FileBuffer, FileContents, copied
from trailformat.records.record_header import NAME_IS_INDEX
from trailformat.scan import Batch, Names, Workers
from trailformat.scan.rows import NO_INDEX, RowBytes, grouped, learn_definitions

_LONG = 1 << 16
"""Minimum size in bytes of a run of records that the system copies."""


class WrittenDefinitions:
    """The definitions, by their numbers, that the file being written holds."""

    def __init__(self) -> None:
        self._are_written = np.zeros(0, dtype=bool)

    def are_missing(self, definition: Any) -> Any:
        """Return a mask of the rows whose definition is not written; ``definition`` has their numbers, or NO_INDEX."""
        more = int(definition.max(initial=NO_INDEX)) + 1 - len(self._are_written)
        if more > 0:
            self._are_written = np.append(self._are_written, np.zeros(more, dtype=bool))
        missing = definition != NO_INDEX
        missing[missing] = ~self._are_written[definition[missing]]
        return missing

    def note(self, definition: int, *, is_new_file: bool) -> None:
        """Note that a row and its definition have been written, into a new file or not."""
        if is_new_file:
            self._are_written[:] = False
        if definition != NO_INDEX:
            self._are_written[definition] = True


class CopyRows(NamedTuple):
    """Rows to be copied, in order; every column is a numpy array with one value per row.

    Attributes:
        buffer: the bytes of the records; of a mapped file, addressed by RBA.
        starts: offset of each record in the buffer.
        ends: offset of each record's end.
        segment: number of metadata records of the source before the row, or any number that changes with each.
        is_metadata: True if the row is a metadata record.
        definition: the index in its header, NO_INDEX if that holds a name; or any number of its definition.
        record: returns the record of a row, given its index in these rows.
        written: the definitions that the file being written holds, updated while rows are copied; None if unknown.
    """

    buffer: FileBuffer | memoryview
    starts: Any
    ends: Any
    segment: Any
    is_metadata: Any
    definition: Any
    record: Callable[[int], Record | None]
    written: WrittenDefinitions | None = None


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
        for row in [*looked_at.tolist(), count]:
            stop = self._fitting(rows, begun, row)
            self._copy_ranges(rows, begun, stop)
            if stop == count:
                return count
            record = rows.record(stop)
            is_new_file = record is not None and self._write_record(record)
            if rows.written is not None:
                rows.written.note(int(rows.definition[stop]), is_new_file=bool(is_new_file))
            begun = stop + 1
            if is_new_file or stop < row:
                break
        return begun

    def _fitting(self, rows: CopyRows, first: int, stop: int) -> int:
        """Return the first row from ``first`` on that does not fit into the file being written, or ``stop``."""
        if self._room is None or first == stop:
            return stop
        total = np.cumsum(rows.ends[first:stop] - rows.starts[first:stop])
        return first + int(np.searchsorted(total, self._room(), side="right"))

    def _copy_ranges(self, rows: CopyRows, first: int, stop: int) -> None:
        if first == stop:
            return
        starts, ends = rows.starts[first:stop], rows.ends[first:stop]
        breaks = np.flatnonzero(starts[1:] != ends[:-1]) + 1
        begins = starts[np.concatenate(([0], breaks))]
        finishes = ends[np.concatenate((breaks - 1, [len(starts) - 1]))]
        if self._copy_range is not None and isinstance(rows.buffer, FileContents):
            counts = np.diff(breaks, prepend=0, append=len(starts)).tolist()
            for begin, finish, count in zip(begins.tolist(), finishes.tolist(), counts, strict=True):
                self._copy_range(rows.buffer, begin, finish, count)
            return
        self._write_bytes(_joined(rows.buffer, begins, finishes), len(starts))


def _joined(buffer: FileBuffer | memoryview, begins: Any, finishes: Any) -> bytes | memoryview:
    """Return the bytes of ranges; those of a mapped file are copied, since the file may be truncated meanwhile."""
    if not isinstance(buffer, bytes | memoryview):
        places = zip(begins.tolist(), finishes.tolist(), strict=True)
        return b"".join(copied(buffer, begin, finish) for begin, finish in places)
    if len(begins) == 1:
        return memoryview(buffer)[begins[0] : finishes[0]]
    data = np.frombuffer(buffer, np.uint8)
    return joined_runs([data], np.zeros(len(begins), np.int64), begins, finishes).data


def _must_be_looked_at(rows: CopyRows, first: int) -> Any:
    """Return a mask of metadata, and of the first row of each unwritten definition between two metadata records."""
    definition = rows.definition[first:]
    missing = definition != NO_INDEX if rows.written is None else rows.written.are_missing(definition)
    missing_rows = np.flatnonzero(missing)
    firsts = np.zeros(len(definition), dtype=bool)
    firsts[missing_rows[grouped(rows.segment[first:][missing_rows], definition[missing_rows]).firsts]] = True
    return rows.is_metadata[first:] | firsts


class RowsOfFile:
    """Rows of the batches of one scan by definition, as input of :class:`RangeCopy`.

    Long runs stay in the file, short ones are read together.

    Args:
        trail: the file, opened for the caller's thread.
    """

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._names: Names | None = None
        self._written = WrittenDefinitions()

    def of(self, batch: Batch, numbers: Any) -> Iterator[CopyRows]:
        """Yield rows of a batch, given by number in order; the definitions in the batch are added to the trail's."""
        return self._read(self._trail, batch, numbers, self._about(batch, numbers))

    def read_ahead(
        self, chosen: Iterable[tuple[Batch, Any]], workers: Workers
    ) -> Iterator[tuple[Batch, Iterable[CopyRows]]]:
        """Yield the rows of batches, which threads, if there are several, read while the caller copies earlier ones."""
        if workers.number == 1:
            return ((batch, self.of(batch, numbers)) for batch, numbers in chosen)
        return workers.in_order((batch, self._job(batch, numbers)) for batch, numbers in chosen)

    def _job(self, batch: Batch, numbers: Any) -> Callable[[object], list[CopyRows]]:
        about = self._about(batch, numbers)

        def read(_is_over: object) -> list[CopyRows]:
            with self._trail.twin() as own:
                own.refresh()
                return [*self._read(own, batch, numbers, about)]

        return read

    def _about(self, batch: Batch, numbers: Any) -> _About:
        if batch.names is not self._names:
            self._names, self._written = batch.names, WrittenDefinitions()
        is_metadata = learn_definitions(self._trail, batch)[numbers]
        has_index = np.asarray(batch.partition)[numbers] & NAME_IS_INDEX != 0
        definition = np.where(has_index, np.asarray(batch.table)[numbers], NO_INDEX)
        return _About(self._trail.buffer, is_metadata, definition, self._written)

    def _read(self, own: TrailFile, batch: Batch, numbers: Any, about: _About) -> Iterator[CopyRows]:
        """Yield rows of a batch; their bytes are read from ``own``, the file opened for this thread."""
        rbas = np.asarray(batch.rba)[numbers]
        ends = rbas + np.asarray(batch.length)[numbers]

        def rows(part: slice, buffer: FileBuffer | memoryview, starts: Any, ends: Any) -> CopyRows:
            segment, record = np.zeros(len(starts), np.int64), partial(_record, self._trail, rbas[part])
            columns = about.is_metadata[part], about.definition[part]
            return CopyRows(buffer, starts, ends, segment, *columns, record, about.written)

        for first, stop, is_long in _alike(rbas, ends):
            if is_long:
                part = slice(first, stop)
                yield rows(part, about.buffer, rbas[part], ends[part])
                continue
            start = first
            for read in RowBytes.chunks(own.buffer, batch, numbers[first:stop]):
                yield rows(slice(start, start := start + len(read)), *_packed(read))


class _About(NamedTuple):
    """The facts about the rows of a batch before they are read."""

    buffer: FileBuffer
    is_metadata: Any
    definition: Any
    written: WrittenDefinitions


def _packed(read: RowBytes) -> tuple[FileBuffer | memoryview, Any, Any]:
    """Return the bytes of rows, without gaps if they have been read; and the begin and end of each row."""
    starts, sizes = read.starts, read.of("length")
    ends = starts + sizes
    if not isinstance(read.data, bytes | memoryview) or (starts[1:] == ends[:-1]).all():
        return read.data, starts, ends
    packed = _joined(read.data, starts, ends)
    ends = np.cumsum(sizes)
    return packed, ends - sizes, ends


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
