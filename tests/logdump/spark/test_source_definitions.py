"""Option ``sourceDefs``: columns of tables that a trail does not define."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from fixtures import TRAILS
from logdump.spark.errors import BadOption
from logdump.spark.source.named_files import source_definitions, with_absolute_paths
from logdump.spark.source.options import Options
from tests.logdump.spark.reads import rows

FILES = Path(__file__).parents[2] / "transcripts" / "obey"
TEAHOUSE = FILES / "teahouse.def"
OLD = TRAILS / "ot000000"


def test_the_columns_of_an_older_trail_have_names() -> None:
    before = rows(OLD, "after")
    after = rows(OLD, "after", sourceDefs=TEAHOUSE)
    assert {one["name"] for row in before for one in row["after"] or ()} == {None}
    named = next(row["after"] for row in after if row["after"])
    assert [one["name"] for one in named[:2]] == ["TEA_CODE", "NAME"]


def test_the_definitions_of_a_trail_go_first(tmp_path: Path) -> None:
    other = tmp_path / "other.def"
    other.write_text(TEAHOUSE.read_text().replace("TEA_CODE", "CODE"))
    path = TRAILS / "et000000000"
    assert rows(path, "after", sourceDefs=other) == rows(path, "after")


def test_every_worker_gets_the_whole_path(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(FILES)
    assert with_absolute_paths(Options(source_defs="teahouse.def")).source_defs == str(TEAHOUSE)
    assert with_absolute_paths(Options(source_defs=f"file:{TEAHOUSE}")).source_defs == str(TEAHOUSE)


def test_without_the_option_there_are_none() -> None:
    assert source_definitions(with_absolute_paths(Options())) is None


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (str(FILES / "missing.def"), "missing.def: No such file or directory"),
        (str(FILES), "obey: it is a directory"),
        (str(FILES / "broken.def"), "broken.def: line 9: column PRICE lacks numbers"),
        ("s3://bucket/a.def", "only files of this machine's own paths"),
        ("a\0b", "null"),
    ],
)
def test_a_file_that_is_none_is_refused_in_one_line(given: str, told: str) -> None:
    with pytest.raises(BadOption, match=told) as refused:
        with_absolute_paths(Options(source_defs=given))
    assert "\n" not in str(refused.value)


def test_a_file_that_has_changed_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "tea.def"
    path.write_bytes(TEAHOUSE.read_bytes())
    first = source_definitions(Options(source_defs=str(path)))
    assert source_definitions(Options(source_defs=str(path))) is first
    path.write_text(TEAHOUSE.read_text().replace("TEAS", "CAKES"))
    os.utime(path, (1, 1))
    changed = source_definitions(Options(source_defs=str(path)))
    assert changed is not None
    assert "TEAHOUSE.CAKES" in changed.tables


def test_they_go_before_those_of_the_trail_when_that_is_asked_for(tmp_path: Path) -> None:
    other = tmp_path / "other.def"
    other.write_text(TEAHOUSE.read_text().replace("TEA_CODE", "CODE"))
    images = rows(TRAILS / "et000000000", "after", sourceDefs=other, sourceDefsOverride="true")
    assert "CODE" in {one["name"] for row in images for one in row["after"] or ()}
