"""``apply`` by its drivers without a JVM: in this process, and by that of Spark, whose own part is played here.

Spark pickles a reader and the tasks, runs these in any order, runs some again, keeps the offsets as JSON and may begin
again at any of them with a reader of its own.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa
import pytest
from pyspark import cloudpickle

import logdump
from logdump.spark.source.change_schema import flat_schema
from logdump.spark.source.data_source import TrailSource
from logdump.spark.stream.apply import SparkDriver, source_columns
from logdump.tables.options import names_option
from logdump.targets.in_process import InProcess, tables_in
from logdump.targets.request import ApplyRequest
from logdump.targets.run import ApplyDriver, Take, run_of
from logdump.targets.run_options import RunOptions
from logdump.targets.target import SourceColumn, place_of
from tests.logdump.spark.targets.bank import ReadMaxBytes
from tests.searching import Random

Apply = Callable[..., logdump.ApplyProgress]


class WithoutJava(SparkDriver):
    """The driver of Spark, with what Spark does played in this process."""

    def __init__(self, random: Random, *, once: bool = True) -> None:
        super().__init__(None, None, once=once, interval=0.01)  # type: ignore[arg-type]  # no session
        self._random, self._once = random, once
        self._source: Any = None

    def begin(self, request: ApplyRequest, options: Mapping[str, Any]) -> Mapping[str, Sequence[SourceColumn]]:
        self._ends = self._once or "endSeqno" in options
        given = {**options, "path": str(request.path), "changesOf": names_option([*request.tables])}
        texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}
        self._source = TrailSource(texts)
        return source_columns(flat_schema(self._source.schema()))

    def run(self, take: Take, stop: Any) -> Iterator[None]:
        reader = self._reader()
        at = reader.initialOffset()
        while not stop.is_set():
            end = reader.latestOffset(at, ReadMaxBytes())
            if end == at:
                if self._ends:
                    return
                stop.wait(0.01)
                continue
            if self._random.random() < 0.3:
                end = json.loads(json.dumps(end))
                reader = self._reader()
            take(partial(self._rows, reader, at, end), place_of(end["seqno"], end["rba"]))
            yield
            at = end

    def _reader(self) -> Any:
        reader = self._source.streamReader(self._source.schema())
        if self._ends:
            reader.prepareForTriggerAvailableNow()
        return reader

    def _rows(self, reader: Any, start: Any, end: Any) -> Iterator[pa.Table]:
        """The rows of the tasks in order, which are run in any order, and some of them twice."""
        worker: Any = cloudpickle
        reading = worker.dumps(self._reader().read)
        tasks = [worker.dumps(part) for part in reader.partitions(start, end)]
        attempts = [*range(len(tasks)), *(number for number in range(len(tasks)) if self._random.random() < 0.2)]
        self._random.shuffle(attempts)
        results = dict[int, list[pa.RecordBatch]]()
        for number in attempts:
            results[number] = [*worker.loads(reading)(worker.loads(tasks[number]))]
        for number in range(len(tasks)):
            for batch in results[number]:
                yield from tables_in(batch)


DRIVERS: dict[str, Callable[[Random], ApplyDriver]] = {
    "in process": lambda _random: InProcess(once=True),
    "spark": WithoutJava,
}
"""The drivers, each of what is in the trail."""


def applied(driver: ApplyDriver, path: Any, url: str, tables: Any = "*", **given: Any) -> logdump.ApplyProgress:
    """What ``logdump.apply`` does, by another driver."""
    return run_of(driver, path, url, RunOptions.of(tables, given)).to_the_end()


def retried(driver: ApplyDriver, path: Any, url: str, tables: Any = "*", **given: Any) -> logdump.ApplyProgress:
    """What ``logdump.retry`` does, by another driver."""
    return run_of(driver, path, url, RunOptions.of(tables, given)).retry()


@pytest.fixture(params=[*DRIVERS])
def apply(request: pytest.FixtureRequest) -> Apply:
    """``logdump.apply`` of what is there, to a place, by each driver."""
    random = Random(request.node.name)

    def applied_to(path: Any, place: Any, tables: Any = "*", **given: Any) -> logdump.ApplyProgress:
        return applied(DRIVERS[request.param](random), path, place.url, tables, **given)

    return applied_to
