"""SAVE under ENGINE SPARK writes the records that it writes under the local engine."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from fixtures import TRAILS
from tests.logdump.spark.engines import BothEngines

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.spark

SHOP = TRAILS / "et000000000"


@pytest.fixture
def both(spark: SparkSession, tmp_path: Path) -> Iterator[BothEngines]:  # noqa: ARG001 - the one that ENGINE finds
    for name in ("local", "spark"):
        (tmp_path / name).mkdir()
    sessions = BothEngines()
    yield sessions
    sessions.end()


class Saved:
    """What both engines have written, each into a folder of its own."""

    def __init__(self, both: BothEngines, folder: Path, options: str = "", name: str = "rt000000003") -> None:
        self.here, self.there = folder / "local" / name, folder / "spark" / name
        self.told = both.local(f"save {self.here} {options}")
        told = both.spark(f"save {self.there} {options}")
        assert told == [line.replace(str(self.here), str(self.there)) for line in self.told]

    @property
    def are_alike(self) -> bool:
        """Whether the files are, but for the folder in their headers."""
        return self.there.read_bytes().replace(b"/spark/", b"/local/") == self.here.read_bytes()


@pytest.mark.parametrize("name", ["et000000000", "el000000000", "st000000001", "dt000000000", "ht000000000"])
def test_the_same_records(both: BothEngines, tmp_path: Path, name: str) -> None:
    both(f"open {TRAILS / name}")
    saved = Saved(both, tmp_path)
    assert both.spark.has_run_a_job
    assert saved.are_alike


@pytest.mark.parametrize("before", ["filter include filename *.sales", "position 3629", "filter csn > 41882368; n 4"])
def test_filter_and_position(both: BothEngines, tmp_path: Path, before: str) -> None:
    both(f"open {SHOP}; {before}")
    saved = Saved(both, tmp_path)
    assert both.spark.has_run_a_job
    assert saved.are_alike


def test_the_position_is_at_the_end_afterwards(both: BothEngines, tmp_path: Path) -> None:
    both.spark(f"open {SHOP}; filter include filename *.sales; save {tmp_path / 'there' / 'rt000000000'}")
    assert both.spark.session.cursor.next == SHOP.stat().st_size


def test_a_target_that_exists(both: BothEngines, tmp_path: Path) -> None:
    both(f"open {SHOP}")
    Saved(both, tmp_path)
    assert "exists already; SAVE rt000000003 ! replaces it." in Saved(both, tmp_path).told[0]
    both("filter include iotype insert")
    replaced = Saved(both, tmp_path, "!")
    assert replaced.are_alike


@pytest.mark.parametrize("options", ["3 records", "400 bytes", "transind only", "comment"])
def test_what_spark_does_not_do(both: BothEngines, tmp_path: Path, options: str) -> None:
    both(f"open {SHOP}")
    saved = Saved(both, tmp_path, options)
    assert len(both.spark.asides) == 1
    assert not both.spark.has_run_a_job
    assert saved.here.stat().st_size == saved.there.stat().st_size


def test_other_names_than_those_of_trails(both: BothEngines, tmp_path: Path) -> None:
    both(f"open {SHOP}")
    Saved(both, tmp_path, name="saved")
    assert "two characters and 6 or 9 digits" in both.spark.asides[0]


def test_beside_the_source(both: BothEngines, tmp_path: Path) -> None:
    for folder in ("local", "spark"):
        shutil.copy(SHOP, tmp_path / folder)
    both.local(f"open {tmp_path / 'local' / SHOP.name}")
    both.spark(f"open {tmp_path / 'spark' / SHOP.name}")
    Saved(both, tmp_path, name="et000000007")
    assert "a file of the open trail itself" in both.spark.asides[0]


def test_nothing_passes(both: BothEngines, tmp_path: Path) -> None:
    both(f"open {SHOP}; filter include filename nothing")
    saved = Saved(both, tmp_path)
    assert saved.told == [f"Saved 0 records to {saved.here}"]
    assert saved.are_alike


def test_damage(both: BothEngines, tmp_path: Path) -> None:
    both(f"open {TRAILS / 'ft000000000'}")
    saved = Saved(both, tmp_path)
    assert saved.told[0].startswith("Bad record found at RBA 3522")
    assert not saved.there.exists()
    assert sorted(path.name for path in saved.there.parent.iterdir()) == []
