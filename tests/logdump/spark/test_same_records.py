"""A FILTER and SOURCEDEFS of a session select the same records in a real session of Spark as NEXT does."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures import TRAILS
from logdump.tables.session_options import read_options
from tests.logdump.questions.asker import opened
from tests.logdump.questions.question import Question
from tests.logdump.questions.records import RECORDS
from tests.logdump.questions.test_every_option import SOURCES

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FILTERS = [["VALUE STOCK_KG > 0"], ["CSN > 41882320", "EXCLUDE RECTYPE insert"]]
TRAIL = TRAILS / "ot000000"


@pytest.mark.spark
@pytest.mark.parametrize("filters", FILTERS, ids="; ".join)
@pytest.mark.parametrize("source", SOURCES[:2], ids=["trail", "sourcedefs"])
def test_spark_sees_the_same_records(spark: SparkSession, source: str, filters: list[str], tmp_path: Path) -> None:
    question = Question(statements=filters, source=source)
    options = read_options(opened(TRAIL, question).session)
    # FAILFAST would end at a row of a table that is not defined: NEXT goes on, and names it
    frame = spark.read.format("trail").options(**options, mode="DROPMALFORMED").load(str(TRAIL))
    found = sorted(row.rba for row in frame.select("rba").collect())
    assert found == RECORDS["NEXT"].ask(TRAIL, question, tmp_path)
