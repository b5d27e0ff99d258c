"""A stream over a trail that is being written: every record once, whatever is stopped and started meanwhile."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyspark
import pytest
from pyspark.errors import PySparkException, StreamingQueryException

from fixtures import TRAILS
from tests.logdump.spark.growing_trail import SAMPLE
from tests.logdump.tables.reads import closed_places
from tests.searching import IS_LONG
from trailformat import TrailFile

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

pytestmark = pytest.mark.spark

Place = tuple[int, int]
ROOT = Path(__file__).parents[3]
FILES = 4 if IS_LONG else 3
HAS_LIMITS = tuple(int(part) for part in pyspark.__version__.split(".")[:2]) >= (4, 2)


class Follower:
    """A query over a directory, with one checkpoint through all its runs; what it has seen, in order."""

    def __init__(self, spark: SparkSession, directory: Path, checkpoint: Path) -> None:
        self._batches: dict[int, list[Place]] = {}
        self._spark = spark
        self._directory = directory
        self._checkpoint = checkpoint

    def start(self, *, available_now: bool = False, **options: Any) -> StreamingQuery:
        rows = self._spark.readStream.format("trail").options(**options).load(str(self._directory))
        writer = rows.select("seqno", "rba").writeStream.foreachBatch(self._take)
        writer = writer.option("checkpointLocation", str(self._checkpoint))
        return (writer.trigger(availableNow=True) if available_now else writer).start()

    def _take(self, rows: DataFrame, number: int) -> None:
        """Keep a batch; Spark gives one again that it was stopped in, and then it is to be the same."""
        found = sorted((row.seqno, row.rba) for row in rows.collect())
        assert self._batches.setdefault(number, found) == found

    @property
    def places(self) -> list[Place]:
        return [place for _, found in sorted(self._batches.items()) for place in found]

    def has_reached(self, number: int) -> bool:
        return any(seqno == number for seqno, _ in self.places)

    @property
    def batches(self) -> list[int]:
        return [len(found) for _, found in sorted(self._batches.items())]

    def run(self, **options: Any) -> None:
        """Read what is there now."""
        for _ in range(1 if HAS_LIMITS else 2):  # a query of Spark 4.0 may end with the batch that a stop has left
            query = self.start(available_now=True, **options)
            query.awaitTermination()


@pytest.fixture
def follower(spark: SparkSession, tmp_path: Path) -> Follower:
    (tmp_path / "dirdat").mkdir()
    return Follower(spark, tmp_path / "dirdat", tmp_path / "checkpoint")


def _places(*paths: Path) -> list[Place]:
    """The records of files of a trail, without the transaction that is open at the end."""
    found = []
    for number, path in enumerate(paths):
        with TrailFile(path) as trail:
            found += [(number, record.rba) for record in trail.records()]
    return [place for place in found if place < (len(paths) - 1, closed_places(paths[-1])[-1])]


def _copies(directory: Path, count: int) -> Iterator[Path]:
    for number in range(count):
        path = directory / f"lt{number:09d}"
        path.write_bytes(SAMPLE.read_bytes())
        yield path


def _wait(condition: Callable[[], bool]) -> None:
    for _ in range(600):
        if condition():
            return
        time.sleep(0.1)
    pytest.fail("the stream does not get on")


def test_every_record_comes_once(follower: Follower, tmp_path: Path) -> None:
    directory = tmp_path / "dirdat"
    program = [sys.executable, "-m", "tests.logdump.spark.growing_trail", str(directory), str(FILES)]
    with subprocess.Popen(program, cwd=ROOT, stdin=subprocess.PIPE, text=True) as writer:
        assert writer.stdin is not None
        _wait((directory / "lt000000000").exists)
        for number in range(1, FILES):
            query = follower.start(maxBytesPerTrigger="20000")
            _wait(partial(follower.has_reached, number))
            query.stop()
            assert len(follower.places) < len(_places(*[SAMPLE] * (number + 1)))
            writer.stdin.write("go on\n")
            writer.stdin.flush()
        assert writer.wait() == 0
    follower.run()
    assert follower.places == _places(*[SAMPLE] * FILES)


def test_limits_and_available_now(follower: Follower, tmp_path: Path) -> None:
    paths = list(_copies(tmp_path / "dirdat", 3))
    follower.run(maxFilesPerTrigger="2")
    first, every = len(_places(paths[0], paths[1])), len(_places(*paths))
    assert follower.batches == ([first, every - first] if HAS_LIMITS else [every])
    follower.run()
    assert follower.places == _places(*paths)


def test_a_filter(follower: Follower, tmp_path: Path) -> None:
    [path] = _copies(tmp_path / "dirdat", 1)
    follower.run(where="filename *sales", maxBytesPerTrigger="8000")
    with TrailFile(path) as trail:
        rows = [record for record in trail.records() if trail.name_of(record).upper().endswith("SALES")]
    assert follower.places == [(0, record.rba) for record in rows if (0, record.rba) in _places(path)]


def test_a_file_written_anew_ends_the_stream(follower: Follower, tmp_path: Path) -> None:
    [path] = _copies(tmp_path / "dirdat", 1)
    follower.run()
    seen = len(follower.places)
    path.write_bytes((TRAILS / "et000000000").read_bytes())
    with pytest.raises(StreamingQueryException, match=r"FileChanged: .*lt000000000, seqno 0, RBA \d+: the stream has"):
        follower.run()
    assert len(follower.places) == seen


def test_a_second_stream_on_its_checkpoint_takes_over(follower: Follower, tmp_path: Path) -> None:
    """Spark ends the first: no record comes twice."""
    paths = [*_copies(tmp_path / "dirdat", 1)]
    first = follower.start()
    _wait(lambda: follower.places == _places(*paths))
    second = follower.start()
    try:
        paths = [*_copies(tmp_path / "dirdat", 2)]
        _wait(lambda: follower.places == _places(*paths))
        assert (first.isActive, second.isActive) == (False, True)
    finally:
        first.stop()
        second.stop()


def test_a_stream_over_nothing_names_it(follower: Follower) -> None:
    with pytest.raises(PySparkException, match=r"NoTrailFiles: no trail files match .*dirdat"):
        follower.run()
