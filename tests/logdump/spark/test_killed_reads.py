"""Tasks that read die with their process at each stage: the answer is that of a run in which none does."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from fixtures import TRAILS
from logdump.spark import changes, diff, table
from tests.logdump.spark.engines import ENGINE, Told
from tests.logdump.spark.killing_daemon import AT_FILE
from tests.searching import IS_LONG, in_turn

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark
SPLIT: dict[str, Any] = {"maxPartitionBytes": "3000"}
TABLE = "TEAHOUSE.SALES"
Answer = Callable[["SparkSession", Path, Path], list[str]]
"""Of a session, the folder of a trail, and one for what is written."""


@pytest.fixture(scope="module")
def trail(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("dirdat")
    for number in range(2):
        (folder / f"lt{number:09d}").write_bytes((TRAILS / "et000000000").read_bytes())
    return folder


def _rows(frame: DataFrame) -> list[str]:
    return sorted(str(row) for row in frame.collect())


def _loaded(spark: SparkSession, trail: Path, **options: str) -> list[str]:
    return _rows(spark.read.format("trail").options(**SPLIT, **options).load(str(trail)))


def _streamed(spark: SparkSession, trail: Path, out: Path) -> list[str]:
    batches: dict[int, list[str]] = {}

    def take(frame: DataFrame, number: int) -> None:
        batches[number] = _rows(frame)

    stream = spark.readStream.format("trail").options(maxBytesPerTrigger="3000", columns="all").load(str(trail))
    writer = stream.writeStream.foreachBatch(take).option("checkpointLocation", str(out / "checkpoint"))
    writer.trigger(availableNow=True).start().awaitTermination()
    return [row for _, rows in sorted(batches.items()) for row in rows]


def _compared(spark: SparkSession, trail: Path, out: Path) -> list[str]:
    other = out / "other"
    other.mkdir()
    for number, name in enumerate(("et000000000", "st000000000")):
        (other / f"lt{number:09d}").write_bytes((TRAILS / name).read_bytes())
    frames = (
        diff(spark, f"{trail}/lt?????????", f"{other}/lt?????????", level, **SPLIT) for level in ("bytes", "records")
    )
    return [row.replace(str(other), "") for frame in frames for row in _rows(frame)]


def _exported(_spark: SparkSession, trail: Path, out: Path) -> list[str]:
    session = Told(ENGINE, f"open {trail / 'lt000000000'}")
    shown = session(f"export csv to {out / 'out'} by table")
    assert session.has_run_a_job
    session.session.end()
    files = sorted(path for path in (out / "out").rglob("*") if path.is_file())
    return [
        *shown,
        *(f"{path.relative_to(out)}\n{path.read_text()}" for path in files if not path.name.startswith("_")),
    ]


STAGES: dict[str, Answer] = {
    "read": lambda spark, trail, _out: _loaded(spark, trail, columns="all"),
    "summary": lambda spark, trail, _out: _loaded(spark, trail, summary="true", columns="all"),
    "table": lambda spark, trail, _out: _rows(table(spark, str(trail), TABLE, **SPLIT)),
    "changes": lambda spark, trail, _out: _rows(changes(spark, str(trail), TABLE, **SPLIT)),
    "analysis": lambda spark, trail, _out: _loaded(spark, trail, analysis="transactions"),
    "stream": _streamed,
    "diff": _compared,
    "export": _exported,
}
SHORT = ("read", "table", "analysis", "export")


def _names(folder: Path) -> list[str]:
    """What lies in a folder, but for what Spark itself keeps of a stream."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))
    return [name for name in names if not name.startswith("checkpoint")]


@contextlib.contextmanager
def _dying(spark: SparkSession, where: str, log: Path) -> Iterator[None]:
    spark.sparkContext.setLocalProperty(AT_FILE, f"{where}:{log}")
    try:
        yield
    finally:
        spark.sparkContext.setLocalProperty(AT_FILE, "")


@pytest.mark.parametrize(("stage", "where"), in_turn(STAGES if IS_LONG else SHORT, ["close", "open"]))
def test_the_answer_is_the_same(stage: str, where: str, spark: SparkSession, trail: Path, tmp_path: Path) -> None:
    answer, log = STAGES[stage], tmp_path / "died"
    alive, dead = tmp_path / "alive", tmp_path / "dead"
    for folder in (alive, dead):
        folder.mkdir()
    expected = [row.replace(str(alive), "") for row in answer(spark, trail, alive)]
    with _dying(spark, where, log):
        found = [row.replace(str(dead), "") for row in answer(spark, trail, dead)]
    assert found == expected
    assert expected
    assert log.read_text().split()
    assert {path.name for path in trail.iterdir()} == {"lt000000000", "lt000000001"}
    assert _names(dead) == _names(alive)
