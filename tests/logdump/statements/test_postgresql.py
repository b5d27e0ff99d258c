"""What REDO and UNDO print is run on a real PostgreSQL, every character of the values included."""

from __future__ import annotations

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.flavour import MYSQL_21
from fixtures.shop import Row
from tests.logdump.statements.history import History, without_key, write_history
from tests.logdump.statements.scripts import script_of
from tests.logdump.statements.servers import PostgreSQLServer

_TABLE = """
CREATE SCHEMA IF NOT EXISTS teahouse;
DROP TABLE IF EXISTS teahouse.teas;
CREATE TABLE teahouse.teas (tea_code text, name text, origin text, grade char(2), price numeric(10, 2), stock_kg int);
"""


def _fill(rows: list[Row]) -> str:
    values = ",".join("({})".format(",".join(map(_literal, row))) for row in rows)
    return f"{_TABLE} INSERT INTO teahouse.teas VALUES {values};"


def _literal(value: str | Decimal | None) -> str:
    if value is None:
        return "NULL"
    return str(value) if isinstance(value, Decimal) else f"convert_from('\\x{value.encode().hex()}', 'UTF8')"


_ROWS = """
SELECT concat_ws('|', encode(tea_code::bytea, 'hex'), coalesce(encode(convert_to(name, 'UTF8'), 'hex'), 'NULL'),
    encode(convert_to(origin, 'UTF8'), 'hex'), rpad(grade, 2), price, stock_kg) FROM teahouse.teas;
"""


def _shown(row: Row) -> str:
    code, name, origin, grade, price, stock = row
    texts = ["NULL" if one is None else str(one).encode().hex() for one in (code, name, origin)]
    return "|".join([*texts, str(grade), f"{price:.2f}", str(stock)])


def _check(postgresql: PostgreSQLServer, history: History, *, takes_back: bool) -> None:
    start, end = (history.after, history.before) if takes_back else (history.before, history.after)
    postgresql.execute(_fill(start) if start else _TABLE)
    postgresql.execute(";\n".join([*script_of(history.path, "POSTGRESQL", takes_back=takes_back), ""]))
    assert Counter(postgresql.execute(_ROWS).splitlines()) == Counter(map(_shown, end))


@pytest.mark.parametrize("seed", range(10))
def test_redo_leaves_the_rows_of_the_history(postgresql: PostgreSQLServer, tmp_path: Path, seed: int) -> None:
    _check(postgresql, write_history(tmp_path / "rd000000000", seed, odd_words=True), takes_back=False)


@pytest.mark.parametrize("seed", range(10))
def test_undo_brings_the_rows_back(postgresql: PostgreSQLServer, tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "rd000000000", seed, odd_words=True, can_be_undone=True)
    _check(postgresql, history, takes_back=True)


@pytest.mark.parametrize("takes_back", [False, True], ids=["redo", "undo"])
@pytest.mark.parametrize("seed", range(5))
def test_one_of_several_equal_rows_is_changed(
    postgresql: PostgreSQLServer, tmp_path: Path, seed: int, *, takes_back: bool
) -> None:
    table = without_key(MYSQL_21.teas)
    _check(postgresql, write_history(tmp_path / "rd000000000", seed, table, can_be_undone=True), takes_back=takes_back)
