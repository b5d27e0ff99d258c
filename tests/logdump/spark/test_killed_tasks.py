"""Tasks that die are done again, and what they had begun is nowhere to be seen: exactly once, both ways."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from fixtures import TRAILS
from logdump.spark import save
from logdump.spark.write.target import driver_pid
from tests.logdump.spark.killing_daemon import DYING
from tests.logdump.spark.written import body, trail_files

if TYPE_CHECKING:
    from pyspark import SparkContext
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FILES = 6
WAYS = ("direct", "frame")


class Run(NamedTuple):
    """The folders of a trail and of what was written of it each way, and how many tasks have failed."""

    source: Path
    out: Path
    failed: dict[str, int]


@pytest.fixture(scope="module")
def run(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Run:
    source, out = tmp_path_factory.mktemp("dirdat"), tmp_path_factory.mktemp("out")
    for number in range(FILES):
        (source / f"lt{number:09d}").write_bytes((TRAILS / f"st00000000{number % 2}").read_bytes())
    with _dying(spark.sparkContext, "direct"):
        save(spark, source, out / "direct")
    with _dying(spark.sparkContext, "frame"):
        rows = spark.read.format("trail").options(maxPartitionBytes="0", columns="file,rba,raw").load(str(source))
        rows.select("file", "rba", "raw").write.format("trail").mode("append").save(str(out / "frame"))
    return Run(source, out, {way: _failed_tasks(spark.sparkContext, way) for way in WAYS})


@contextlib.contextmanager
def _dying(context: SparkContext, way: str) -> Iterator[None]:
    """While it lasts, tasks die, and their jobs are one group."""
    context.setLocalProperty(DYING, way)
    context.setJobGroup(way, "tasks die")
    try:
        yield
    finally:
        for name in (DYING, "spark.jobGroup.id"):
            context.setLocalProperty(name, "")


def _failed_tasks(context: SparkContext, group: str) -> int:
    tracker = context.statusTracker()
    jobs = [tracker.getJobInfo(job) for job in tracker.getJobIdsForGroup(group)]
    stages = [tracker.getStageInfo(number) for job in jobs if job is not None for number in job.stageIds]
    return sum(stage.numFailedTasks for stage in stages if stage is not None)


@pytest.mark.parametrize("way", WAYS)
def test_tasks_did_die(run: Run, way: str) -> None:
    assert run.failed[way] >= 1


@pytest.mark.parametrize("way", WAYS)
def test_every_record_is_there_once(run: Run, way: str) -> None:
    assert [body(path) for path in trail_files(run.out / way)] == [body(path) for path in trail_files(run.source)]


@pytest.mark.parametrize("way", WAYS)
def test_nothing_else_is_left(run: Run, way: str) -> None:
    names = {f"lt{number:09d}" for number in range(FILES)}
    assert {path.name for path in (run.out / way).iterdir()} == names | {"_SUCCESS"}


def test_the_job_belongs_to_the_jvm(spark: SparkSession) -> None:
    [owner] = spark.sparkContext.parallelize([0], 1).map(lambda _: driver_pid()).collect()
    assert spark.sparkContext._jvm is not None
    assert owner == spark.sparkContext._jvm.ProcessHandle.current().pid()
