"""``df.write.format("trail")``: the Arrow writer, and the commit that orders what its tasks have written."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pyspark.sql.datasource import DataSourceArrowWriter, WriterCommitMessage

from logdump.spark.errors import BadOption, BadSchema
from logdump.spark.source.options import Options
from logdump.spark.write.frame_writer import FrameWriting, NotInOrder, RowStretch, WriteColumns
from logdump.spark.write.part_files import PartFiles
from logdump.spark.write.publish import StagedFile, publish, sweep
from logdump.spark.write.row_sources import SELECT
from logdump.spark.write.target import Mode, Target, driver_pid, new_job_folder
from trailformat import TrailName
from trailformat.trail.sequence import in_order

if TYPE_CHECKING:
    from pyspark.sql.types import StructType

MEGABYTE = 1 << 20
_TYPES = {"raw": ("binary",), "file": ("string",), "seqno": ("int", "bigint"), "rba": ("int", "bigint")}


@dataclass
class TaskResult(WriterCommitMessage):
    """The files that one task has written."""

    parts: list[StagedFile]
    stretches: list[RowStretch]


class TrailFrameWriter(DataSourceArrowWriter):
    """Writes the records in the column ``raw``, into files of their sources' headers and definitions.

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
        from pyspark import TaskContext  # noqa: PLC0415 - tasks only

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
        """Name the files, in the order of their sources where that is known, else in that of the partitions."""
        written = [message for message in messages if isinstance(message, TaskResult)]
        try:
            parts = ordered(written)
        except BaseException:
            self._folder.discard()
            raise
        publish(self._folder, self._target, self._mode, parts)

    def abort(self, messages: list[WriterCommitMessage | None]) -> None:  # noqa: ARG002 - Spark's signature
        """Leave nothing behind."""
        self._folder.discard()


def write_columns(schema: StructType) -> WriteColumns:
    """The places of the columns that a write uses.

    Raises:
        BadSchema: raw is missing, file is there without rba, or one is of another type.
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
    """The parts of all tasks, given in the order of the partitions, in the order of their sources where it is known.

    Raises:
        NotInOrder: two tasks have rows of one file between each other's.
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
                raise NotInOrder(f'{after.file}: its rows lie mixed in several tasks; use .orderBy("seqno", "rba")')
    return [part for _, parts in pieces for part in parts]


def _ranks(files: Sequence[str]) -> dict[str, tuple[int, int]]:
    """The place of each file: that of its trail, in the order in which trails appear, and that in its trail."""
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
