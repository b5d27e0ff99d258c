"""EXPORT under ENGINE SPARK: tasks export slices of the file in parallel, each to files of its own.

A file of a local export is a folder of parts with the same name here; programs that read Parquet, CSV or JSON lines
accept both.

    sales.parquet/part-00000.parquet                        without BY TABLE
    sales/HR.JOBS.parquet/part-00000.parquet                with it
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from logdump.arrow.tables.layout import FileNames, TableLayout
from logdump.features.export.exporting import check_whole, export_of
from logdump.features.export.target import ExportOptions, ExportTally, FileTally, part_name, suffix_of
from logdump.session.session import Session, SourceDefinitions
from logdump.session.settings import Settings
from trailformat import CannotRead, TrailError, TrailFile
from trailformat.scan.position import FileRange, first_position
from trailformat.scan.split import consistent_ranges, split_points
from trailformat.trail.command_files import one_reading, reading

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from logdump.filters import FilterSet

_MOST, _LEAST = 128 << 20, 4 << 20
"""Maximum size of a piece in bytes, and the minimum size down to which a file is split into two pieces per core."""
ATTEMPTS = "_attempts"
"""The folder, within that of the export, in which tasks write."""


class ExportJob(NamedTuple):
    """The job that all tasks share; ``folder`` is that of the export, ``narrowing`` a second filter (EFFECTIVE)."""

    trail: Path
    options: ExportOptions
    settings: Settings
    filters: FilterSet | None
    definitions: SourceDefinitions | None
    folder: Path
    narrowing: FilterSet | None = None


class TaskOutput(NamedTuple):
    """The result of a task: the number of its piece, the folder with its files, and their counts; or an error.

    ``undecided``: the RBAs of the first and the last change of which the filter cannot tell whether it passes.
    """

    number: int
    folder: Path
    tally: ExportTally
    undecided: tuple[int, int] | None = None
    error: Exception | None = None


def pieces_of(trail: TrailFile, start: int, cores: int) -> list[tuple[int, int]]:
    """Return the ranges of RBAs to export: at each begins a record, whether the file is read in one walk or in many.

    Raises:
        CannotRead: the file can no longer be read.
    """
    size = trail.size - start
    count = max(-(-size // _MOST), min(2 * cores, size // _LEAST))
    points = [start, *(point for point in split_points(trail, count) if point > start)]
    guessed = [FileRange(first_position(trail, begin), end) for begin, end in pairwise([*points, trail.size])]
    walked = consistent_ranges(trail, guessed) if len(guessed) > 1 else guessed
    begins = [piece.start.rba for piece in walked if piece.start == first_position(trail, piece.start.rba)]
    return list(pairwise([*begins, trail.size]))


class Written(NamedTuple):
    """What all tasks have written: their counts, the number of parts, and what each has left out."""

    tally: ExportTally
    parts: int
    outputs: Sequence[TaskOutput]

    def note(self, path: Path) -> None:
        """Note what the tasks have left out of a file for the answer of this command."""
        if (files := reading()) is not None:
            for output in self.outputs:
                if output.undecided is not None:
                    files.note_undecided(path, *output.undecided)


def export_pieces(spark: SparkSession, job: ExportJob, pieces: Sequence[tuple[int, int]]) -> Written:
    """Have tasks export the pieces, and move their files into place.

    Raises:
        TrailError, CannotRead, OSError: the error of a task.
    """
    tasks = spark.sparkContext.parallelize(list(enumerate(pieces)), len(pieces))
    written: list[TaskOutput] = tasks.mapPartitions(partial(export_all, job)).collect()
    for result in written:
        if result.error is not None:
            raise result.error
    return Written(*gathered(job, written), written)


def export_all(job: ExportJob, pieces: Iterable[tuple[int, tuple[int, int]]]) -> Iterator[TaskOutput]:
    """Export the numbered pieces of a task, each to a folder of its own; yields their results."""
    from pyspark import TaskContext  # noqa: PLC0415 - only a worker has one

    context = TaskContext.get()
    attempt = context.taskAttemptId() if context is not None else 0
    for number, (start, stop) in pieces:
        folder = job.folder / ATTEMPTS / f"{number}-{attempt}"
        try:
            with one_reading() as files:
                tally = _export(job, folder, number, start, stop)
            yield TaskOutput(number, folder, tally, files.undecided.get(job.trail))
        except (TrailError, CannotRead, OSError) as error:
            yield TaskOutput(number, folder, ExportTally(), error=error)


def _export(job: ExportJob, folder: Path, number: int, start: int, stop: int) -> ExportTally:
    session, tally = Session(), ExportTally()
    session.settings, session.filters_in_use, session.source_definitions = job.settings, job.filters, job.definitions
    if (narrowing := job.narrowing) is not None:
        session.narrowing = lambda _: narrowing
    options = job.options._replace(stop=stop)
    session.open(job.trail)
    try:
        session.cursor.move(start)
        folder.mkdir()
        path = folder if options.by_table else folder / part_name(number, suffix_of(options))
        export = export_of(session, options, tally)
        for _ in export.run(path):
            pass
        check_whole(tally, options)
    finally:
        session.close()
    return tally


def gathered(job: ExportJob, written: Sequence[TaskOutput]) -> tuple[ExportTally, int]:
    """Collect the files of all tasks in the folder of the export, by table, and add up their counts."""
    suffix = suffix_of(job.options)
    names, folders, whole = FileNames(suffix), dict[TableLayout, FileTally](), ExportTally()
    for result in written:
        part = part_name(result.number, suffix)
        for file in result.tally.files:
            name, target = part, job.folder
            if job.options.by_table:
                known = folders.get(file.layout) or FileTally(names.new(file.layout), file.layout, 0)
                folders[file.layout] = known._replace(rows=known.rows + file.rows)
                name, target = file.name, job.folder / known.name
                target.mkdir(exist_ok=True)
            (result.folder / name).rename(target / part)
        whole.add(result.tally)
    shutil.rmtree(job.folder / ATTEMPTS)
    parts = len(whole.files)
    whole.files = list(folders.values()) or whole.files
    return whole, parts
