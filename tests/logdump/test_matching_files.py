"""Several files of a trail are read in the order in which they were written, whatever their numbers are."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.features.check.model import GapShown
from logdump.session.files import matching_files
from tests.logdump.line import Line
from tests.logdump.spark.reads import planned, rows
from trailformat import TrailSequence

WRITTEN = [
    ["lt000000", "lt000001", "lt000002"],
    ["lt999998", "lt999999", "lt000000", "lt000001"],
    ["lt000007", "lt000008", "lt000000000", "lt000000001"],
    ["lt999999", "lt000000", "lt000000005"],
    ["lt999999999", "lt000000000"],
]


@pytest.fixture(params=WRITTEN, ids=" ".join)
def written(request: pytest.FixtureRequest, tmp_path: Path) -> list[Path]:
    """The files of a trail, first written first; none of them begins with a good record."""
    paths = [tmp_path / name for name in request.param]
    for path in paths:
        path.write_bytes((TRAILS / "gt000000000").read_bytes())
    return paths


def test_every_reader_of_several_files_takes_them_in_the_order_of_writing(written: list[Path], line: Line) -> None:
    wildcard = written[0].parent / "lt*"
    assert list(TrailSequence(written[0]).paths) == written
    assert matching_files(str(wildcard)) == written
    counted = [text for text in line(f"count log {wildcard}") if " counted, " in text]
    assert [text.split()[1] for text in counted] == list(map(str, written))
    line(f"check {wildcard}")
    assert [event.path for event in line.events if isinstance(event, GapShown)] == written
    assert [one.path for slices in planned(wildcard) for one in slices] == list(map(str, written))


def test_rows_of_spark_tell_the_order_of_their_files(written: list[Path]) -> None:
    found = rows(written[0].parent / "lt*", "file", "file_order", mode="DROPMALFORMED")
    assert {row["file_order"]: row["file"] for row in found} == dict(enumerate(map(str, written)))


def test_files_of_no_trail_come_last_and_trails_by_their_names(tmp_path: Path) -> None:
    for name in ("zz", "lt000001", "lt000000", "kt999999", "kt000000", "a1b"):
        shutil.copy(TRAILS / "et000000000", tmp_path / name)
    found = [path.name for path in matching_files(f"{tmp_path}/*")]
    assert found == ["kt999999", "kt000000", "lt000000", "lt000001", "a1b", "zz"]


def test_a_comma_may_be_part_of_a_name_that_is_there(tmp_path: Path) -> None:
    folder = tmp_path / "a,b"
    folder.mkdir()
    paths = [folder / name for name in ("at000000000", "at000000001")]
    for path in paths:
        shutil.copy(TRAILS / path.name, path)
    assert matching_files(",".join(map(str, paths))) == paths
    (tmp_path / "b").mkdir()
    other = Path(shutil.copy(TRAILS / "et000000000", tmp_path / "b" / "et000000000"))
    assert matching_files(f"{folder}, {other}") == [*paths, other]
