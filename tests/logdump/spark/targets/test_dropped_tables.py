"""Tables that are dropped and made again in the trail, while changes of the rows before are noted in the target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import logdump
from logdump.targets.evolution import ends_rows
from logdump.targets.target import BadTarget, Refused
from tests.logdump.spark.targets.direct import Apply
from tests.logdump.spark.targets.places import Place, sqlite_place
from tests.logdump.spark.targets.rows import Trail

T, COLUMNS = "S.T", {"ID": "INT64", "A": "INT64"}
WAYS: dict[str, dict[str, Any]] = {"mirror": {}, "history": {"write": "history"}, "soft": {"deletes": "soft"}}
OPEN = {"mirror": "1 = 1", "history": "_valid_to IS NULL", "soft": "_deleted IS NULL"}


@pytest.fixture
def target(tmp_path: Path) -> Place:
    """A file of SQLite."""
    return sqlite_place(tmp_path)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("statement", ["DROP TABLE s.t", "TRUNCATE TABLE s.t"])
@pytest.mark.parametrize("is_given_up", [True, False])
def test_no_row_of_a_dropped_table_comes_back_by_a_retry(
    is_given_up: bool, statement: str, way: str, tmp_path: Path, target: Place, apply: Apply
) -> None:
    """The run stops before the statement while changes are noted, however often; those after it are of other rows."""
    said, given = list[str](), {**WAYS[way], "create": True, "errors": "table"}

    def run(text: str, _table: str) -> None:
        said.append(text)
        if text.startswith(("DROP", "TRUNCATE")):
            target.run("DELETE FROM t")

    trail = Trail({T: COLUMNS})
    trail.insert(T, 1, 10)
    trail.insert(T, 2, 20)
    trail.insert(T, 1, 11)
    trail.state(T, statement)
    trail.state(T, "CREATE TABLE s.t (id NUMBER, a NUMBER)")
    trail.insert(T, 1, 12)
    path = trail.write(tmp_path / "a")
    for _ in range(2):
        with pytest.raises(Refused, match=f"all before it is applied: {statement}: it ends rows of which changes are"):
            apply(path, target, T, ddl=run, **given)
        assert target.query("SELECT id, a FROM t ORDER BY id") == [(1, 10), (2, 20)]
    assert said == []
    if is_given_up:
        target.run("DELETE FROM logdump_errors")
    else:
        target.run("DELETE FROM t WHERE id = 1")
        assert logdump.retry(path, target.url, T, ddl=run, **WAYS[way]).refused == 0
    apply(path, target, T, ddl=run, **given)
    assert len(said) == 2
    assert target.query(f"SELECT id, a FROM t WHERE {OPEN[way]}") == [(1, 12)]
    assert target.query("SELECT count(*) FROM logdump_errors") == [(0,)]


ENDS = {
    "drop table t": True,
    "DROP TABLE t CASCADE": True,
    "TRUNCATE TABLE t": True,
    "truncate s.t": True,
    "create or replace table t (id int)": True,
    "CREATE TABLE t (id int)": False,
    "ALTER TABLE t DROP COLUMN b": False,
    "ALTER TABLE t TRUNCATE PARTITION p": False,
    "DROP INDEX i": False,
    "COMMENT ON TABLE t IS 'DROP TABLE t'": False,
    "": False,
}


@pytest.mark.parametrize("text", ENDS)
def test_a_statement_that_ends_all_rows_of_a_table(text: str) -> None:
    assert ends_rows(text) is ENDS[text]


def test_a_retry_takes_no_other_key(tmp_path: Path, target: Place, apply: Apply) -> None:
    """By another one a change would be one of other rows."""
    trail = Trail({T: {**COLUMNS, "B": "INT64"}}, keyless=True)
    for key in (1, 2):
        trail.insert(T, key, 5, key)
    path = trail.write(tmp_path / "a")
    target.run("CREATE TABLE t (id BIGINT, a BIGINT, b BIGINT)")
    apply(path, target, T, keys={T: ["ID"]})
    target.run("CREATE TRIGGER no BEFORE UPDATE ON t BEGIN SELECT RAISE(ABORT, 'no'); END")
    trail.update(T, 1, 5, 7)
    apply(trail.write(tmp_path / "a"), target, T, keys={T: ["ID"]}, errors="table")
    target.run("DROP TRIGGER no")
    with pytest.raises(BadTarget, match=r"logdump_errors has changes of S\.T with a key of other columns"):
        logdump.retry(path, target.url, T, keys={T: ["A"]})
    assert target.rows(T) == [(1, 5, 1), (2, 5, 2)]
    assert logdump.retry(path, target.url, T, keys={T: ["ID"]}).rows == 1
    assert target.rows(T) == [(1, 5, 7), (2, 5, 2)]


def test_a_key_that_comes_only_later_is_told(tmp_path: Path, target: Place, apply: Apply) -> None:
    trail = Trail({T: COLUMNS})
    trail.insert(T, 1, 10)
    trail.state(T, "DROP TABLE s.t")
    trail.alter(T, {"K": "INT64", "A": "INT64"})
    trail.insert(T, 2, 20)
    with pytest.raises(BadTarget, match=r"^nothing was written: S\.T has the column K of its key only after a later"):
        apply(trail.write(tmp_path / "a"), target, T, create=True)
