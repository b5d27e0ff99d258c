"""A FILTER and SOURCEDEFS of a session select the same records in a real session of Spark as NEXT does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from logdump.spark_engine import read_options
from tests.logdump.test_same_records import SOURCES, by_next, session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILTERS = [["VALUE STOCK_KG > 0"], ["CSN > 41882320", "EXCLUDE RECTYPE insert"]]


@pytest.mark.spark
@pytest.mark.parametrize("filters", FILTERS, ids="; ".join)
@pytest.mark.parametrize("source", SOURCES[:2], ids=["trail", "sourcedefs"])
def test_spark_sees_the_same_records(spark: SparkSession, source: str, filters: list[str]) -> None:
    line = session("ot000000", source, filters)
    frame = spark.read.format("trail").options(**read_options(line.session)).load(str(line.session.trail.path))
    assert sorted(row.rba for row in frame.select("rba").collect()) == by_next(line)
