"""EXPORT under ENGINE SPARK: tasks export pieces of the file in parallel."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from logdump.features.export.exporting import check_target, check_whole
from logdump.features.export.target import ExportOptions, export_target
from logdump.session.across import goes_over_files
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.spark.jobs.engine import left_to_local, run_job, started
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.spark.jobs import export_pieces

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from logdump.spark.jobs.export_pieces import ExportJob, Written


def export_in_spark(master: str, session: Session, options: ExportOptions) -> Generator[Event, None, bool]:
    """Export the records that pass, from the position to the end; return false if this process must do it.

    Raises:
        CommandError: the target must not be written, or the job failed.
        TrailError: as the local export.
    """
    for why in _obstacles(session, options):
        yield left_to_local(why)
        return False
    check_target(session, options.target, is_folder=True)
    try:
        with export_target(options.target, is_folder=True, replaces=options.replaces) as folder:
            written = yield from _written(master, session, options, folder)
            check_whole(written.tally, options)
    except KeyboardInterrupt:
        yield Notice(("The Spark job is cancelled: nothing was exported.",), ExitStatus.INTERRUPTED)
        raise
    written.note(session.trail.path)
    tally = written.tally
    session.cursor.move(tally.end.rba if tally.end is not None else session.trail.size)
    yield from tally.report(str(options.target), by_table=options.by_table, parts=written.parts)
    return True


def _obstacles(session: Session, options: ExportOptions) -> Iterator[str]:
    if options.format == "SQL":
        yield "SQL, which is one script"
    elif options.format == "XLSX":
        yield "XLSX, which is one workbook"
    elif options.one_table:
        yield "ONE TABLE, which is one file"
    elif options.messages:
        yield f"{options.messages.upper()}, whose changes are in order"
    elif goes_over_files(session):
        yield "ACROSS"
    elif options.to_standard_output:
        yield "standard output"
    elif options.records is not None:
        yield "a number of RECORDS"


def _written(master: str, session: Session, options: ExportOptions, folder: Path) -> Generator[Event, None, Written]:
    spark = yield from started(master)
    (folder / export_pieces.ATTEMPTS).mkdir()
    job = export_pieces.ExportJob(
        session.trail.path.absolute(),
        options,
        Settings(**{**vars(session.settings), "engine": None}),
        session.filters_in_use,
        session.source_definitions,
        folder.absolute(),
        session.narrowing(session.trail) if session.narrowing is not None else None,
    )
    return (yield from run_job(spark, partial(_run, spark, job, session)))


def _run(spark: SparkSession, job: ExportJob, session: Session) -> Written:
    pieces = export_pieces.pieces_of(session.trail, session.cursor.next, spark.sparkContext.defaultParallelism)
    return export_pieces.export_pieces(spark, job, pieces)
