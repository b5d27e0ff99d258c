"""``logdump.spark.diff``: the differences that DIFF finds, whatever the tasks."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import logdump.spark
from fixtures import TRAILS
from logdump.features.diff.json import DIFFERENCE
from logdump.features.diff.model import DifferenceShown
from logdump.tables.errors import BadOption, BadTrail
from tests.logdump.line import Line
from tests.searching import IS_LONG, Random
from tests.simulated.pairs import drawn, edited, written
from tests.trailformat.samples import row, trail_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CASES = [("records", 4), *([("records", 1), ("values", 2), ("bytes", 3), ("values", 5)] if IS_LONG else [])]
"""Levels, and seeds: of the fourth, a transaction of each kind of difference."""


def of_command(line: Line, a: str, b: str, words: str) -> Counter[str]:
    """The objects that DIFF prints."""
    line(f'diff "{a}" "{b}" {words} limit 1000')
    return Counter(
        _as_text(DIFFERENCE.build(difference)) for difference in line.events if isinstance(difference, DifferenceShown)
    )


def of_spark(spark: SparkSession, a: str, b: str, level: str, **options: Any) -> Counter[str]:
    """The rows as such objects."""
    frame = logdump.spark.diff(spark, a, b, level, maxPartitionBytes="12k", **options)
    return Counter(_as_text(row.asDict(recursive=True)) for row in frame.collect())


def _as_text(found: dict[str, Any]) -> str:
    return json.dumps(found, default=str, sort_keys=True)


@pytest.mark.spark
@pytest.mark.parametrize(("level", "seed"), CASES)
def test_its_rows_are_the_objects_of_diff(
    line: Line, spark: SparkSession, tmp_path: Path, level: str, seed: int
) -> None:
    random = Random(seed)
    transactions = drawn(random, 20)
    copy, truth = edited(random, transactions)
    a, b = written(tmp_path / "a", transactions), written(tmp_path / "b", copy, cuts=random)
    told = of_command(line, a, b, level)
    assert level == "bytes" or sum(told.values()) >= len(truth) > 0
    assert of_spark(spark, a, b, level) == told


@pytest.mark.spark
@pytest.mark.slow
def test_it_has_the_options_of_diff(line: Line, spark: SparkSession, tmp_path: Path) -> None:
    transactions = drawn(Random(7), 20)
    copy = [transactions[0], *transactions[3::-1], *transactions[5:]]
    a, b = written(tmp_path / "a", transactions), written(tmp_path / "b", copy, cuts=Random(1))
    first, last = transactions[1].csn, transactions[9].csn
    words = f"records only *.teas from csn {first} to csn {last} ignore time, position anyorder"
    given = {"only": "*.teas", "from_csn": first, "to_csn": last, "ignore": ["time", "position"], "any_order": True}
    assert of_spark(spark, a, b, "records", **given) == of_command(line, a, b, words)


@pytest.mark.spark
@pytest.mark.slow
def test_transactions_without_a_name_belong_together_by_what_they_hold(spark: SparkSession, tmp_path: Path) -> None:
    a = trail_of(tmp_path, *map(row, (b"one", b"two", b"three", b"four")), name="na000000000")
    b = trail_of(tmp_path, *map(row, (b"one", b"TWO", b"three")), name="nb000000000")
    found = logdump.spark.diff(spark, a, b).groupBy("kind").count().collect()
    assert {found_row.kind: found_row["count"] for found_row in found} == {"missing": 2, "extra": 1}


@pytest.mark.spark
@pytest.mark.slow
def test_damage_is_a_row(line: Line, spark: SparkSession, tmp_path: Path) -> None:
    a = written(tmp_path / "a", drawn(Random(7), 20), cuts=Random(2))
    for number, path in enumerate(sorted((tmp_path / "a").iterdir())[1:3]):
        path.write_bytes(path.read_bytes()[: 900 * number] + b"\0" * 200 + path.read_bytes()[1100:])
    told = of_command(line, a, a, "records")
    assert {json.loads(text)["kind"] for text in told} == {"damage"}
    assert of_spark(spark, a, a, "records") == told


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"level": "rows"}, "level takes one of bytes, records, values, not 'rows'"),
        ({"ignore": "times"}, "ignore takes TIME, POSITION, ROWID, TOKENS, USERTOKENS, ABSENT, CUT, not TIMES"),
        ({"from_csn": "soon"}, "from_csn: 'soon' is not a CSN"),
        ({"startCsn": "1"}, "option startCsn is not for diff"),
        ({"b": str(TRAILS / "[es]t*")}, "files of several trails"),
    ],
)
def test_what_it_cannot_do_is_refused(given: dict[str, str], message: str) -> None:
    with pytest.raises(BadOption) as caught:
        logdump.spark.diff(None, **{"a": TRAILS / "et000000000", "b": TRAILS / "bt000000000", **given})  # type: ignore[arg-type]  # refused before Spark is needed
    assert message in str(caught.value)


def test_a_file_that_is_no_trail_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes").write_text("no trail at all")
    with pytest.raises(BadTrail, match="notes"):
        logdump.spark.diff(None, tmp_path / "notes", TRAILS / "bt000000000")  # type: ignore[arg-type]  # as above
