"""``apply`` in a real session: a stream into SQLite, gone on with from the position in it; and ``latest``."""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import logdump.spark
from fixtures import TRAILS
from fixtures.statements import Ddl
from logdump.features.heartbeat.tables import role_of
from logdump.spark.errors import BadOption, BadTrail
from logdump.spark.targets.stream import ApplyRequest, DdlFound, check_beginning, statements_between
from logdump.spark.targets.target import place_of
from tests.logdump.spark.targets.places import sqlite_place
from tests.logdump.spark.test_changes import changes_in
from tests.simulated.dimensions import SizedExtract
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
    asked = ApplyRequest(f"{tmp_path}/sm*", {}, {}, None, "stop", {"effective": True})
    check_beginning(asked)
    extract.paths[0].unlink()
    with pytest.raises(BadTrail, match=r"sm000000001, RBA \d+: the trail begins inside a transaction"):
        check_beginning(asked)


def test_wildcards_match_tables_without_those_of_heartbeats() -> None:
    asked = ApplyRequest(TRAIL, {"teahouse.*": ""}, {}, None, "stop", {"effective": True})
    assert [*asked.chosen().tables] == ["TEAHOUSE.SALES", "TEAHOUSE.TEAS"]
    beats = ApplyRequest(str(TRAILS / "kl*"), {"*": ""}, {}, None, "stop", {})
    assert not any(map(role_of, beats.chosen().tables))
    with pytest.raises(BadOption, match="no table that the trail defines is called like HR"):
        asked._replace(tables={"HR.*": ""}).chosen()


def test_statements_on_the_tables_are_found_in_order(tmp_path: Path) -> None:
    extract = SizedExtract(tmp_path)
    for table in ("TEAS", "HERBS", "TEAS"):
        extract.whole()
        extract.statement(Ddl("ALTER", "TABLE", table, f"alter table teahouse.{table} add (c number)"))
    extract.roll()
    extract.statement(Ddl("TRUNCATE", "TABLE", "TEAS", "truncate table teahouse.TEAS"))
    extract.close()
    files = ApplyRequest(f"{tmp_path}/sm*", {}, {}, None, "stop", {}).files()
    found = [*statements_between(files, place_of(0, 0), place_of(9, 0), ["TEAHOUSE.TEAS"])]
    assert [one.text.split()[0] for one in found] == ["alter", "alter", "truncate"]
    assert {one.table for one in found} == {"TEAHOUSE.TEAS"}
    later = [*statements_between(files, found[1].place, found[2].place, ["TEAHOUSE.TEAS"])]
    assert later == found[1:2]


def _altered(folder: Path) -> Path:
    """Two rows, a statement on their table between them."""
    extract = SizedExtract(folder)
    extract.whole()
    extract.statement(Ddl("COMMENT", "TABLE", "TEAS", "comment on table teahouse.TEAS is 'x'"))
    extract.whole(number=3)
    return extract.first


def test_a_statement_stops_it_once(spark: SparkSession, tmp_path: Path) -> None:
    trail, place = _altered(tmp_path), sqlite_place(tmp_path)
    with pytest.raises(DdlFound, match=r"RBA \d+: all before it is applied: comment on table"):
        logdump.spark.apply(spark, trail, place.url, TEAS, create=True, once=True)
    assert len(place.rows(TEAS)) == 1
    logdump.spark.apply(spark, trail, place.url, TEAS, once=True)
    assert len(place.rows(TEAS)) == 2


def test_a_statement_is_handed_over_when_all_before_it_is_applied(spark: SparkSession, tmp_path: Path) -> None:
    trail, place = _altered(tmp_path), sqlite_place(tmp_path)
    met: list[tuple[str, str, int]] = []

    def take(text: str, table: str) -> None:
        met.append((text.split(maxsplit=1)[0], table, len(place.rows(TEAS))))

    logdump.spark.apply(spark, trail, place.url, TEAS, create=True, once=True, ddl=take)
    assert met == [("comment", TEAS, 1)]
    assert len(place.rows(TEAS)) == 2
