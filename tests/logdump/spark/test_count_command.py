"""COUNT under ENGINE SPARK prints what it prints under the local engine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures import TRAILS
from logdump.session.events import Failure, JobProgress
from logdump.spark.jobs.engine import run_job
from tests.logdump.spark.engines import BothEngines
from tests.logdump.spark.targets.rows import Trail

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

FILES = sorted(path.name for path in TRAILS.iterdir() if path.name[1] != "l")
"""In one byte order: what a task makes of the other is held against the records where no Spark is needed."""
SHOP = TRAILS / "et000000000"
DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"
FILTERS = (
    "filter include iotype insert",
    "filter exclude filename *.sales",
    "filter include transind 0; filter include reclen > 60; filter match all",
    'filter include string "Assam; broken"; filter include recType 5',
    "timeoffset gmt +02:00; filter starttime 2024-03-14 11:33; filter endtime 2024-03-14 11:36; filter match all",
    "filter include csn <= 41882368",
    "filter include ggstoken TRANID = 5.6.8806",
    "filter include rectype 5; filter off",
)
OPTIONS = (
    "start 2024-03-14 09:33",
    "end 2024-03-14 09:36",
    "start 2024-03-14 09:33, end 2024-03-14 09:36, file *.teas",
    "file teahouse.*",
    "file *",
    "file nothing",
)


@pytest.fixture
def both(spark: SparkSession) -> Iterator[BothEngines]:  # noqa: ARG001 - the one that ENGINE finds
    sessions = BothEngines()
    yield sessions
    sessions.end()


def test_every_fixture(both: BothEngines, tmp_path: Path) -> None:
    for name in FILES:
        shutil.copy(TRAILS / name, tmp_path)
    both("transhist 5; transreclimit 2; transbytelimit 300")
    told = both.in_spark(f"count detail, log {tmp_path / '*'}")
    assert [name for name in FILES if not any(name in line for line in told)] == []


@pytest.mark.parametrize("name", ["et000000000", "st000000001", "ot000000"])
def test_one_file(both: BothEngines, name: str) -> None:
    both(f"open {TRAILS / name}; transhist 5; transreclimit 2; transbytelimit 300")
    assert " has " in both.in_spark("count detail")[0]


def test_the_real_trail(both: BothEngines, evidence: Path) -> None:
    both(f"open {evidence / 'tr000000000'}")
    assert len(both.in_spark("count detail")) > 10
    assert both.in_spark("filter include iotype insert; count")[-2].startswith("Filtering matched")


@pytest.mark.parametrize("filters", FILTERS)
def test_filters(both: BothEngines, filters: str) -> None:
    both(f"open {SHOP}; {filters}")
    both.in_spark("count detail")


def test_a_filter_goes_with_other_files_and_times(both: BothEngines) -> None:
    both(f"open {SHOP}; {FILTERS[2]}")
    both.in_spark(f"count detail, log {TRAILS / 'st*'}, start 2024-03-14 09:30")


@pytest.mark.parametrize("options", OPTIONS)
def test_options(both: BothEngines, options: str) -> None:
    both(f"open {SHOP}; filter exclude iotype delete")
    both.in_spark(f"count detail, {options}")


def test_a_time_without_a_filter(both: BothEngines) -> None:
    both(f"open {SHOP}")
    both.in_spark(f"count, {OPTIONS[2]}")


@pytest.mark.parametrize("options", ["", ", start 2024-03-14 09:31, file *.teas"])
@pytest.mark.parametrize("filters", ["", "filter include iotype insert"])
def test_what_is_not_applied_is_not_counted(both: BothEngines, filters: str, options: str) -> None:
    both(f"open {TRAILS / 'at000000000'}; transhist 5; {filters}")
    shown = both.in_spark(f"count detail, effective, log {TRAILS / 'at*'}{options}")
    assert "suppressed" in shown[-1]


def test_files_of_several_trails_and_others(both: BothEngines, tmp_path: Path) -> None:
    for name in ("st000000000", "st000000001", "et000000000", "ft000000000", "nh000000"):
        shutil.copy(TRAILS / name, tmp_path)
    (tmp_path / "notes").write_text("no trail at all", encoding="utf-8")
    (tmp_path / "empty").touch()
    told = both.in_spark(f"count detail, log {tmp_path / '*'}")
    assert sum(" counted, " in line for line in told) == 5
    assert sum("not counted" in line for line in told) == 3


def test_another_file_and_the_position_afterwards(both: BothEngines) -> None:
    both(f"open {SHOP}; n")
    both.in_spark(f"count detail {TRAILS / 'st000000001'}")
    both("pos")
    both.in_spark("count")
    both("pos")


def test_what_is_no_trail_is_refused_before_a_job(both: BothEngines, tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("no trail at all", encoding="utf-8")
    both(f"count detail {tmp_path / 'notes'}; count log {tmp_path / 'x*'}; count")
    assert not both.spark.has_run_a_job


def test_intervals_are_left_to_the_local_engine(both: BothEngines) -> None:
    both(f"open {SHOP}")
    assert both("count, interval 5")
    assert both.spark.asides == ["The local engine runs this: Spark does not support INTERVAL."]


def test_whoever_stops_a_job_cancels_it(spark: SparkSession) -> None:
    def sleep(_: object) -> list[int]:
        import time

        time.sleep(600)
        return []

    job = run_job(spark, lambda: spark.sparkContext.parallelize([1], 1).mapPartitions(sleep).collect())
    tracker = spark.sparkContext.statusTracker()
    for progress in job:
        assert isinstance(progress, JobProgress)
        if progress.running:
            break
    assert tracker.getActiveJobsIds()
    job.close()
    while tracker.getActiveJobsIds():
        pass


def test_an_error_of_the_job_is_one_line(both: BothEngines, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("logdump.spark.jobs.count_job._COLUMNS", "file,nothing")
    both.local(f"open {SHOP}")
    both.spark(f"open {SHOP}; count")
    [failure] = [event for event in both.spark.events if isinstance(event, Failure)]
    [line] = failure.lines
    assert line.startswith("option columns: ")


@pytest.mark.parametrize("words", ["", " override"])
def test_values_are_those_of_the_definitions_file(both: BothEngines, words: str) -> None:
    both(f"open {TRAILS / 'ot000000'}; sourcedefs {DEFINITIONS}{words}; filter include value TEA_CODE = SEN01")
    assert "has 0 records" not in both.in_spark("count")[0]


def test_what_may_match_is_told_with_its_status(both: BothEngines, tmp_path: Path) -> None:
    """Where no definition is there, a condition on a value cannot be decided."""
    trail = Trail({"S.A": {"ID": "INT64"}, "S.B": {"ID": "INT64"}})
    for number in range(9):
        trail.insert("S.A" if number % 3 else "S.B", number)
    trail.undefine("S.A")
    both(f"open {trail.write(tmp_path)}")
    both("filter include value ID = 3; filter include filename S.C; filter match any")
    told = both.in_spark("count")
    assert any("matches is not known" in line for line in told)
