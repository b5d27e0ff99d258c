"""Upserts: what REDO prints of them is run on SQLite, PostgreSQL and MariaDB, on tables with a primary key.

The statement of the standard, which is also Oracle's but for its source of one row, is run on PostgreSQL.
"""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.shop import Row
from tests.logdump.line import Line
from tests.logdump.statements.history import write_history
from tests.logdump.statements.scripts import script_of
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer
from tests.searching import IS_LONG
from tests.simulated.memory_database import memory_database

SEEDS = range(12 if IS_LONG else 4)
_COLUMNS = "(tea_code varchar(6) PRIMARY KEY, name varchar(40), origin varchar(30), grade char(2), {0}, stock_kg int)"
_CREATE = f"CREATE TABLE teahouse.teas {_COLUMNS.format('price decimal(10, 2)')};"


def _lines(rows: list[Row]) -> list[str]:
    """Rows as the servers tell them."""
    return sorted("|".join(_text(value) for value in row) for row in rows)


def _text(value: str | Decimal | None) -> str:
    return "NULL" if value is None else value.strip() if isinstance(value, str) else str(value)


def _filled(rows: list[Row]) -> list[str]:
    literals = (", ".join("NULL" if value is None else f"'{_quoted(value)}'" for value in row) for row in rows)
    return [f"INSERT INTO teahouse.teas VALUES ({row});" for row in literals]


def _quoted(value: str | Decimal) -> str:
    return str(value).replace("'", "''")


@pytest.mark.parametrize("seed", SEEDS)
def test_sqlite_has_the_rows_of_the_history(tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "up000000000", seed, upserts=True)
    database = memory_database()
    database.execute("ATTACH ':memory:' AS teahouse")
    database.executescript("\n".join([_CREATE, *_filled(history.before)]))
    statements = [*script_of(history.path, "POSTGRESQL")]
    for statement in statements:
        assert database.execute(statement).rowcount == 1
    assert any("ON CONFLICT" in statement for statement in statements)
    found = database.execute("SELECT tea_code, name, origin, grade, price, stock_kg FROM teahouse.teas").fetchall()
    assert sorted(map(repr, found)) == sorted(repr(tuple(map(_number, row))) for row in history.after)


def _number(value: str | Decimal | None) -> str | float | None:
    if not isinstance(value, Decimal):
        return value
    return int(value) if value == int(value) else float(value)


@pytest.mark.parametrize("dialect", ["POSTGRESQL", "ANSI"])
@pytest.mark.parametrize("seed", SEEDS[::3])
def test_postgresql_has_the_rows_of_the_history(
    postgresql: PostgreSQLServer, tmp_path: Path, seed: int, dialect: str
) -> None:
    history = write_history(tmp_path / "up000000000", seed, upserts=True)
    script = [f"{statement};" for statement in script_of(history.path, dialect)]
    create = ["DROP SCHEMA IF EXISTS teahouse CASCADE;", "CREATE SCHEMA teahouse;", _CREATE]
    rows = "SELECT tea_code, name, trim(origin), trim(grade), price, stock_kg FROM teahouse.teas;"
    told = postgresql.execute("\n".join([*create, *_filled(history.before), *script, "\\pset null NULL", rows]))
    assert _told(told) == _lines(history.after)


@pytest.mark.parametrize("seed", SEEDS[::3])
def test_mariadb_has_the_rows_of_the_history(mariadb: MariaDBServer, tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "up000000000", seed, upserts=True)
    script = [f"{statement};" for statement in script_of(history.path, "MYSQL")]
    create = ["CREATE DATABASE IF NOT EXISTS teahouse;", "DROP TABLE IF EXISTS teahouse.teas;", "SET NAMES utf8mb4;"]
    create += [_CREATE.replace(");", ") CHARACTER SET utf8mb4;")]
    rows = "SELECT CONCAT_WS('|', tea_code, IFNULL(name, 'NULL'), TRIM(origin), TRIM(grade), price, stock_kg)"
    told = mariadb.execute("\n".join([*create, *_filled(history.before), *script, f"{rows} FROM teahouse.teas;"]))
    assert _told(told) == _lines(history.after)


def _told(text: str) -> list[str]:
    return sorted("|".join(value.strip() for value in row.split("|")) for row in text.splitlines() if "|" in row)


def test_an_export_has_the_statements_of_redo_and_undo_says_what_it_cannot_know(tmp_path: Path, line: Line) -> None:
    path = write_history(tmp_path / "up000000000", 1, upserts=True).path
    shown = line(f"open {path}; redo 99 mysql")
    line(f"pos 0; export sql to {tmp_path / 'script.sql'} mysql")
    exported = (tmp_path / "script.sql").read_text(encoding="utf-8").splitlines()
    assert [row for row in exported if "ON DUPLICATE" in row] == [row for row in shown if "ON DUPLICATE" in row] != []
    back = line("pos 0; undo 99 mysql")
    told = "UPSERT teahouse.teas: the trail does not have the row that it may have overwritten"
    assert sum(row.endswith(told) for row in back) == sum("ON DUPLICATE" in row for row in shown)
