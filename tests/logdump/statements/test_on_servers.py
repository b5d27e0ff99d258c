"""What REDO and UNDO print is run on a real PostgreSQL and a real MariaDB, every character of the values included.

REDO of the effective trail leaves the rows of the source, also where a part of the trail was written again.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest

from fixtures.flavour import MYSQL_21
from fixtures.shop import Row
from tests.logdump.line import Line
from tests.logdump.statements.history import History, without_key, write_history
from tests.logdump.statements.scripts import script_of
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer
from tests.searching import IS_LONG, Random
from tests.simulated.recovery import append_recovery, rebuilt
from tests.simulated.replicat import replicat
from tests.simulated.source import Rows


def _script(paths: list[Path], folder: Path) -> Iterator[str]:
    """EXPORT SQL of all files."""
    line = Line()
    line(f"across on; open {paths[0]}; export sql to {folder / 'script.sql'} postgresql")
    line.session.close()
    yield from (folder / "script.sql").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize("seed", range(3))
def test_postgresql_applies_the_effective_trail_and_has_the_rows_of_the_source(
    postgresql: PostgreSQLServer, tmp_path: Path, seed: int
) -> None:
    made = rebuilt(tmp_path, Random(seed), MYSQL_21)
    script = _script(made.extract.paths, tmp_path)
    assert postgresql.rows_after(made.source.first_rows, script) == shown(made.source.rows)


@pytest.mark.parametrize("seed", range(3))
def test_postgresql_has_the_rows_of_the_source_whatever_the_kills(
    postgresql: PostgreSQLServer, tmp_path: Path, seed: int
) -> None:
    extract = append_recovery(tmp_path, Random(seed), MYSQL_21)
    expected, _ = replicat(extract.written, extract.first_rows)
    assert postgresql.rows_after(extract.first_rows, _script(extract.paths, tmp_path)) == shown(expected)


def shown(rows: Rows) -> list[str]:
    """Rows as the server tells them."""
    return sorted("|".join("NULL" if value is None else str(value) for value in row) for row in rows.values())


class Kind(NamedTuple):
    """What a server wants: our dialect, the table, a text by the hex of its bytes, and how it tells the rows in hex."""

    dialect: str
    table: str
    text: str
    rows: str


KINDS = {
    "postgresql": Kind(
        "POSTGRESQL",
        """
        CREATE SCHEMA IF NOT EXISTS teahouse;
        DROP TABLE IF EXISTS teahouse.teas;
        CREATE TABLE teahouse.teas
            (tea_code text, name text, origin text, grade char(2), price numeric(10, 2), stock_kg int);
        """,
        "convert_from('\\x{}', 'UTF8')",
        """
        SELECT concat_ws('|', encode(tea_code::bytea, 'hex'), coalesce(encode(convert_to(name, 'UTF8'), 'hex'), 'NULL'),
            encode(convert_to(origin, 'UTF8'), 'hex'), encode(rpad(grade, 2)::bytea, 'hex'), price, stock_kg)
            FROM teahouse.teas;
        """,
    ),
    "mariadb": Kind(
        "MYSQL",
        # with a client in a character set that knows little
        """
        CREATE DATABASE IF NOT EXISTS teahouse;
        DROP TABLE IF EXISTS teahouse.teas;
        CREATE TABLE teahouse.teas (tea_code varchar(6), name varchar(40), origin varchar(30),
            grade char(2) COLLATE utf8mb4_bin, price decimal(10, 2), stock_kg int)
            CHARACTER SET utf8mb4 COLLATE utf8mb4_nopad_bin;
        SET NAMES latin1;
        """,
        "X'{}'",
        """
        SELECT CONCAT_WS('|', HEX(tea_code), IFNULL(HEX(name), 'NULL'), HEX(origin), HEX(RPAD(grade, 2, ' ')), price,
            stock_kg) FROM teahouse.teas;
        """,
    ),
}


class Database(NamedTuple):
    """A server that runs, and what its kind wants."""

    server: PostgreSQLServer | MariaDBServer
    kind: Kind

    def check(self, history: History, *, takes_back: bool) -> None:
        """Whether our script makes of the rows at one end of a history those at the other."""
        start, end = (history.after, history.before) if takes_back else (history.before, history.after)
        script = [f"{statement};" for statement in script_of(history.path, self.kind.dialect, takes_back=takes_back)]
        said = self.server.execute("\n".join([self._filled(start), *script, self.kind.rows]))
        assert Counter(said.upper().splitlines()) == Counter(map(_shown, end))

    def _filled(self, rows: list[Row]) -> str:
        values = ",".join("({})".format(",".join(map(self._literal, row))) for row in rows)
        return f"{self.kind.table} INSERT INTO teahouse.teas VALUES {values};" if rows else self.kind.table

    def _literal(self, value: str | Decimal | None) -> str:
        if value is None:
            return "NULL"
        return str(value) if isinstance(value, Decimal) else self.kind.text.format(value.encode().hex())


def _shown(row: Row) -> str:
    texts = ["NULL" if value is None else str(value).encode().hex().upper() for value in row[:4]]
    return "|".join([*texts, f"{row[4]:.2f}", str(row[5])])


@pytest.fixture(params=KINDS)
def database(request: pytest.FixtureRequest) -> Database:
    return Database(request.getfixturevalue(request.param), KINDS[request.param])


@pytest.mark.parametrize("seed", range(10 if IS_LONG else 2))
def test_redo_leaves_the_rows_of_the_history(database: Database, tmp_path: Path, seed: int) -> None:
    database.check(write_history(tmp_path / "rd000000000", seed, odd_words=True), takes_back=False)


@pytest.mark.parametrize("seed", range(10 if IS_LONG else 2))
def test_undo_brings_the_rows_back(database: Database, tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "rd000000000", seed, odd_words=True, can_be_undone=True)
    database.check(history, takes_back=True)


@pytest.mark.parametrize("takes_back", [False, True], ids=["redo", "undo"])
@pytest.mark.parametrize("seed", range(5 if IS_LONG else 2))
def test_one_of_several_equal_rows_is_changed(
    database: Database, tmp_path: Path, seed: int, *, takes_back: bool
) -> None:
    table = without_key(MYSQL_21.teas)
    database.check(write_history(tmp_path / "rd000000000", seed, table, can_be_undone=True), takes_back=takes_back)
