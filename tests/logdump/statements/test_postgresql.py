"""What REDO and UNDO print is run on a real PostgreSQL, every character of the values included."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from fixtures.flavour import MYSQL_21
from fixtures.shop import Row
from tests.logdump.statements.history import History, without_key, write_history
from tests.logdump.statements.scripts import script_of

_PROGRAMS = [one for one in sorted(Path("/usr/lib/postgresql").glob("*/bin")) if (one / "initdb").exists()]
_TABLE = """
CREATE SCHEMA IF NOT EXISTS teahouse;
DROP TABLE IF EXISTS teahouse.teas;
CREATE TABLE teahouse.teas (tea_code text, name text, origin text, grade char(2), price numeric(10, 2), stock_kg int);
"""
_USER = "postgres" if os.getuid() == 0 else None


class Server:
    """A PostgreSQL of our own: a socket in a folder of its own, which another user than root may enter."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self._folder = folder
        self._data = folder / "data"
        self._port = str(_free_port())

    def _run(self, program: str, *arguments: str, text: str = "") -> str:
        done = subprocess.run(
            [self._programs / program, *arguments],
            input=text,
            capture_output=True,
            text=True,
            check=False,
            cwd=self._folder,
            user=_USER,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def start(self) -> None:
        self._run("initdb", "-D", str(self._data), "-U", "logdump", "-A", "trust", "-E", "UTF8", "--no-locale", "-N")
        options = f"-p {self._port} -k {self._folder} -c listen_addresses= -F"
        self._run("pg_ctl", "-D", str(self._data), "-w", "-l", str(self._folder / "log"), "-o", options, "start")

    def stop(self) -> None:
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "stop")

    def execute(self, script: str) -> str:
        """Run SQL, which must not fail anywhere."""
        options = ("-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1")
        place = ("-h", str(self._folder), "-p", self._port, "-U", "logdump", "-d", "postgres")
        return self._run("psql", *options, *place, text=script)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    if not _PROGRAMS:
        pytest.skip("no PostgreSQL on this machine: Debian's package postgresql has one")
    folder = Path(tempfile.mkdtemp(prefix="logdump-postgresql-"))
    if _USER:
        shutil.chown(folder, _USER)
    one = Server(_PROGRAMS[-1], folder)
    one.start()
    yield one
    one.stop()
    shutil.rmtree(folder)


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


def _check(server: Server, history: History, *, takes_back: bool) -> None:
    start, end = (history.after, history.before) if takes_back else (history.before, history.after)
    server.execute(_fill(start) if start else _TABLE)
    server.execute(";\n".join([*script_of(history.path, "POSTGRESQL", takes_back=takes_back), ""]))
    assert Counter(server.execute(_ROWS).splitlines()) == Counter(map(_shown, end))


@pytest.mark.parametrize("seed", range(10))
def test_redo_leaves_the_rows_of_the_history(server: Server, tmp_path: Path, seed: int) -> None:
    _check(server, write_history(tmp_path / "rd000000000", seed, odd_words=True), takes_back=False)


@pytest.mark.parametrize("seed", range(10))
def test_undo_brings_the_rows_back(server: Server, tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "rd000000000", seed, odd_words=True, can_be_undone=True)
    _check(server, history, takes_back=True)


@pytest.mark.parametrize("takes_back", [False, True], ids=["redo", "undo"])
@pytest.mark.parametrize("seed", range(5))
def test_one_of_several_equal_rows_is_changed(server: Server, tmp_path: Path, seed: int, *, takes_back: bool) -> None:
    table = without_key(MYSQL_21.teas)
    _check(server, write_history(tmp_path / "rd000000000", seed, table, can_be_undone=True), takes_back=takes_back)
