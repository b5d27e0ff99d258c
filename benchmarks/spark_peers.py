"""The peers of trails in Spark: Parquet, the least source, ``cp``, the local engine; and processor time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from benchmarks.measure import run_silently
from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.features.count.model import CountShown
from logdump.features.diff.model import DifferenceShown
from logdump.language.execute import run_line
from logdump.session.events import Event, Failure
from logdump.session.session import Session

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import StructType

_LEAST_ROWS = 1 << 14
"""Rows of a batch, about as many as in a batch of the trail source."""


def parquet_of(target: Path, load: Callable[[], DataFrame]) -> str:
    """Return the path of the same rows as Parquet, which is written once."""
    if not (target / "_SUCCESS").exists():
        load().write.mode("overwrite").parquet(str(target))
    return str(target)


def least_source(spark: SparkSession, frame: DataFrame, records: int, tasks: int) -> Callable[[], DataFrame]:
    """Return a function that loads the least source in Python: its tasks repeat one batch of the frame.

    Args:
        spark: the session.
        frame: rows with the columns of the source.
        records: approximate number of rows.
        tasks: number of tasks.
    """
    from pyspark.sql.datasource import DataSource, DataSourceReader, InputPartition  # noqa: PLC0415 - Spark is loaded

    sample, columns = frame.limit(_LEAST_ROWS).toArrow().combine_chunks(), frame.schema
    [batch] = sample.to_batches()
    times = max(1, round(records / tasks / len(batch)))
    format_name = f"least{uuid4().hex}"

    class LeastReader(DataSourceReader):
        def partitions(self) -> Sequence[InputPartition]:
            return [InputPartition(number) for number in range(tasks)]

        def read(self, partition: InputPartition) -> Iterator[Any]:  # noqa: ARG002 - all are the same
            yield from repeat(batch, times)

    class LeastSource(DataSource):
        @classmethod
        def name(cls) -> str:
            return format_name

        def schema(self) -> StructType:
            return columns

        def reader(self, schema: StructType) -> DataSourceReader:  # noqa: ARG002 - it is that of the batch
            return LeastReader()

    spark.dataSource.register(LeastSource)
    return spark.read.format(format_name).load


def copied_with_fsync(source: Path, target: Path) -> int:
    """Copy a folder with ``cp``, and wait until it is on the disk."""
    shutil.rmtree(target, ignore_errors=True)
    run_silently(["cp", "-r", str(source), str(target)])
    for path in (*target.iterdir(), target):
        descriptor = os.open(path, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
    return 0


def run_lines(*lines: str) -> list[Event]:
    """Run commands in a session of their own; return the events.

    Raises:
        LookupError: a command failed.
    """
    session, events = Session(), list[Event]()
    try:
        for line in lines:
            events += run_line(session, REGISTRY, line)
    finally:
        session.end()
    if failures := [event for event in events if isinstance(event, Failure)]:
        raise LookupError("\n".join(render(failures[0], session.settings)))
    return events


def local_count(pattern: str) -> int:
    """Return the number of records by COUNT DETAIL of the local engine."""
    events = run_lines(f"count detail, log {pattern}")
    return next(event.counted.total.records for event in events if isinstance(event, CountShown))


def local_diff(a: str, b: str) -> int:
    """Return the number of differences by DIFF BYTES of the local engine."""
    return sum(isinstance(event, DifferenceShown) for event in run_lines(f'diff "{a}" "{b}" bytes'))


def processor_seconds() -> float:
    """Return the processor seconds of this process and its descendants, including those that have ended."""
    if not Path("/proc/self/stat").exists():
        return sum(os.times()[:4])
    parents, ticks = dict[int, int](), dict[int, int]()
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it has ended meanwhile
        parents[int(path.parent.name)], ticks[int(path.parent.name)] = int(fields[1]), sum(map(int, fields[11:15]))
    ours = {os.getpid()}
    while more := {process for process, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(ticks[process] for process in ours) / os.sysconf("SC_CLK_TCK")
