"""``apply`` in a real session: a stream into SQLite, gone on with from the position in it; and ``latest``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import logdump.spark
from fixtures import TRAILS
from tests.logdump.spark.targets.places import sqlite_place
from tests.logdump.spark.test_changes import changes_in

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
TRAIL, TEAS = str(TRAILS / "st*"), "TEAHOUSE.TEAS"


def test_a_table_that_was_made_has_the_last_rows_and_is_gone_on_with(spark: SparkSession, tmp_path: Path) -> None:
    place = sqlite_place(tmp_path)
    done = [logdump.spark.apply(spark, TRAIL, place.url, TEAS, create=True, once=True) for _ in range(2)]
    assert [one.rows for one in done] == [len(changes_in(Path(TRAIL), TEAS)), 0]
    latest = {
        tuple(map(str, row))
        for row in logdump.spark.latest(logdump.spark.changes(spark, TRAIL, TEAS)).drop("_absent").collect()
    }
    assert {row[0] for row in place.rows(TEAS)} == {row[0] for row in latest}
    assert len(latest) == 2
