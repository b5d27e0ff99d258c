"""EXPORT under ENGINE SPARK: tasks write the parts; what is told and what is there is that of the local engine."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from fixtures import TRAILS
from tests.logdump.spark.engines import ENGINE, Told

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark
SHOP, OLD, DAMAGED = TRAILS / "et000000000", TRAILS / "ot000000", TRAILS / "gt000000000"
DEFINITIONS = Path(__file__).parents[2] / "transcripts" / "obey" / "teahouse.def"


@pytest.fixture
def told(spark: SparkSession) -> Iterator[Told]:  # noqa: ARG001 - the one that ENGINE finds
    session = Told(ENGINE)
    yield session
    session.session.end()


def _local(*lines: str) -> list[str]:
    session = Told()
    shown = [line for command in lines for line in session(command)]
    session.session.end()
    return shown


def test_tables_become_folders_that_are_read_as_files(told: Told, tmp_path: Path) -> None:
    told(f"open {SHOP}")
    shown = told(f"export parquet to {tmp_path / 'spark'} by table")
    _local(f"open {SHOP}", f"export parquet to {tmp_path / 'local'} by table")
    assert told.has_run_a_job
    assert shown == [
        "TEAHOUSE.TEAS.parquet: 11 rows of TEAHOUSE.TEAS",
        "TEAHOUSE.SALES.parquet: 7 rows of TEAHOUSE.SALES",
        f"Exported 18 records to 2 parts in {tmp_path / 'spark'}",
        "Left out 4 records that are not rows: FileHeader 1, Metadata 3",
    ]
    for name in ("TEAHOUSE.TEAS.parquet", "TEAHOUSE.SALES.parquet"):
        assert pq.read_table(tmp_path / "spark" / name).equals(pq.read_table(tmp_path / "local" / name))


@pytest.mark.parametrize(
    "before",
    [
        "filter include filename *.sales",
        'filter include string "a;b"',
        "filter include value PRICE > 7",
        "position 3260",
        "position 3069; filter csn > 41882368",
    ],
)
def test_filter_and_position_hold(before: str, told: Told, tmp_path: Path) -> None:
    told(f"open {SHOP}")
    told(before)
    told(f"export jsonl to {tmp_path / 'spark'}")
    _local(f"open {SHOP}", before, f"export jsonl to {tmp_path / 'local'}")
    parts = sorted((tmp_path / "spark").iterdir())
    assert b"".join(part.read_bytes() for part in parts) == (tmp_path / "local").read_bytes()


def test_what_is_not_applied_is_left_out(told: Told, tmp_path: Path) -> None:
    told(f"open {TRAILS / 'at000000000'}")
    told(f"export jsonl to {tmp_path / 'spark'} effective")
    assert told.has_run_a_job
    _local(f"open {TRAILS / 'at000000000'}", f"export jsonl to {tmp_path / 'local'} effective")
    parts = sorted((tmp_path / "spark").iterdir())
    assert b"".join(part.read_bytes() for part in parts) == (tmp_path / "local").read_bytes()


def test_a_definitions_file_is_known_to_the_tasks(told: Told, tmp_path: Path) -> None:
    told(f"open {OLD}")
    told(f"sourcedefs {DEFINITIONS}")
    told(f"export jsonl to {tmp_path / 'spark'} by table")
    lines = [line for part in (tmp_path / "spark").glob("*/*") for line in part.read_text().splitlines()]
    assert any("after_TEA_CODE" in json.loads(line) for line in lines)


def test_the_position_moves_behind_what_was_exported(told: Told, tmp_path: Path) -> None:
    told(f"open {SHOP}")
    told(f"export csv to {tmp_path / 'out'}")
    assert told.session.cursor.next == SHOP.stat().st_size


def test_damage_is_told_as_the_local_engine_tells_it(told: Told, tmp_path: Path) -> None:
    shown = told(f"open {DAMAGED}; export csv to {tmp_path / 'out'}")
    local = _local(f"open {DAMAGED}; export csv to {tmp_path / 'local'}")
    assert (
        [line for line in shown if "are not exported" in line]
        == [line for line in local if "are not exported" in line]
        != []
    )


@pytest.mark.parametrize(
    ("words", "why"),
    [("sql to {}", "SQL, which is one script"), ("csv to {} 3 records", "a number of RECORDS")],
)
def test_the_local_engine_does_what_spark_cannot(words: str, why: str, told: Told, tmp_path: Path) -> None:
    told(f"open {SHOP}")
    told(f"export {words.format(tmp_path / 'out')}")
    assert not told.has_run_a_job
    assert told.asides == [f"The local engine runs this: Spark does not support {why}."]
    assert (tmp_path / "out").is_file()


def test_an_error_leaves_nothing(told: Told, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told(f"open {SHOP}")
    monkeypatch.setattr("logdump.spark.jobs.export_pieces.ATTEMPTS", "nowhere/at/all")
    shown = told(f"export csv to {tmp_path / 'out'}")
    assert "No such file or directory" in shown[0]
    assert list(tmp_path.iterdir()) == []
    assert told.session.cursor.next == 0


def test_what_is_there_is_replaced_only_when_it_is_an_export(told: Told, tmp_path: Path) -> None:
    target = tmp_path / "out"
    told(f"open {SHOP}; export csv to {target} by table; position 0")
    assert "exists already" in told(f"export csv to {target} by table")[0]
    assert "Exported 18 records" in told(f"position 0; export csv to {target} by table replace")[-2]
    (target / "TEAHOUSE.TEAS.csv" / "mine.txt").touch()
    assert "is not a file of an export" in told(f"position 0; export csv to {target} by table replace")[-1]
