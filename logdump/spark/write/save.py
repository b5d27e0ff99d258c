"""SAVE as a Spark job: each task scans, filters and writes files itself; no record goes through the JVM."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from pyspark import TaskContext

from logdump.arrow.records.schema import BIGINT, BINARY, RowColumn
from logdump.features.save.header import SavedDefinitions
from logdump.features.save.ranges import RangeCopy, RowsOfFile
from logdump.session.passing import passing_batches
from logdump.spark.jobs.local_session import is_remote
from logdump.spark.tasks import worked
from logdump.spark.write.publish import PartFiles, SavedFile, SourceFiles, StagedFile, publish, sweep
from logdump.spark.write.target import JobFolder, Mode, Target, new_job_folder
from logdump.tables.errors import BadTrail, SourceError, located
from logdump.tables.options import Options, Paths, Use, parse_options, path_options
from logdump.tables.planner import packed, plan
from logdump.tables.slice import Slice, selection_of
from logdump.tables.slices import open_trail
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.codec.on_demand import on_demand
from trailformat.codec.remote.path import place
from trailformat.scan import PARTIAL, RECORD, Workers
from trailformat.scan.parallel import cores

with on_demand:
    import numpy as np

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from trailformat.scan import Batch

MEGABYTE = 1 << 20


class Job(NamedTuple):
    """The job that all tasks share.

    Attributes:
        max_bytes: maximum size of a file; None: no limit.
        threads: number of threads with which a task scans a large file: the session's cores per task.
    """

    folder: JobFolder
    options: Options
    max_bytes: int | None
    target: Target | None = None
    threads: int = 1


class SliceFailure(NamedTuple):
    """A failure that another attempt would not avoid."""

    error: Exception


def save(
    spark: SparkSession,
    source: Paths,
    target: str | os.PathLike[str],
    *,
    megabytes: int | None = None,
    mode: str = "errorifexists",
    **options: str,
) -> list[SavedFile]:
    """Save the records of trails that pass to new, self-contained trail files; return the files in order.

    Every source file becomes a file of its own, or several if ``megabytes`` (of 1,048,576 bytes) is reached; they are
    numbered in the order of the sources. No file is visible before all are complete.

    Args:
        spark: session whose workers can open the files.
        source: file, directory or glob, or several, as for ``load``.
        target: directory, or the first file to write, such as ``dirdat/rt000000000``.
        megabytes: maximum size of a file; a single record may be larger.
        mode: ``errorifexists``, ``append`` or ``overwrite``.
        options: options that choose files and records: ``where``, ``startCsn``, ``endTimestamp``, ….

    Raises:
        SourceError: an option or the target is refused, there is no source, or it is damaged.
        CannotWrite: the target could not be written; it is as it was before.
    """
    goal, chosen = Target.parse(os.fspath(target)), Mode.parse(mode)
    read = parse_options({**path_options(source), **options}, Use.SAVE)
    sweep(goal.directory)
    goal.check(chosen)
    slices = [part for lot in plan(replace(read, max_partition_bytes=0)) for part in lot]
    for part in slices:
        goal.refuse_source(part.path)
    job = Job(new_job_folder(goal.directory, os.getpid()), read, megabytes * MEGABYTE if megabytes else None, goal)
    try:
        job.folder.make()
        return publish(job.folder, goal, chosen, _run(spark, job, slices))
    finally:
        job.folder.discard()


def _run(spark: SparkSession, job: Job, slices: Sequence[Slice]) -> list[StagedFile]:
    """Have the tasks save whole files, small ones together; return the parts in the order of the sources."""
    most = job.options.max_partition_bytes
    if is_remote(spark):
        lots = list(packed(slices, most))
        numbers = spark.range(0, len(lots), 1, max(len(lots), 1))
        rows = worked(numbers, partial(_in_task, job, lots), _OUTCOMES).collect()
        return _parts(pickle.loads(row.outcome) for row in sorted(rows, key=lambda row: int(row.lot)))  # noqa: S301 - of our own tasks
    context = spark.sparkContext
    share = -(-sum(part.size for part in slices) // context.defaultParallelism)
    lots = list(packed(slices, min(share, most)))
    tasks = context.parallelize(lots, max(len(lots), 1))
    job = job._replace(threads=max(1, context.defaultParallelism // max(len(lots), 1)))
    return _parts(tasks.mapPartitionsWithIndex(partial(save_lots, job)).collect())


_OUTCOMES = RowColumn("lot", BIGINT, ""), RowColumn("outcome", BINARY, "")


def _in_task(job: Job, lots: Sequence[Sequence[Slice]], numbers: Iterable[tuple[int]]) -> Iterator[tuple[int, bytes]]:
    """Save the groups of slices with these numbers; for Spark Connect, where a task gets rows."""
    for (number,) in numbers:
        for outcome in save_lots(job, number, [lots[number]]):
            yield number, pickle.dumps(outcome)


def _parts(outcomes: Iterable[list[StagedFile] | SliceFailure]) -> list[StagedFile]:
    parts: list[StagedFile] = []
    for outcome in outcomes:
        if isinstance(outcome, SliceFailure):
            raise outcome.error
        parts += outcome
    return parts


def save_lots(job: Job, partition: int, lots: Iterable[Sequence[Slice]]) -> Iterator[list[StagedFile] | SliceFailure]:
    """Yield, in a task, the parts written for each of its groups of slices."""
    context = TaskContext.get()
    attempt = context.taskAttemptId() if context is not None else 0
    for lot in lots:
        files = PartFiles(lambda: job.folder.attempt(partition, attempt), job.max_bytes, job.target)
        try:
            with Workers(min(job.threads, cores())) as workers:
                for part in lot:
                    _save_file(part, job.options, files, workers)
            yield files.parts
        except (TrailError, CannotRead, SourceError) as error:
            yield SliceFailure(error)
        finally:
            files.abort()


def _save_file(part: Slice, options: Options, files: PartFiles, workers: Workers) -> None:
    """Save the records of one file that pass.

    Raises:
        BadTrail: the file is damaged.
        FileChanged: the file was removed, or has become shorter.
        CannotWrite: the attempt's folder cannot be written.
    """
    trail = open_trail(part, options)
    if not isinstance(trail, TrailFile):
        return
    with trail:
        files.begin(SourceFiles(part.path, trail.file_header, lambda: SavedDefinitions(trail)))
        selection = selection_of(trail, options)
        copy = RangeCopy(files.write, files.write_bytes, lambda: files.room, copy_range=files.copy_range)
        batches = passing_batches(selection, trail, workers, trail.first_rba, stop=part.stop, by_definition=True)
        passing = ((batch, selection.rows(batch) if mask is None else mask) for batch, mask in batches)
        chosen = ((batch, (mask & _is_wanted(batch, part)).nonzero()[0]) for batch, mask in passing)
        for batch, chunks in RowsOfFile(trail).read_ahead(chosen, workers):
            for chunk in chunks:
                copy.copy(chunk)
            _check(trail, batch, part)
        files.end()


def _is_wanted(batch: Batch, part: Slice) -> object:
    """Return a mask of the rows that are records between the bounds on the RBA."""
    rba = np.asarray(batch.rba)
    return (np.asarray(batch.kind) == RECORD) & (rba >= part.only.first) & (rba <= part.only.last)


def _check(trail: TrailFile, batch: Batch, part: Slice) -> None:
    """Check that there is no damage in a batch; an incomplete record at the end of the trail is none."""
    for row in batch.spans():
        if batch.kind[row] == PARTIAL and part.ends_trail:
            continue
        rba = int(batch.rba[row])
        if (error := trail.error_at(rba)) is not None:
            raise BadTrail(located(error, place(part.path), rba))
