"""Trails in Spark beside Parquet and the local engine, in one run: ``python -m benchmarks.spark --megabytes 2000``.

Every line is the best of some runs in one local session, over several files with a warm page cache. What a line finds
is held against what the trails hold. A peer that is not installed is skipped and named.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.generate import CACHE, large_trail
from benchmarks.measure import Missing, best, run_silently
from benchmarks.spark_peers import by_binary_file, decoded_here, local_count, local_save, parquet_of
from logdump.spark import save, session, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

FEW = "FILENAME TEAHOUSE.PAYMENTS; IOTYPE DELETE; MATCH ALL"
FEW_IN_SPARK = "table = 'TEAHOUSE.PAYMENTS' AND op = 'Delete'"
HALF = ("TEAHOUSE.ORDER_LINES", "TEAHOUSE.ORDERS", "TEAHOUSE.DELIVERIES", "WAREHOUSE.AUDIT_TRAIL")
LARGEST = "TEAHOUSE.ORDER_LINES"
_RAW = "file,seqno,rba,table,raw"


class Trails(NamedTuple):
    """The files, as a pattern that globs and COUNT LOG read alike; their bytes and records."""

    pattern: str
    paths: list[Path]
    size: int
    records: int


class Line(NamedTuple):
    """What runs, and what it must find: it returns a number of records."""

    label: str
    run: Callable[[], int]
    expected: int | None = None


class Aim(NamedTuple):
    """A line is to take at most ``most`` times the seconds of another."""

    ours: str
    other: str
    most: float


COUNTED, COUNTED_PARQUET = "count()", "count() of Parquet"
SUMMARY, PRUNED, FULL = "by table and op: summary", "by table and op: two columns", "by table and op: all columns"
GROUPED_PARQUET, BINARY = "by table and op: Parquet", "by table and op: binaryFile, mapInArrow"
WHERE, NO_WHERE = "1 % of all columns: where", "1 % of all columns: Spark's filter"
SINK, SINK_PARQUET, DECODED = (
    "all columns to noop",
    "all columns to noop: Parquet",
    "all columns made, no Spark, one core",
)
ROWS, ROW_IMAGES = "rows of one table to noop: table()", "rows of one table to noop: before, after"
SAVED, SAVED_FRAME, COPIED = "SAVE of half: save()", "SAVE of half: DataFrame", "cp of that half"
LOCAL_COUNT, LOCAL_SAVE = "local engine: COUNT DETAIL", "local engine: SAVE of half"

AIMS = (
    Aim(SUMMARY, GROUPED_PARQUET, 1.5),
    Aim(WHERE, NO_WHERE, 1 / 3),
    Aim(SAVED, COPIED, 1 / 0.4),
    Aim(SAVED, SAVED_FRAME, 1 / 3),
)


def trails(megabytes: int, files: int) -> Trails:
    """So many files, together of about that size."""
    folder = CACHE / f"spark-{megabytes}-{files}"
    made = [large_trail(megabytes // files, at + 1, path=folder / f"lt{at:09d}") for at in range(files)]
    size, records = sum(one.size for one in made), sum(one.facts.records for one in made)
    return Trails(str(folder / "lt?????????"), [one.path for one in made], size, records)


def _load(spark: SparkSession, source: Trails, **options: str) -> DataFrame:
    return spark.read.format("trail").options(**options).load(source.pattern)


def _by_table(frame: DataFrame, records: str = "1") -> int:
    groups = frame.selectExpr("table", "op", f"{records} AS n").groupBy("table", "op").sum("n").collect()
    return sum(row[2] for row in groups)


def _sink(frame: DataFrame) -> int:
    frame.write.format("noop").mode("overwrite").save()
    return 0


def _reads(spark: SparkSession, source: Trails, parquet: Path) -> Iterator[Line]:
    records = source.records
    load = partial(_load, spark, source)
    yield Line(COUNTED, lambda: load(columns="rba").count(), records)
    yield Line(SUMMARY, lambda: _by_table(load(summary="true"), "records"), records)
    yield Line(PRUNED, lambda: _by_table(load(columns="table,op")), records)
    yield Line(FULL, lambda: _by_table(load(columns="all")), records)
    yield Line(WHERE, lambda: _sink(load(where=FEW, columns="all")))
    yield Line(NO_WHERE, lambda: _sink(load(columns="all").where(FEW_IN_SPARK)))
    yield Line(SINK, lambda: _sink(load(columns="all")))
    yield Line(ROWS, lambda: _sink(table(spark, source.pattern, LARGEST)))
    yield Line(ROW_IMAGES, lambda: _sink(load(table=LARGEST, columns="file,rba,op,csn,xid,time,before,after,problems")))
    yield Line(DECODED, lambda: decoded_here(source.pattern), records)
    yield Line(COUNTED_PARQUET, lambda: spark.read.parquet(str(parquet)).count(), records)
    yield Line(GROUPED_PARQUET, lambda: _by_table(spark.read.parquet(str(parquet))), records)
    yield Line(SINK_PARQUET, lambda: _sink(spark.read.parquet(str(parquet))))
    yield Line(LOCAL_COUNT, lambda: local_count(source.pattern), records)


def _writes(spark: SparkSession, source: Trails, folder: Path, expected: int) -> Iterator[Line]:
    chosen = "; ".join(f"FILENAME {name}" for name in HALF)
    target, copy = folder / "saved", folder / "copied"

    def direct() -> int:
        return sum(one.records for one in save(spark, source.pattern, target, where=chosen, mode="overwrite"))

    def through_frame() -> int:
        frame = _load(spark, source, columns=_RAW, maxPartitionBytes="0")
        kept = frame.where(frame["table"].isin(*HALF))
        kept.write.format("trail").mode("overwrite").save(str(folder / "frame"))
        return 0

    def copied() -> int:
        shutil.rmtree(copy, ignore_errors=True)
        run_silently(["cp", "-r", str(target), str(copy)])
        return 0

    yield Line(SAVED, direct, expected)
    yield Line(SAVED_FRAME, through_frame)
    yield Line(COPIED, copied)
    yield Line(LOCAL_SAVE, lambda: local_save(source.paths, folder / "local", HALF), expected)


def _lines(spark: SparkSession, source: Trails, folder: Path) -> Iterator[Line]:
    parquet = parquet_of(spark, source.pattern)
    yield from _reads(spark, source, parquet)
    if importlib.util.find_spec("pandas") is not None:
        yield Line(BINARY, lambda: by_binary_file(spark, source.pattern), source.records)
    summary = _load(spark, source, summary="true", columns="table,records").groupBy("table").sum("records").collect()
    yield from _writes(spark, source, folder, sum(row[1] for row in summary if row[0] in HALF))


def measured(line: Line, runs: int) -> tuple[float, str]:
    """Seconds of the fastest run, and a note where what it found is wrong."""
    found: list[int] = []
    seconds = best(lambda: found.append(line.run()), runs)
    is_wrong = line.expected is not None and set(found) != {line.expected}
    return seconds, f"  WRONG: {found[0]} instead of {line.expected}" if is_wrong else ""


def report(spark: SparkSession, source: Trails, folder: Path, runs: int) -> None:
    """Measure and print each line as it comes; at the end the ratios."""
    known: dict[str, float] = {}
    for line in _lines(spark, source, folder):
        try:
            known[line.label], note = measured(line, runs)
        except Missing as missing:
            print(f"{line.label:42}{missing}")
            continue
        seconds = known[line.label]
        print(f"{line.label:42}{seconds:9.2f} s{source.size / seconds / 1e9:8.3f} GB/s{note}", flush=True)
    if BINARY not in known:
        print(f"{BINARY:42}skipped: pandas is not installed")
    print("\nAims, as ratios of seconds:")
    for aim in AIMS:
        reached = known[aim.ours] / known[aim.other]
        verdict = "reached" if reached <= aim.most else "missed"
        print(f"{aim.ours:30} at most {aim.most:5.2f} x {aim.other:36}{reached:7.2f}  {verdict}")
    share = known[DECODED] / spark.sparkContext.defaultParallelism / known[SINK]
    print(
        f"Of the time that all columns take, {share:.0%} is spent on making them; the rest is Arrow to rows of the JVM."
    )


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description="Measure trails in Spark.")
    parser.add_argument("--megabytes", type=int, default=2000, help="size of all files together (default 2000)")
    parser.add_argument("--files", type=int, default=8)
    parser.add_argument("--runs", type=int, default=3, help="the best of so many (default 3)")
    options = parser.parse_args(arguments)
    source = trails(options.megabytes, options.files)
    cores = os.cpu_count()
    size = f"{source.size / 1e6:.0f} MB, {source.records} records in {len(source.paths)} files"
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        settings: dict[str, Any] = {"spark_driver_memory": "4g", "spark_sql_warehouse_dir": f"{folder}/warehouse"}
        spark = session(**settings)
        print(f"{size}; {cores} cores, Spark {spark.version}; best of {options.runs}, warm page cache\n", flush=True)
        report(spark, source, Path(folder), options.runs)
        spark.stop()


if __name__ == "__main__":
    main()
