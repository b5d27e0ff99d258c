"""Rows of ours that somebody has edited, and columns that have other types: one line that says what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

import logdump
from logdump.session.errors import ExitStatus
from logdump.targets.database import ERROR_TABLE
from logdump.targets.dialects import POSITION_TABLE
from logdump.targets.target import BadTarget
from tests.logdump.program import logdump as program
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail
from tests.searching import Random

ODD = ("", "x", "-1", "0000000001", "0000000000.0000000000000001", "9" * 30, "[]", '["x"]', "é", "2026-13-40", "null")
ROW = {"ID": "INT64", "NAME": "VARCHAR"}
COLUMNS = {
    POSITION_TABLE: ("place", "start_at", "source_time", "changes", "trail", "last_at", "last_csn", "target_table"),
    ERROR_TABLE: ("place", "source_time", "rba", "row_keys", "image", "change_rows", "csn", "op"),
}


@pytest.fixture
def noted(tmp_path: Path) -> tuple[Path, Place]:
    """A trail and a target that has a position and noted changes of two tables."""
    place, trail = sqlite_place(tmp_path), Trail(dict.fromkeys(("S.T", "S.U"), ROW))
    for name in ("t", "u"):
        place.run(f"CREATE TABLE {name} (id bigint PRIMARY KEY, name text CHECK (name <> 'bad'))")
    for number in range(4):
        trail.insert("S.T", number, "bad" if number % 2 else "good")
        trail.insert("S.U", number, "good")
    path = trail.write(tmp_path / "a")
    assert logdump.apply(path, place.url, once=True, errors="table").refused == 2
    return path, place


@pytest.mark.parametrize("table", COLUMNS)
@pytest.mark.parametrize("seed", range(2))
def test_an_edited_row_is_one_line_with_its_status(table: str, seed: int, noted: tuple[Path, Place]) -> None:
    path, place = noted
    random = Random(f"{table} {seed}")
    place.run(f"CREATE TABLE kept AS SELECT * FROM {table}", f"DROP TABLE {table}")  # no column has a type or a rule
    for column in COLUMNS[table]:
        for value in random.sample([*(f"'{text}'" for text in ODD), "NULL", "7", "1.5", "x'ff00'"], 4):
            place.run(f"DROP TABLE IF EXISTS {table}", f"CREATE TABLE {table} AS SELECT * FROM kept")
            place.run(f"UPDATE {table} SET {column} = {value} WHERE table_name = 'S.T'")
            for more in (["--errors", "table"], ["--retry"]):
                answer = program("apply", f"{path.parent}/tt", place.url, "--once", *more)
                about = (column, value, answer)
                assert "Traceback" not in answer.err, about
                assert answer.status in {*ExitStatus} - {ExitStatus.INTERRUPTED}, about
                if answer.status not in (ExitStatus.OK, ExitStatus.FINDINGS):
                    assert len(answer.err.splitlines()) == 1, about
                    assert "nothing was written" in answer.err, about


def test_an_edited_row_of_another_table_is_its_own_matter(noted: tuple[Path, Place]) -> None:
    path, place = noted
    place.run("DELETE FROM logdump_errors", "UPDATE logdump_position SET place = 'x' WHERE table_name = 'S.T'")
    assert logdump.apply(path, place.url, "S.U", once=True).rows == 0
    with pytest.raises(BadTarget, match=r"^nothing was written: logdump_position has a row of S\.T in which place is"):
        logdump.apply(path, place.url, "S.*", once=True)


def test_texts_that_are_bytes_now_are_read(noted: tuple[Path, Place]) -> None:
    path, place = noted
    for table, columns in COLUMNS.items():
        names = {*columns} - {"source_time", "rba", "changes"} | {"table_name"}
        place.run(f"UPDATE {table} SET {', '.join(f'{name} = CAST({name} AS BLOB)' for name in names)}")
    assert logdump.apply(path, place.url, once=True, errors="table").rows == 0
    place.run("DROP TABLE t", "CREATE TABLE t (id bigint PRIMARY KEY, name text)")
