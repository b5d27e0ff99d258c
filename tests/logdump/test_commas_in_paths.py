"""A trail in a folder whose name has a comma is that trail for each reader, whatever the parts of the name are too."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest

import logdump
from logdump.tables.errors import SourceError
from logdump.targets.request import ApplyRequest
from tests.logdump.program import logdump as program
from tests.logdump.spark.targets.places import sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import IS_LONG, Random

FOLDERS = ("old", "new", "old,new", "old,", ",new", "a b,new", "old,new,old")


@pytest.fixture
def top(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Folders, each with a trail of one row, whose value is the name of the folder."""
    monkeypatch.chdir(tmp_path)
    for name in FOLDERS:
        trail = Trail({"S.T": {"ID": "INT64", "NAME": "VARCHAR"}})
        trail.insert("S.T", FOLDERS.index(name), name)
        trail.write(tmp_path / name)
        (tmp_path / name / "tt000000000").touch()
    return tmp_path


@pytest.mark.parametrize("seed", range(8 if IS_LONG else 2))
@pytest.mark.parametrize("ending", ["", "/tt", "/tt000000000", "/tt*"])
def test_each_reader_reads_the_trail_that_is_named(seed: int, ending: str, top: Path) -> None:
    place, name = sqlite_place(top), Random(f"{seed} {ending}").choice(FOLDERS)
    for path in (f"{name}{ending}", f"{top}/{name}{ending}", [f"{top}/{name}{ending}"]):
        logdump.apply(path, place.url, create=True, once=True)
        assert place.query("SELECT id, name FROM t") == [(FOLDERS.index(name), name)]
        place.run("DROP TABLE t", "DELETE FROM logdump_position")
        read = logdump.read(path if isinstance(path, str) else path[0], columns=["file"])
        assert {Path(file).parent.name for file in read.to_arrow()["file"].to_pylist()} == {name}
    word = f"{name}{ending}"
    assert program("apply", word, place.url, "--create", "--once").status == 0
    assert place.query("SELECT name FROM t") == [(name,)]
    for line in (["count", word, "--format", "jsonl"], ["list", word, "--format", "jsonl"]):
        answer = program(*line)
        assert f"{name}/tt000000000" in answer.out, (line, answer)
        assert not [other for other in FOLDERS if other != name and f"/{other}/tt" in answer.out], (line, answer)
    sql = program("sql", "SELECT DISTINCT file FROM records", word, "--format", "csv")
    assert sql.out == f'"file"\n"{top}/{name}/tt000000000"\n'


@pytest.mark.parametrize("seed", range(6))
def test_a_list_of_trails_is_read_whole(seed: int, top: Path) -> None:
    names = Random(seed).sample(FOLDERS, 3)
    request = ApplyRequest([top / name / "tt000000000" for name in names], {}, {}, None, "stop", {})
    assert {file.path.parent.name for file in request.files()} == {*names}
    answer = program("list", *(f"{name}/tt000000000" for name in names), "--format", "jsonl")
    assert answer.status == 0 or "name one at a time" in answer.err
    if answer.status == 0:
        assert {name for name in FOLDERS if f"/{name}/tt" in answer.out} == {*names}, answer


def test_a_folder_that_is_named_is_not_taken_for_another_when_its_trail_is_gone(top: Path) -> None:
    place = sqlite_place(top)
    shutil.rmtree(top / "old,new")
    (top / "old,new").mkdir()
    shutil.rmtree(top / "new")
    answer = program("apply", "old,new/tt", place.url, "--create", "--once")
    assert answer.status not in (0, 130)
    with pytest.raises(SourceError, match="old,new/tt"):
        logdump.apply("old,new/tt", place.url, create=True, once=True)
    with closing(place.connect()) as connection:
        assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 't'").fetchone() == (0,)
