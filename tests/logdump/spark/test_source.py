"""``format("trail")`` in a real Spark: found, read, filtered, asked in SQL, refused in one line."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pyspark.errors import AnalysisException, PythonException

from logdump.batch_counting import RowCounter, Wanted
from logdump.counting import OTHERS, Count
from trailformat import TrailFile
from trailformat.scan import Engine, scan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.spark


def frame(spark: SparkSession, path: Path | str, **options: Any) -> DataFrame:
    return spark.read.format("trail").options(**options).load(str(path))


def count_of(path: Path) -> Count:
    count = Count()
    with TrailFile(path) as trail:
        for batch in scan(trail, engine=Engine.PYTHON):
            RowCounter(count, Wanted(), 0).add(batch)
    return count


def test_records_by_table_and_operation_are_those_of_count_detail(spark: SparkSession, evidence: Path) -> None:
    path = evidence / "tr000000000"
    frame(spark, path).createOrReplaceTempView("real")
    rows = spark.sql("SELECT table, op_code, count(*) FROM real GROUP BY table, op_code").collect()
    expected: Counter[tuple[str | None, int]] = Counter()
    for (name, _), tally in count_of(path).tables.items():
        for io_type, records in tally.types.items():
            expected[None if io_type == OTHERS or not name else name, io_type] += records
    assert {(name, OTHERS if code is None else code): records for name, code, records in rows} == dict(expected)
