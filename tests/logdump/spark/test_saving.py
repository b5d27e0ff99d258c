"""SAVE as a Spark job: files in the order of their sources, nothing in between that anybody sees."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures import TRAILS
from logdump.spark.errors import BadOption, BadTrail, NoTrailFiles
from logdump.spark.write.save import save
from logdump.spark.write.target import TargetRefused
from tests.logdump.spark.reads import table
from tests.logdump.spark.written import body, meant_rows, trail_files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SAMPLE = TRAILS / "et000000000"
SAME = ("op", "table", "time", "csn", "xid", "before", "after", "raw")
"""Columns that do not tell the place of a record."""


def _sources(tmp_path: Path, files: int) -> Path:
    """A trail of so many files."""
    directory = tmp_path / "dirdat"
    directory.mkdir()
    for number in range(files):
        (directory / f"lt{number + 40:09d}").write_bytes((TRAILS / f"st00000000{number % 2}").read_bytes())
    return directory


def test_everything_of_a_trail(spark: SparkSession, tmp_path: Path) -> None:
    source, out = _sources(tmp_path, 5), tmp_path / "out"
    saved = save(spark, source, out)
    assert [one.source for one in saved] == [str(one) for one in trail_files(source)]
    assert [one.file for one in saved] == [str(out / f"lt{number:09d}") for number in range(5)]
    assert [body(one.file) for one in saved] == [body(one) for one in trail_files(source)]
    assert sorted(one.name for one in out.iterdir()) == ["_SUCCESS", *(Path(one.file).name for one in saved)]
    assert table(out, *SAME, where="exclude rba 0").equals(table(source, *SAME, where="exclude rba 0"))


def test_the_real_trail(spark: SparkSession, evidence: Path, tmp_path: Path) -> None:
    [saved] = save(spark, evidence / "tr000000000", tmp_path / "out")
    assert body(saved.file) == body(evidence / "tr000000000")


def test_a_filter_and_a_size(spark: SparkSession, tmp_path: Path) -> None:
    source = _sources(tmp_path, 2)
    saved = save(spark, [source / "lt000000040", source / "lt000000041"], tmp_path / "out", where="filename *sales")
    kept = [row for row in meant_rows(*trail_files(source)) if row.name.upper().endswith("SALES")]
    assert meant_rows(*(one.file for one in saved)) == kept
    assert kept


def test_a_first_file_beside_the_source(spark: SparkSession, tmp_path: Path) -> None:
    source = _sources(tmp_path, 2)
    saved = save(spark, source / "lt*", source / "rt000007")
    assert [Path(one.file).name for one in saved] == ["rt000007", "rt000008"]
    assert sorted(one.name for one in source.iterdir()) == ["lt000000040", "lt000000041", "rt000007", "rt000008"]


def test_appending_and_overwriting(spark: SparkSession, tmp_path: Path) -> None:
    out = tmp_path / "out"
    save(spark, SAMPLE, out)
    save(spark, SAMPLE, out, mode="append")
    assert [one.name for one in trail_files(out)] == ["et000000000", "et000000001"]
    with pytest.raises(TargetRefused, match="is not empty"):
        save(spark, SAMPLE, out)
    save(spark, TRAILS / "st000000000", out, mode="overwrite")
    assert [one.name for one in trail_files(out)] == ["st000000000"]


def test_nothing_that_passes(spark: SparkSession, tmp_path: Path) -> None:
    assert save(spark, SAMPLE, tmp_path / "out", where="filename no.such") == []
    assert [one.name for one in (tmp_path / "out").iterdir()] == ["_SUCCESS"]


def test_damage_ends_it_and_leaves_nothing(spark: SparkSession, tmp_path: Path) -> None:
    source = _sources(tmp_path, 3)
    (source / "lt000000041").write_bytes((TRAILS / "gt000000000").read_bytes())
    with pytest.raises(BadTrail, match=r"lt000000041, seqno 41, RBA \d+: "):
        save(spark, source, tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_what_cannot_be_asked_for(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(NoTrailFiles):
        save(spark, tmp_path / "none*", tmp_path / "out")
    with pytest.raises(BadOption, match="did you mean where"):
        save(spark, SAMPLE, tmp_path / "out", wher="x")
    with pytest.raises(BadOption, match="option columns is not for save"):
        save(spark, SAMPLE, tmp_path / "out", columns="raw")
    with pytest.raises(TargetRefused, match="is being read"):
        save(spark, SAMPLE, SAMPLE.with_name("et000000009"))
    assert list(tmp_path.iterdir()) == []
