"""A load from a DataFrame, and a history, in a real session."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

import logdump.spark
from logdump.tables.errors import BadOption
from tests.logdump.spark.targets.places import sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.logdump.spark.targets.ways import COLUMNS, TABLE, Model, Row, expected, found, transaction, write
from tests.searching import Random

if TYPE_CHECKING:
    from pathlib import Path

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark


def test_a_frame_of_spark_is_loaded_and_its_history_goes_on(spark: SparkSession, tmp_path: Path) -> None:
    random, place = Random("load"), sqlite_place(tmp_path)
    trail, before, model, rows = Trail({TABLE: COLUMNS}), Model(), Model(), dict[int, Row]()
    for csn in range(101, 113):
        steps = transaction(random, rows)
        write(trail, steps)
        before.transaction(str(csn), steps)
        if csn == 106:
            model.load("106", dict(before.now))
        elif csn > 106:
            model.transaction(str(csn), steps)
    loaded = [version for version in model.versions if version.begin == "106"]
    frame = spark.createDataFrame(
        [(version.key, *version.values) for version in loaded], "ID bigint, NAME string, N int"
    )
    path = trail.write(tmp_path / "a")
    for more in ({"load": {TABLE: frame}}, {"load": {TABLE: frame}}, {}):
        given: dict[str, Any] = {"load_csn": 106, **more} if more else {}
        logdump.spark.apply(spark, str(path), place.url, TABLE, create=True, once=True, write="history", **given)
        assert found(place, "history") == expected(model, "history")
    with pytest.raises(BadOption, match="a list is no frame"):
        logdump.spark.apply(
            spark, str(path), f"{place.url}2", TABLE, create=True, once=True, load={TABLE: []}, load_csn=106
        )
