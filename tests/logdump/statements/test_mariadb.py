"""What REDO and UNDO print is run on a real MariaDB, in the character set of a client that knows no UTF-8."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.flavour import MYSQL_21
from fixtures.shop import Row
from tests.logdump.statements.history import History, without_key, write_history
from tests.logdump.statements.scripts import script_of
from tests.logdump.statements.servers import MariaDBServer

_TABLE = """
CREATE DATABASE IF NOT EXISTS teahouse;
DROP TABLE IF EXISTS teahouse.teas;
CREATE TABLE teahouse.teas (tea_code varchar(6), name varchar(40), origin varchar(30),
    grade char(2) COLLATE utf8mb4_bin, price decimal(10, 2), stock_kg int)
    CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
SET NAMES latin1;
"""
_ROWS = """
SELECT CONCAT_WS('|', HEX(tea_code), IFNULL(HEX(name), 'NULL'), HEX(origin), HEX(RPAD(grade, 2, ' ')), price, stock_kg)
    FROM teahouse.teas;
"""


def _literal(value: str | Decimal | None) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, Decimal) else f"X'{value.encode().hex()}'"


def _filled(rows: list[Row]) -> str:
    values = ",".join("({})".format(",".join(map(_literal, row))) for row in rows)
    return f"{_TABLE} INSERT INTO teahouse.teas VALUES {values};" if rows else _TABLE


def _shown(row: Row) -> str:
    texts = ["NULL" if one is None else str(one).encode().hex().upper() for one in row[:4]]
    return "|".join([*texts, f"{row[4]:.2f}", str(row[5])])


def _check(mariadb: MariaDBServer, history: History, *, takes_back: bool) -> None:
    start, end = (history.after, history.before) if takes_back else (history.before, history.after)
    script = script_of(history.path, "MYSQL", takes_back=takes_back)
    said = mariadb.execute("\n".join([_filled(start), *(f"{one};" for one in script), _ROWS]))
    assert Counter(said.splitlines()) == Counter(map(_shown, end))


@pytest.mark.parametrize("seed", range(10))
def test_redo_leaves_the_rows_of_the_history(mariadb: MariaDBServer, tmp_path: Path, seed: int) -> None:
    _check(mariadb, write_history(tmp_path / "rd000000000", seed, odd_words=True), takes_back=False)


@pytest.mark.parametrize("seed", range(10))
def test_undo_brings_the_rows_back(mariadb: MariaDBServer, tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "rd000000000", seed, odd_words=True, can_be_undone=True)
    _check(mariadb, history, takes_back=True)


@pytest.mark.parametrize("takes_back", [False, True], ids=["redo", "undo"])
@pytest.mark.parametrize("seed", range(5))
def test_one_of_several_equal_rows_is_changed(
    mariadb: MariaDBServer, tmp_path: Path, seed: int, *, takes_back: bool
) -> None:
    table = without_key(MYSQL_21.teas)
    _check(mariadb, write_history(tmp_path / "rd000000000", seed, table, can_be_undone=True), takes_back=takes_back)
