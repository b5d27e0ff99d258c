"""SQL under ENGINE SPARK: the statement runs as a job, and its rows come back as Arrow batches."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from logdump.features.sql.rows import ResultRows, no_rows
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from logdump.spark.jobs.engine import note_ends, run_job, started
from trailformat.codec.on_demand import on_demand

with on_demand:
    from logdump.spark import views

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def query_in_spark(
    master: str, statement: str, paths: Sequence[str], options: Mapping[str, str], most: int | None
) -> Generator[Event | ResultRows, None, None]:
    """Yield at most ``most`` rows of the statement in batches, and the progress of the Spark job.

    Raises:
        CommandError: Spark is not available, or the statement is wrong.
        BadRecord: damage.
    """
    spark = yield from started(master)
    try:
        frame = yield from run_job(spark, partial(_frame, spark, statement, paths, options))
        if frame.columns:
            table = yield from run_job(spark, (frame.limit(most) if most is not None else frame).toArrow)
            yield from map(ResultRows, [no_rows(table.schema), *table.to_batches()])
        if paths:
            note_ends(paths)
    except KeyboardInterrupt:
        yield Notice(("The Spark job is cancelled.",), ExitStatus.INTERRUPTED)
        raise


def _frame(spark: SparkSession, statement: str, paths: Sequence[str], options: Mapping[str, str]) -> DataFrame:
    return views.Views(spark, paths, options).query(statement) if paths else views.sql(spark, statement)
