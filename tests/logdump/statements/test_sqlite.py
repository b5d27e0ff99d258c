"""What REDO and UNDO print is run on SQLite: it leaves the rows that the history leaves."""

from __future__ import annotations

import sqlite3
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.flavour import MYSQL_21
from fixtures.shop import Row
from tests.logdump.statements.history import without_key, write_history
from tests.logdump.statements.scripts import script_of

_TABLE = "CREATE TABLE teahouse.teas (tea_code, name, origin, grade, price NUMERIC, stock_kg NUMERIC)"


def _database(rows: list[Row]) -> sqlite3.Connection:
    database = sqlite3.connect(":memory:")
    database.execute("ATTACH ':memory:' AS teahouse")
    database.execute(_TABLE)
    database.executemany("INSERT INTO teahouse.teas VALUES (?, ?, ?, ?, ?, ?)", [_plain(row) for row in rows])
    return database


def _plain(row: Row) -> tuple[str | float | None, ...]:
    return tuple(float(one) if isinstance(one, Decimal) else one for one in row)


def _rows(database: sqlite3.Connection) -> Counter[tuple[str | float | None, ...]]:
    return Counter(database.execute("SELECT * FROM teahouse.teas").fetchall())


@pytest.mark.parametrize("seed", range(15))
def test_redo_leaves_the_rows_of_the_history(tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "rd000000000", seed)
    database = _database(history.before)
    for statement in script_of(history.path, "ANSI"):
        assert database.execute(statement).rowcount == 1
    assert _rows(database) == Counter(map(_plain, history.after))


@pytest.mark.parametrize("seed", range(15))
def test_undo_brings_the_rows_back(tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "rd000000000", seed, can_be_undone=True)
    database = _database(history.after)
    for statement in script_of(history.path, "ANSI", takes_back=True):
        assert database.execute(statement).rowcount == 1
    assert _rows(database) == Counter(map(_plain, history.before))


def test_rows_without_a_key_are_found_by_all_columns(tmp_path: Path) -> None:
    history = write_history(tmp_path / "rd000000000", 1, without_key(MYSQL_21.teas), can_be_undone=True)
    assert all(
        statement.count(" AND ") == 5
        for statement in script_of(history.path, "ANSI", takes_back=True)
        if not statement.startswith("INSERT")
    )
