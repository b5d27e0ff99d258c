"""What does not decode: an end of the read or a null that is told, as ``undecodable`` and ``mode`` say."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.errors import PythonException

from fixtures import TRAILS
from logdump.spark import register, table
from logdump.tables.errors import BadTrail
from tests.logdump.tables.reads import rows
from tests.logdump.tables.test_tables import rows_of
from tests.logdump.tables.test_values import PRICE, definition, price
from tests.searching import in_turn
from tests.trailformat.samples import trail_of
from trailformat import Record, TrailError, TrailFile
from trailformat.changes.row_changes import ColumnChange, row_columns
from trailformat.trail.row_definitions import RowDefinitions

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Way = dict[str, str]
TABLE = "TEA.LEAVES"
MODES = ("FAILFAST", "PERMISSIVE", "DROPMALFORMED")
CHOICES: tuple[Way, ...] = ({}, {"undecodable": "fail"}, {"undecodable": "null"})
WAYS: list[Way] = [{"mode": mode, **choice} for mode, choice in product(MODES, CHOICES)]
SIDES, TOKENS = ("before", "after"), ("gg_tokens", "user_tokens", "row_id")
NAMES = ("rba", "op", "table", "time", "csn", "ddl", "raw", *TOKENS, *SIDES)


def ends(way: Way) -> bool:
    """What docs/spark.md says of the two options."""
    return way.get("undecodable", "fail" if way["mode"] == "FAILFAST" else "null") == "fail"


def remedy(way: Way) -> str:
    """What the error says of the option that ends the read."""
    return "with option undecodable null it is null" if "undecodable" in way else "with mode PERMISSIVE it is null"


@pytest.fixture
def odd_price(tmp_path: Path) -> Path:
    """A price of one byte behind one that decodes."""
    return trail_of(tmp_path, definition(PRICE), price(bytes(8)), price(b"\0"))


def undecodable(path: Path, *, is_cut: bool) -> set[str]:
    """The columns that a record has no value for, asked one by one; of images cut by fragments, or of anything else."""
    with TrailFile(path) as trail:
        known = RowDefinitions(trail)
        return {
            name
            for record in trail.records()
            if not record.is_file_header
            for name in _undecodable(record, known)
            if is_cut == (name in SIDES and record.header.continued)
        }


def _undecodable(record: Record, known: RowDefinitions) -> Iterator[str]:
    yield from (name for name in TOKENS if _raises(record, name))
    if _raises(record, "images"):
        yield from SIDES
    elif record.images is not None:
        columns = row_columns(record, known.of(record))
        yield from (side for side in SIDES if any(_is_odd(column, side) for column in columns))


def _is_odd(column: ColumnChange, side: str) -> bool:
    value = getattr(column, side)
    return column.definition is not None and value is not None and value.problem is not None


def _raises(record: Record, name: str) -> bool:
    try:
        getattr(record, name)
    except TrailError:
        return True
    return False


@pytest.mark.parametrize(
    ("way", "name"),
    in_turn(WAYS, ["odd price", "ut000000000", "pt000000000", "et000000000"]),
    ids=lambda parameter: getattr(parameter, "name", None),
)
def test_whatever_columns_are_read_the_read_ends_or_tells_what_is_null(
    name: str, way: Way, odd_price: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = TRAILS / name if (TRAILS / name).exists() else odd_price
    odd, cut = undecodable(path, is_cut=False), undecodable(path, is_cut=True)
    for selected in [(name,) for name in NAMES] + [(name, "problems") for name in NAMES] + [("problems",)]:
        has_problems = "problems" in selected
        is_odd, is_cut = bool(odd) if has_problems else selected[0] in odd, selected[0] in cut
        caplog.clear()
        if ends(way) and (is_odd or (is_cut and not has_problems)):
            with pytest.raises(BadTrail, match=rf"RBA \d+: .*{remedy(way)}"):
                rows(path, *selected, **way)
            continue
        found = rows(path, *selected, **way)
        told = any(row["problems"] for row in found) if has_problems else bool(caplog.messages)
        assert told == (bool(odd or cut) if has_problems else is_odd or is_cut), selected


@pytest.mark.parametrize("way", WAYS, ids=lambda way: " ".join(way.values()))
def test_so_it_is_for_the_rows_of_a_table(way: Way, odd_price: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert [row["op"] for row in rows_of(odd_price, TABLE, "op", **way)] == ["INSERT"] * 2
    for selected in (("after_PRICE",), ("problems",), ("after_PRICE", "problems")):
        if ends(way):
            with pytest.raises(BadTrail, match=rf"RBA \d+: PRICE: INT64: .*{remedy(way)}"):
                rows_of(odd_price, TABLE, *selected, **way)
            continue
        with caplog.at_level(logging.WARNING, "logdump.spark"):
            found = rows_of(odd_price, TABLE, *selected, **way)
        assert [bool(row.get("problems", True)) for row in found][1]
        assert found[1].get("after_PRICE") is None
    assert ends(way) or len(caplog.messages) == 1


@pytest.mark.spark
def test_in_spark_a_select_of_values_alone_gives_none_that_does_not_decode(
    spark: SparkSession, odd_price: Path
) -> None:
    """Spark asks for ``problems`` whatever is selected, so that nobody would look at it."""
    register(spark)
    records = spark.read.format("trail").option("columns", "all").load(str(odd_price))
    for values in (records.selectExpr("after[0].value"), table(spark, odd_price, TABLE).select("after_PRICE")):
        with pytest.raises(PythonException, match=r"PRICE: INT64: wrong size of the value.*mode PERMISSIVE"):
            values.collect()
    assert spark.read.format("trail").load(str(odd_price)).count() == 3, "nothing is decoded that was not asked for"
    kept = table(spark, odd_price, TABLE, undecodable="null").select("after_PRICE", "problems.reason").collect()
    assert [(row.after_PRICE is None, bool(row.reason)) for row in kept] == [(False, False), (True, True)]
