"""What trails in Spark are held against: Parquet, binaryFile, the columns made without Spark, the local engine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from logdump.arrow.records.schema import Selected
from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.features.count.model import CountShown
from logdump.language.execute import run_line
from logdump.session.events import Failure
from logdump.session.session import Session
from logdump.spark.source.options import Use, parse_options
from logdump.spark.source.planner import plan
from logdump.spark.source.reader import read
from logdump.spark.source.request import Request
from logdump.spark.source.schema import offered

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_COUNTS = "table string, op string, n long"


def parquet_of(spark: SparkSession, pattern: str) -> Path:
    """The same rows as Parquet, beside the trails; made once."""
    target = Path(pattern).parent / "parquet"
    if not (target / "_SUCCESS").exists():
        spark.read.format("trail").option("columns", "all").load(pattern).write.mode("overwrite").parquet(str(target))
    return target


def decoded_here(pattern: str) -> int:
    """Make the record batches of all columns as the tasks do, one after the other; the records."""
    options = parse_options({"path": pattern}, Use.READ)
    request = Request(tuple(Selected(one.name, one) for one in offered(options)), options)
    return sum(len(batch) for slices in plan(options) for batch in read(slices, request))


def by_binary_file(spark: SparkSession, pattern: str) -> int:
    """Whole files through the JVM, and there the same scan; the records."""
    files = spark.read.format("binaryFile").load(pattern).select("content")
    rows = files.mapInArrow(_scan_contents, _COUNTS).groupBy("table", "op").sum("n").collect()
    return sum(row[2] for row in rows)


def _scan_contents(batches: Iterable[Any]) -> Iterator[Any]:
    import pyarrow as pa  # noqa: PLC0415 - in the worker

    for batch in batches:
        for content in batch.column(0):
            rows = _counts(content.as_buffer())
            yield pa.RecordBatch.from_pydict(
                {name: [row[at] for row in rows] for at, name in enumerate(("table", "op", "n"))},
                schema=pa.schema([("table", pa.string()), ("op", pa.string()), ("n", pa.int64())]),
            )


def _counts(content: Any) -> list[tuple[str, str, int]]:
    import numpy as np  # noqa: PLC0415 - in the worker

    from trailformat import TrailFile, io_type_name  # noqa: PLC0415 - in the worker
    from trailformat.scan import scan  # noqa: PLC0415 - in the worker

    found: dict[tuple[str, str], int] = {}
    memory = os.memfd_create("trail")
    try:
        os.writev(memory, [content])
        with TrailFile(f"/proc/self/fd/{memory}") as trail:
            for batch in scan(trail):
                keys = np.asarray(batch.table).astype(np.int64) << 16 | np.asarray(batch.io_type)
                for key, number in zip(*np.unique(keys, return_counts=True), strict=True):
                    group = batch.names[int(key) >> 16], io_type_name(int(key) & 0xFFFF)
                    found[group] = found.get(group, 0) + int(number)
    finally:
        os.close(memory)
    return [(*group, number) for group, number in found.items()]


def local_count(pattern: str) -> int:
    """COUNT DETAIL of the local engine; the records."""
    session, found = Session(), 0
    for event in run_line(session, REGISTRY, f"count detail, log {pattern}"):
        _check(event, session)
        if isinstance(event, CountShown):
            found = event.counted.total.records
    return found


def local_save(paths: Iterable[Path], folder: Path, names: Iterable[str]) -> int:
    """SAVE of the local engine, file by file; the records."""
    folder.mkdir(exist_ok=True)
    session, found = Session(), 0
    for path in paths:
        lines = [f'open "{path}"', "filter clear", *(f"filter filename {name}" for name in names)]
        for line in (*lines, f'save "{folder / path.name}" !'):
            for event in run_line(session, REGISTRY, line):
                _check(event, session)
                told = " ".join(render(event, session.settings))
                found += int(told.split()[1]) if told.startswith("Saved ") else 0
    session.end()
    return found


def _check(event: Any, session: Session) -> None:
    failed = isinstance(event, Failure)
    if failed:
        raise LookupError("\n".join(render(event, session.settings)))
