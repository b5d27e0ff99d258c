"""A query as a job of Spark."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from logdump.features.sql.rows import ResultRows, no_rows
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from logdump.spark.jobs.engine import run_job, started

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def spark_results(
    session: Session, statement: str, paths: Sequence[str], options: Mapping[str, str], most: int | None
) -> Iterator[Event | ResultRows]:
    """The batches of rows that Spark gives, at most so many rows, and the progress of its job.

    Raises:
        CommandError: Spark is not there, or the statement is wrong.
        BadRecord: damage.
    """
    spark = yield from started(session)
    try:
        frame = yield from run_job(spark, partial(_frame, spark, statement, paths, options))
        if frame.columns:
            table = yield from run_job(spark, (frame.limit(most) if most is not None else frame).toArrow)
            yield from map(ResultRows, [no_rows(table.schema), *table.to_batches()])
    except KeyboardInterrupt:
        yield Notice(("The Spark job is cancelled.",), ExitStatus.INTERRUPTED)
        raise


def _frame(spark: SparkSession, statement: str, paths: Sequence[str], options: Mapping[str, str]) -> DataFrame:
    from logdump.spark.views import Views, sql  # noqa: PLC0415 - Spark is there by now

    return Views(spark, paths, options).query(statement) if paths else sql(spark, statement)
