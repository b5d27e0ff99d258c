"""Trails in Spark compared with Parquet and the local engine: ``python -m benchmarks.spark 4x125 1x1000``.

Each trail is given as files x megabytes. Every line is the best of some runs in one warm local session, over files in
the page cache; its result is checked. The aims are ratios within one run. On a machine with other work, the ratios of
processor seconds (of this process and its descendants) are more reliable.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from benchmarks.generate import CACHE, large_trail
from benchmarks.spark_peers import (
    copied_with_fsync,
    least_source,
    local_count,
    local_diff,
    parquet_of,
    processor_seconds,
    run_lines,
)
from logdump.spark import changes, diff, save, session, table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

HALF = ("TEAHOUSE.ORDER_LINES", "TEAHOUSE.ORDERS", "TEAHOUSE.DELIVERIES", "WAREHOUSE.AUDIT_TRAIL")
LARGEST = "TEAHOUSE.ORDER_LINES"
TRAILS = ("4x125", "1x1000")


class Trail(NamedTuple):
    """A trail: its files, their pattern (a glob that COUNT LOG takes too), and the numbers of bytes and records."""

    pattern: str
    paths: list[Path]
    size: int
    records: int

    @classmethod
    def made(cls, text: str) -> Trail:
        """Return the trail of N files of M megabytes for the text ``NxM``, such as ``4x125``."""
        files, megabytes = (int(number) for number in text.split("x"))
        folder = CACHE / f"spark-{text}"
        trails = [large_trail(megabytes, seqno + 1, path=folder / f"lt{seqno:09d}") for seqno in range(files)]
        size, records = sum(trail.size for trail in trails), sum(trail.facts.records for trail in trails)
        return cls(str(folder / "lt?????????"), [trail.path for trail in trails], size, records)

    def __str__(self) -> str:
        files = f"{len(self.paths)} file{'s' * (len(self.paths) > 1)}"
        return f"{self.size / 1e6:.0f} MB, {self.records} records in {files}"


class Line(NamedTuple):
    """A function to be measured, which returns a number of records, and the number expected; None: not checked."""

    label: str
    run: Callable[[], int]
    expected: int | None = None


class Measured(NamedTuple):
    """Elapsed seconds of the fastest run, and the least processor seconds of a run."""

    seconds: float
    processor: float


class Aim(NamedTuple):
    """A line takes at most ``most`` times as long as another; None: no aim, the cost of any source in Python."""

    ours: str
    other: str
    most: float | None = None


PARQUET, LEAST = "Parquet: ", "the least: "
TWO, HEADER, ALL, ROWS = "table, op: counted by both", "header", "all", f"table(): {LARGEST}"
SUMMARY, SAVED, COMPARED, EXPORTED = (
    "summary: table, op, records",
    "save() of half",
    "diff(): bytes",
    "EXPORT PARQUET: a job",
)
LOCAL_COUNT, COPIED = "local COUNT DETAIL", "cp of that half, fsync"
LOCAL_DIFF, LOCAL_EXPORT = "local DIFF BYTES", "local EXPORT PARQUET"
AIMS = (
    Aim(LEAST + TWO, PARQUET + TWO),
    Aim(LEAST + HEADER, PARQUET + HEADER),
    Aim(LEAST + ROWS, PARQUET + ROWS),
    Aim(TWO, PARQUET + TWO, 1.5),
    Aim(HEADER, PARQUET + HEADER, 2),
    Aim(ALL, PARQUET + ALL, 1.9),
    Aim(ROWS, PARQUET + ROWS, 2),
    Aim(SUMMARY, LOCAL_COUNT, 3),
    Aim(SAVED, COPIED, 2.5),
    Aim(COMPARED, LOCAL_DIFF, 1.5),
    Aim(EXPORTED, LOCAL_EXPORT, 1.5),
)
PRICES = ("rba", "csn,xid", HEADER, "raw", "before,after", "header,after,problems", ALL)
"""Columns for which the guide has the costs."""


def _sink(frame: DataFrame) -> int:
    frame.write.format("noop").mode("overwrite").save()
    return 0


def _by_table(frame: DataFrame, records: str = "1") -> int:
    groups = frame.selectExpr("table", "op", f"{records} AS n").groupBy("table", "op").sum("n").collect()
    return sum(row[2] for row in groups)


def _reads(spark: SparkSession, trail: Trail) -> Iterator[Line]:
    def load(columns: str, **options: str) -> DataFrame:
        return spark.read.format("trail").options(columns=columns, **options).load(trail.pattern)

    records = spark.read.parquet(parquet_of(Path(trail.pattern).parent / "parquet", partial(load, "all")))
    rows_of = partial(table, spark, trail.pattern, LARGEST)
    parquet_rows = partial(spark.read.parquet, parquet_of(Path(trail.pattern).parent / "rows", rows_of))
    yield Line("count()", lambda: load("rba").count(), trail.records)
    yield Line(PARQUET + "count()", records.count, trail.records)
    yield Line(TWO, lambda: _by_table(load("table,op")), trail.records)
    yield Line(PARQUET + TWO, lambda: _by_table(records), trail.records)
    tasks = max(2, trail.size >> 27)

    of_two, of_header = (least_source(spark, load(columns), trail.records, tasks)() for columns in ("table,op", HEADER))
    yield Line(LEAST + TWO, lambda: _by_table(of_two))
    yield Line(LEAST + HEADER, partial(_sink, of_header))
    for columns in PRICES:
        frame = load(columns)
        yield Line(columns, partial(_sink, frame))
        yield Line(PARQUET + columns, partial(_sink, records.select(*frame.columns)))
    least_rows = least_source(spark, rows_of(), parquet_rows().count(), tasks)
    for label, read in ((ROWS, rows_of), (PARQUET + ROWS, parquet_rows), (LEAST + ROWS, least_rows)):
        yield Line(label, lambda: _sink(read()))  # noqa: B023 - it runs before the next one; columns are part of each
    yield Line(f"changes(): {LARGEST}", lambda: _sink(changes(spark, trail.pattern, LARGEST)))
    yield Line(SUMMARY, lambda: _by_table(load("table,op,records", summary="true"), "records"), trail.records)
    yield Line(LOCAL_COUNT, lambda: local_count(trail.pattern), trail.records)


def _writes(spark: SparkSession, trail: Trail, folder: Path) -> Iterator[Line]:
    chosen = "; ".join(f"FILENAME {name}" for name in HALF)
    target, copy, other = folder / "saved", folder / "copied", folder / "other"
    shutil.copytree(Path(trail.pattern).parent, other, ignore=shutil.ignore_patterns("parquet", "rows"))

    def exported(engine: str, name: str) -> int:
        for path in trail.paths:
            run_lines(
                f"engine {engine}", f'open "{path}"', f'export parquet to "{folder / name}" replace', "engine local"
            )
        return 0

    def saved() -> int:
        return sum(file.records for file in save(spark, trail.pattern, target, where=chosen, mode="overwrite"))

    yield Line(SAVED, saved)
    yield Line(COPIED, lambda: copied_with_fsync(target, copy))
    yield Line(COMPARED, lambda: diff(spark, trail.pattern, f"{other}/lt?????????", "bytes").count(), 0)
    yield Line(LOCAL_DIFF, lambda: local_diff(trail.pattern, f"{other}/lt?????????"), 0)
    yield Line(EXPORTED, lambda: exported("spark", "spark.parquet"))
    yield Line(LOCAL_EXPORT, lambda: exported("local", "local.parquet"))


def measured(line: Line, runs: int) -> Measured:
    """Run a line some times; return the best times.

    Raises:
        ValueError: its result is not the expected one.
    """
    fastest = Measured(float("inf"), float("inf"))
    for _ in range(runs):
        processor, begin = processor_seconds(), time.perf_counter()
        result = line.run()
        seconds = time.perf_counter() - begin
        if line.expected is not None and result != line.expected:
            raise ValueError(f"{line.label}: {result} instead of {line.expected}")
        fastest = Measured(min(fastest.seconds, seconds), min(fastest.processor, processor_seconds() - processor))
    return fastest


def report(spark: SparkSession, trail: Trail, folder: Path, runs: int) -> dict[str, Measured]:
    """Measure and print each line as it comes."""
    known: dict[str, Measured] = {}
    print(f"\n{trail!s:44}{'seconds':>9}{'CPU':>9}{'GB/s':>9}")
    for lines in (_reads(spark, trail), _writes(spark, trail, folder)):
        for line in lines:
            known[line.label] = fastest = measured(line, runs)
            speed = trail.size / fastest.seconds / 1e9
            print(f"{line.label:44}{fastest.seconds:9.2f}{fastest.processor:9.2f}{speed:9.3f}", flush=True)
    return known


def print_aims(known: dict[str, dict[str, Measured]]) -> None:
    """Print each ratio with its aim, in two columns for each trail: of elapsed and of processor seconds."""
    print("\nRatios, of seconds and of CPU")
    print(f"{'':30}{'beside':40}{'aim':>6}" + "".join(f"{name:>10}{'CPU':>7}" for name in known))
    for aim in AIMS:
        numbers = ""
        for lines in known.values():
            ours, other = lines[aim.ours], lines[aim.other]
            numbers += f"{ours.seconds / other.seconds:10.2f}{ours.processor / max(other.processor, 0.01):7.2f}"
        print(f"{aim.ours:30}{aim.other:40}{aim.most or '':>6}{numbers}")


def _trail_of(text: str) -> str:
    if re.fullmatch(r"[1-9]\d*x[1-9]\d*", text) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not files x megabytes, as 4x125")
    return text


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description="Measure trails in Spark.")
    parser.add_argument(
        "trails",
        nargs="*",
        type=_trail_of,
        default=TRAILS,
        help=f"files x megabytes of each (default {' '.join(TRAILS)})",
    )
    parser.add_argument("--runs", type=int, default=3, help="the best of so many (default 3)")
    options = parser.parse_args(arguments)
    known: dict[str, dict[str, Measured]] = {}
    CACHE.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(dir=CACHE) as folder:
        settings: dict[str, Any] = {
            "spark_driver_memory": "4g",
            "spark_sql_warehouse_dir": f"{folder}/warehouse",
            "spark_python_daemon_module": "benchmarks.spark_daemon",
        }
        spark = session(**settings)
        print(f"{os.cpu_count()} cores, Spark {spark.version}; best of {options.runs}, warm page cache")
        for text in options.trails:
            place = Path(folder, text)
            place.mkdir()
            known[text] = report(spark, Trail.made(text), place, options.runs)
            shutil.rmtree(place)
        print_aims(known)
        spark.stop()


if __name__ == "__main__":
    main()
