"""The writing of a DataFrame's rows in a task: Arrow batches to trail files that stand alone, in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from logdump.arrow.records.errors import place
from logdump.features.save.ranges import RangeCopy
from logdump.spark.errors import SourceError
from logdump.spark.write.part_files import PartFiles
from logdump.spark.write.row_sources import (
    SELECT,
    FrameSource,
    HeaderSource,
    RawRecords,
    SourceUnknown,
    read_column,
    source_of_file,
)
from logdump.spark.write.target import Target
from trailformat import ByteOrder, Record

Key = tuple[str | None, int | None]
"""File, or else seqno, of a source; both None where neither is known."""
SORT = '.sortWithinPartitions("seqno", "rba")'


class NotInOrder(SourceError):
    """Rows that do not come in the order in which they stand in their source."""


class WriteColumns(NamedTuple):
    """The numbers of the columns that a write looks at; None for one that is not there.

    With ``file`` there is ``rba`` too.
    """

    raw: int
    file: int | None
    seqno: int | None
    rba: int | None

    @property
    def key(self) -> tuple[int | None, int | None]:
        """The columns that distinguish sources: the file, or else the seqno."""
        return (self.file, None) if self.file is not None else (None, self.seqno)


class RowStretch(NamedTuple):
    """Rows of one source file that a task has written one after the other: first and last RBA, and how many files."""

    file: str | None
    first: int
    last: int
    parts: int


class FrameWriting:
    """One attempt's writing of its rows."""

    def __init__(self, columns: WriteColumns, files: PartFiles, target: Target) -> None:
        self.stretches: list[RowStretch] = []
        self._target = target
        self._columns = columns
        self._files = files
        self._copy = RangeCopy(files.write, files.write_bytes, lambda: files.room)
        self._source: FrameSource | None = None
        self._at: Key | None = None
        self._first = self._last = -1
        self._order: ByteOrder | None = None

    def add(self, batch: Any) -> None:
        """Write the rows of a ``pyarrow.RecordBatch``.

        Raises:
            SourceError: raw holds no records, they are out of order, or their source is not known.
            CannotWrite: the attempt's folder cannot be written.
        """
        if not batch.num_rows:
            return
        raw = read_column(batch.column(self._columns.raw), self._order)
        self._order = raw.order_of(batch.num_rows - 1)
        rba = self._rbas(batch)
        keys = [batch.column(at) for at in self._columns.key if at is not None]
        for first, stop in _runs(keys, raw, batch.num_rows, by_header=self._columns.file is None):
            file, seqno = self._columns.key
            self._enter((_value(batch, file, first), _value(batch, seqno, first)), raw, first)
            numbers = first + np.flatnonzero(~raw.is_file_header[first:stop])
            if len(numbers):
                self._add_run(raw, numbers, rba)

    def _rbas(self, batch: Any) -> Any:
        if self._columns.rba is None:
            return None
        values = batch.column(self._columns.rba)
        if values.null_count:
            raise SourceUnknown(f"a row has no rba; write what {SELECT} gives")
        return values.to_numpy(zero_copy_only=False).astype(np.int64)

    def _enter(self, key: Key, raw: RawRecords, first: int) -> None:
        """Go on to the source of a run, if it is another."""
        is_header = self._columns.file is None and bool(raw.is_file_header[first])
        if key == self._at and not is_header:
            return
        self.end()
        if key[0] is not None and any(stretch.file == key[0] for stretch in self.stretches):
            raise NotInOrder(f"{place(key[0])}: its rows do not come together; sort them, {SORT}")
        self._at = key
        if self._columns.file is not None:
            self._source = source_of_file(key[0], self._target)
        elif is_header:
            self._source = HeaderSource(Record(raw.bytes_of(first)))
        if self._source is not None:
            self._files.begin(self._source.source)

    def _add_run(self, raw: RawRecords, numbers: Any, rba: Any) -> None:
        if self._source is None:
            raise SourceUnknown(f"rows begin without the file header they belong to; write what {SELECT} gives")
        if rba is not None:
            self._check_order(rba[numbers])
        self._copy.copy(self._source.rows(raw, numbers, rba))

    def _check_order(self, rba: Any) -> None:
        wrong = np.flatnonzero(np.diff(rba, prepend=self._last) <= 0)
        if len(wrong):
            at = int(wrong[0])
            before = int(rba[at - 1]) if at else self._last
            file, seqno = self._at or (None, None)
            where = place(file) if file is not None else "a source" if seqno is None else f"seqno {seqno}"
            raise NotInOrder(f"{where}: RBA {int(rba[at])} comes after RBA {before}; sort the rows, {SORT}")
        if self._first < 0:
            self._first = int(rba[0])
        self._last = int(rba[-1])

    def end(self) -> None:
        """Finish what has been begun."""
        self._files.end()
        parts = len(self._files.parts) - sum(stretch.parts for stretch in self.stretches)
        if parts and self._at is not None:
            self.stretches.append(RowStretch(self._at[0], self._first, self._last, parts))
        self._first = self._last = -1
        self.close()

    def close(self) -> None:
        """Let go of the source."""
        if self._source is not None:
            self._source.close()
            self._source = None


def _value(batch: Any, column: int | None, row: int) -> Any:
    return batch.column(column)[row].as_py() if column is not None else None


def _runs(keys: Sequence[Any], raw: RawRecords, rows: int, *, by_header: bool) -> Iterator[tuple[int, int]]:
    """From where to where rows have the same source: the same keys, and no file header between them."""
    bounds = {0, rows}
    for column in keys:
        bounds.update(_changes(column).tolist())
    if by_header:
        bounds.update(np.flatnonzero(raw.is_file_header).tolist())
    return pairwise(sorted(bounds))


def _changes(column: Any) -> Any:
    """The rows whose value is another than that of the row before."""
    import pyarrow.compute as pc  # noqa: PLC0415 - in the tasks only

    if len(column) < 2:
        return np.array([], dtype=np.int64)
    differs = pc.invert(pc.equal(column[1:], column[:-1])).fill_null(True)  # noqa: FBT003 - a value to fill in
    return 1 + np.flatnonzero(differs.to_numpy(zero_copy_only=False))
