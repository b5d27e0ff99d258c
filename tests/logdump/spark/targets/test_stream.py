"""``apply`` in a real session: a stream into SQLite, gone on with from the position in it; and ``latest``."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import logdump.spark
from fixtures import TRAILS
from logdump.spark.errors import BadTrail
from logdump.spark.targets.stream import Asked, check_beginning
from tests.logdump.spark.targets.places import sqlite_place
from tests.logdump.spark.test_changes import changes_in
from tests.simulated.five_tables import Bank, BankExtract
from trailformat.records.record_header import FIRST, LAST, MIDDLE

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


def test_a_trail_that_begins_inside_a_transaction_is_named(tmp_path: Path) -> None:
    bank, extract = Bank(Random(1)), BankExtract(tmp_path, Random(1), roll_chance=0, cut_chance=0)
    changes = [change for _ in range(6) for change in bank.transaction()]
    extract.begin()
    for at, change in enumerate(changes):
        if at == 2:
            extract.roll()
        extract._record(change, FIRST if at == 0 else LAST if at == len(changes) - 1 else MIDDLE, is_first=at == 0)
    extract.close()
    asked = Asked(f"{tmp_path}/sm*", {}, {}, None, {"effective": True})
    check_beginning(asked)
    extract.paths[0].unlink()
    with pytest.raises(BadTrail, match=r"sm000000001, RBA \d+: the trail begins inside a transaction"):
        check_beginning(asked)
