"""Heartbeats in Spark: Oracle's tables and views answer as the target's own do, ours as HEARTBEAT HISTORY does."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import logdump.spark
from fixtures import TRAILS
from logdump.display.json_lines import render
from logdump.features.heartbeat.model import HeartbeatsShown
from logdump.spark.views import Views
from logdump.tables.errors import BadTrail
from tests.logdump.heartbeats.target import captured
from tests.logdump.line import Line
from tests.logdump.tables.reads import Row, rows
from tests.searching import Random, examples
from tests.simulated.heartbeat_trails import EPOCH, HeartbeatTrail
from tests.simulated.heartbeats import LAG, LAG_HISTORY, Database, Link, asked, drawn_links
from trailformat import from_datetime

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SEEDS = pytest.mark.parametrize("seed", range(examples(2)))
TARGET = TRAILS / "yl000000000"


def drawn(seed: int, folder: Path, base: str = "GGADMIN.GG_HEARTBEAT") -> tuple[Link, Path]:
    """A way between two databases, with beats in both directions, and the trail that is captured at its end."""
    random = Random(seed)
    link = next(drawn_links(random, [Database("EAST"), Database("WEST")]))
    return link, captured(link, random, HeartbeatTrail(folder / "hh000000000", base=base), is_mutual=True)


def as_simulated(value: Any) -> Any:
    """A value of a row as the simulation has it: microseconds of its own calendar, seconds as a float."""
    if isinstance(value, datetime):
        return round((value - EPOCH.replace(tzinfo=None)).total_seconds() * 10**6)
    return float(value) if isinstance(value, Decimal) else value


def answered(path: Path, view: str, **options: str) -> list[Row]:
    """The rows of a view, their columns in capitals."""
    found = rows(path, analysis=view, **options)
    return [{name.upper(): as_simulated(value) for name, value in row.items()} for row in found]


def in_capitals(found: list[Row]) -> list[Row]:
    return [{name.upper(): value for name, value in row.items()} for row in found]


@SEEDS
@pytest.mark.parametrize("table", ["gg_heartbeat", "gg_heartbeat_history"])
def test_the_tables_are_those_of_the_target(table: str, seed: int, tmp_path: Path) -> None:
    link, path = drawn(seed, tmp_path)
    assert answered(path, table) == asked(link.target, f"SELECT * FROM {table} ORDER BY rowid")


@SEEDS
def test_gg_lag_history_answers_as_in_the_target(seed: int, tmp_path: Path) -> None:
    link, path = drawn(seed, tmp_path)
    expected = in_capitals(asked(link.target, LAG_HISTORY))
    assert answered(path, "gg_lag_history") == expected


@SEEDS
def test_gg_lag_answers_as_in_the_target_at_the_moment_of_its_answer(seed: int, tmp_path: Path) -> None:
    link, path = drawn(seed, tmp_path)
    found = answered(path, "gg_lag")
    (at,) = {row["CURRENT_LOCAL_TS"] for row in found}
    expected = in_capitals(asked(link.target, LAG, at=at))
    assert found == expected


def test_the_moment_of_gg_lag_is_that_of_heartbeat(line: Line) -> None:
    line(f"open {TARGET}; heartbeat")
    (shown,) = (event for event in line.events if isinstance(event, HeartbeatsShown))
    assert shown.at is not None
    (row,) = rows(TARGET, analysis="gg_lag")
    assert from_datetime(row["current_local_ts"].replace(tzinfo=UTC)) == shown.at


def test_tables_of_another_name_are_found_by_it(tmp_path: Path) -> None:
    link, path = drawn(1, tmp_path, base="OPS.PULSE")
    assert answered(path, "gg_heartbeat_history") == []
    found = answered(path, "gg_heartbeat_history", heartbeatTable="OPS.PULSE")
    assert found == asked(link.target, "SELECT * FROM gg_heartbeat_history ORDER BY rowid")


def test_heartbeats_are_the_beats_of_the_history(line: Line) -> None:
    line(f"open {TARGET}; heartbeat history")
    told = [json.loads(text) for event in line.events for text in render(event, line.session.settings)]
    expected = [{name: item[name] for name in item if name != "type"} for item in told if item["type"] == "heartbeat"]
    assert [as_json(row) for row in rows(TARGET, analysis="heartbeats")] == expected


def as_json(row: Row) -> Row:
    times = {
        name: f"{value.replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
        for name, value in row.items()
        if isinstance(value, datetime)
    }
    return {**row, **times, "other": dict(row["other"])}


def test_a_filter_chooses_rows_of_the_tables() -> None:
    assert rows(TARGET, analysis="heartbeats", where="FILTER EXCLUDE FILENAME *HEARTBEAT*") == []


def test_damage_ends_the_read_under_failfast(tmp_path: Path) -> None:
    content = bytearray(TARGET.read_bytes())
    content[6370:6380] = bytes(10)
    (damaged := tmp_path / "yl000000000").write_bytes(content)
    with pytest.raises(BadTrail, match=r"RBA \d+"):
        rows(damaged, analysis="gg_lag")
    assert len(rows(damaged, analysis="gg_lag", mode="PERMISSIVE")) == 1


@pytest.mark.spark
def test_queries_of_a_database_run_unchanged(spark: SparkSession) -> None:
    views = Views(spark, str(TARGET), {})
    query = "SELECT incoming_path, round(incoming_lag) FROM gg_lag WHERE incoming_heartbeat_age < 180"
    assert [tuple(row) for row in views.query(query).collect()] == [("EXT1 ==> PMP1 ==> REP1", Decimal(2))]
    lags = logdump.spark.heartbeats(spark, TARGET).select("total_lag").collect()
    assert [row[0] for row in lags] == [14.354, 6.2, 2.15]
