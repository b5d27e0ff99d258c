"""``df.write.format("trail")``: tasks write Arrow batches to self-contained files; a commit names them in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from pyspark import TaskContext
from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from logdump.arrow.records.errors import place
from logdump.features.save.ranges import RangeCopy
from logdump.spark.write.publish import PartFiles, StagedFile, publish, sweep
from logdump.spark.write.row_sources import (
    SELECT,
    FrameSource,
    HeaderSource,
    RawRecords,
    SourceUnknown,
    read_column,
    source_of_file,
)
from logdump.spark.write.target import Mode, Target, driver_pid, new_job_folder
from logdump.tables.errors import BadOption, BadSchema, SourceError
from logdump.tables.options import Options
from trailformat import ByteOrder, Record, TrailName
from trailformat.trail.sequence import in_order

if TYPE_CHECKING:
    from pyspark.sql.types import StructType


Key = tuple[str | None, int | None]
"""File, or else seqno, of a source; both None if neither is known."""
SORT = '.sortWithinPartitions("seqno", "rba")'


class NotInOrder(SourceError):
    """Rows are not in the order of their source."""


class WriteColumns(NamedTuple):
    """The indexes of the columns that a write uses; None for a missing one.

    If there is ``file``, there is ``rba`` too.
    """

    raw: int
    file: int | None
    seqno: int | None
    rba: int | None

    @property
    def key(self) -> tuple[int | None, int | None]:
        """Indexes of the columns that distinguish sources: the file, or else the seqno."""
        return (self.file, None) if self.file is not None else (None, self.seqno)


class RowStretch(NamedTuple):
    """Consecutive rows of one source that a task has written: first and last RBA, and the number of new files."""

    file: str | None
    first: int
    last: int
    parts: int


class FrameWriting:
    """The writing of rows by one attempt of a task."""

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
            SourceError: a value of raw is not a record, rows are out of order, or their source is unknown.
            CannotWrite: the attempt's folder cannot be written.
        """
        if not batch.num_rows:
            return
        raw = read_column(batch.column(self._columns.raw), self._order)
        self._order = raw.order_of(batch.num_rows - 1)
        rba = self._rbas(batch)
        keys = [batch.column(index) for index in self._columns.key if index is not None]
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
        """Begin the source of a run of rows, if it is another."""
        is_header = self._columns.file is None and bool(raw.is_file_header[first])
        if key == self._at and not is_header:
            return
        self.end()
        if key[0] is not None and any(stretch.file == key[0] for stretch in self.stretches):
            raise NotInOrder(f"{place(key[0])}: its rows are not consecutive; sort them, {SORT}")
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
            row = int(wrong[0])
            before = int(rba[row - 1]) if row else self._last
            file, seqno = self._at or (None, None)
            where = place(file) if file is not None else "a source" if seqno is None else f"seqno {seqno}"
            raise NotInOrder(f"{where}: RBA {int(rba[row])} comes after RBA {before}; sort the rows, {SORT}")
        if self._first < 0:
            self._first = int(rba[0])
        self._last = int(rba[-1])

    def end(self) -> None:
        """Finish the files of the current source, and close it."""
        self._files.end()
        parts = len(self._files.parts) - sum(stretch.parts for stretch in self.stretches)
        if parts and self._at is not None:
            self.stretches.append(RowStretch(self._at[0], self._first, self._last, parts))
        self._first = self._last = -1
        self.close()

    def close(self) -> None:
        """Close the source."""
        if self._source is not None:
            self._source.close()
            self._source = None


def _value(batch: Any, column: int | None, row: int) -> Any:
    return batch.column(column)[row].as_py() if column is not None else None


def _runs(keys: Sequence[Any], raw: RawRecords, rows: int, *, by_header: bool) -> Iterator[tuple[int, int]]:
    """Return the bounds of runs of rows with the same source: the same keys, and no file header between them."""
    bounds = {0, rows}
    for column in keys:
        bounds.update(_changes(column).tolist())
    if by_header:
        bounds.update(np.flatnonzero(raw.is_file_header).tolist())
    return pairwise(sorted(bounds))


def _changes(column: Any) -> Any:
    """Return the rows whose value differs from that of the row before."""
    import pyarrow.compute as pc  # noqa: PLC0415 - in the tasks only

    if len(column) < 2:
        return np.array([], dtype=np.int64)
    differs = pc.invert(pc.equal(column[1:], column[:-1])).fill_null(True)  # noqa: FBT003 - a value to fill in
    return 1 + np.flatnonzero(differs.to_numpy(zero_copy_only=False))


MEGABYTE = 1 << 20
_TYPES = {"raw": ("binary",), "file": ("string",), "seqno": ("int", "bigint"), "rba": ("int", "bigint")}


@dataclass
class TaskResult(WriterCommitMessage):
    """The files that one task has written."""

    parts: list[StagedFile]
    stretches: list[RowStretch]


class TrailFrameWriter(DataSourceArrowWriter):
    """Writes the records in the column ``raw`` into files with the headers and definitions of their sources.

    Raises:
        SourceError: a column is missing or of another type, or the target is refused.
    """

    def __init__(self, options: Options, schema: StructType, *, overwrite: bool) -> None:
        if options.path is None:
            raise BadOption("there is no path to write to: save(…) takes one, in SQL INSERT INTO trail WITH (path='…')")
        self._columns = write_columns(schema)
        self._max_bytes = options.megabytes * MEGABYTE if options.megabytes else None
        self._target = Target.parse(options.path)
        self._mode = Mode.OVERWRITE if overwrite else Mode.APPEND
        sweep(self._target.directory)
        self._target.check(self._mode)
        self._folder = new_job_folder(self._target.directory, driver_pid())

    def write(self, iterator: Iterator[Any]) -> TaskResult:
        """Write the rows of a task."""
        context = TaskContext.get()
        partition, attempt = (context.partitionId(), context.taskAttemptId()) if context is not None else (0, 0)
        files = PartFiles(lambda: self._folder.attempt(partition, attempt), self._max_bytes, self._target)
        writing = FrameWriting(self._columns, files, self._target)
        try:
            for batch in iterator:
                writing.add(batch)
            writing.end()
        finally:
            files.abort()
            writing.close()
        return TaskResult(files.parts, writing.stretches)

    def commit(self, messages: list[WriterCommitMessage | None]) -> None:
        """Name the files in the order of their sources if that is known, else of the partitions."""
        written = [message for message in messages if isinstance(message, TaskResult)]
        try:
            parts = ordered(written)
        except BaseException:
            self._folder.discard()
            raise
        publish(self._folder, self._target, self._mode, parts)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:  # noqa: ARG002 - Spark's signature
        """Remove all files of the job."""
        self._folder.discard()


def write_columns(schema: StructType) -> WriteColumns:
    """Return the indexes of the columns that a write uses.

    Raises:
        BadSchema: raw is missing, there is file without rba, or a column is of another type.
    """
    places: dict[str, int] = {}
    for number, field in enumerate(schema.fields):
        name, given = field.name.lower(), field.dataType.simpleString()
        if name not in _TYPES:
            continue
        if given not in _TYPES[name]:
            raise BadSchema(f"column {field.name} is written as {_TYPES[name][0]}, not {given[:200]}")
        places[name] = number
    if "raw" not in places:
        raise BadSchema(f"there is no column raw, the records themselves; write what {SELECT} gives")
    if "file" in places and "rba" not in places:
        raise BadSchema(f"there is file but no rba, which together identify the definitions; write what {SELECT} gives")
    return WriteColumns(places["raw"], places.get("file"), places.get("seqno"), places.get("rba"))


def ordered(written: Sequence[TaskResult]) -> list[StagedFile]:
    """Return the parts of all tasks in the order of their sources if that is known, else of the partitions.

    Raises:
        NotInOrder: rows of one file are interleaved in two tasks.
    """
    pieces: list[tuple[RowStretch, list[StagedFile]]] = []
    for result in written:
        parts = iter(result.parts)
        pieces += [(stretch, [next(parts) for _ in range(stretch.parts)]) for stretch in result.stretches]
    files = [stretch.file for stretch, _ in pieces if stretch.file is not None]
    if len(files) == len(pieces):
        rank = _ranks(files)
        pieces.sort(key=lambda piece: (rank[piece[0].file or ""], piece[0].first))
        for (before, _), (after, _) in pairwise(pieces):
            if before.file == after.file and before.last >= after.first:
                raise NotInOrder(
                    f'{after.file}: its rows are interleaved in several tasks; use .orderBy("seqno", "rba")'
                )
    return [part for _, parts in pieces for part in parts]


def _ranks(files: Sequence[str]) -> dict[str, tuple[int, int]]:
    """Return the rank of each file: that of its trail, in order of first occurrence, and that in its trail."""
    trails: dict[object, list[TrailName]] = {}
    rank: dict[str, tuple[int, int]] = {}
    for file in dict.fromkeys(files):
        name = TrailName.parse(file)
        if name is None or name.path != Path(file):
            trails[file] = []
            rank[file] = len(trails), 0
        else:
            trails.setdefault((name.directory, name.prefix), []).append(name)
    for number, names in enumerate(trails.values(), 1):
        rank |= {str(name.path): (number, place) for place, name in enumerate(in_order(names))}
    return rank
