"""Drawn DDL that REDO prints is given to the real clients: none runs a command, or takes in what comes after it."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from logdump.display.sql import DIALECTS
from logdump.display.sql.client_text import client_of, one_statement
from logdump.notation.text import escape
from tests.logdump.statements.drawn_ddl import CANARY, is_printed, printed_texts
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer
from tests.searching import examples

_SETUP = "CREATE TABLE canary (x int);\nCREATE TABLE reached (n int);\n"
_CHECK = "SELECT 'canary stands' FROM (SELECT count(*) AS n FROM canary) AS c;\nSELECT n FROM reached;\n"
_COUNT = 200
_SEEDS = range(examples(2, short=1))
_ATTACKS = (
    r"CREATE TABLE x (a int /* y /*/ default ' */ */ \! touch CANARY #')",
    "CREATE TABLE x (a int /* y /*/ default ' */ */ ; DROP TABLE canary; -- ')",
    "CREATE TABLE x (a float DEFAULT 1e5$a$ -- $a$ \n)",
    "CREATE TABLE x (a float DEFAULT 1e--'\n) --'",
    "CREATE TABLE x (a int) */ /* */",
)


def _script(texts: list[str], dialect: str) -> str:
    """The statements as REDO prints them, a row after each that tells that it was reached."""
    begin, commit = DIALECTS[dialect].begin, DIALECTS[dialect].commit
    lines = [_SETUP]
    for number, text in enumerate(texts):
        found = one_statement(text, client_of(dialect))
        lines += [begin, escape_lines(found.sql + found.ending), commit, f"INSERT INTO reached VALUES ({number});"]
    return "\n".join([*lines, _CHECK])


def escape_lines(text: str) -> str:
    """What the terminal or the file shows of them."""
    return "\n".join(map(escape, text.split("\n")))


def _check(paste: Callable[[str], str], folder: Path, dialect: str, texts: list[str]) -> None:
    texts = [*(text for text in _ATTACKS if is_printed(text, dialect)), *texts]
    said = paste(_script(texts, dialect)).split()
    reached = set(map(int, said[2:])) if said[:2] == ["canary", "stands"] else set()
    swallowed = [text for number, text in enumerate(texts) if number not in reached]
    assert swallowed == []
    assert not (folder / CANARY).exists()


@pytest.fixture(params=_SEEDS)
def seed(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.mark.parametrize("dialect", ["POSTGRESQL", "ANSI"])
def test_psql(postgresql: PostgreSQLServer, dialect: str, seed: int) -> None:
    postgresql.execute("DROP SCHEMA IF EXISTS public CASCADE;\nCREATE SCHEMA public;\n")
    _check(postgresql.paste, postgresql.folder, dialect, printed_texts(seed, dialect, _COUNT))


@pytest.mark.parametrize("named", [False, True], ids=["usual", "named-commands"])
@pytest.mark.parametrize("dialect", ["MYSQL", "ANSI"])
def test_mariadb(mariadb: MariaDBServer, dialect: str, seed: int, *, named: bool) -> None:
    mariadb.execute("DROP DATABASE IF EXISTS shop;\nCREATE DATABASE shop;\n")
    options = ("--named-commands",) if named else ()
    texts = printed_texts(seed, dialect, _COUNT)
    _check(lambda script: mariadb.paste("USE shop;\n" + script, *options), mariadb.folder, dialect, texts)


def test_sqlite(tmp_path: Path, seed: int) -> None:
    program = shutil.which("sqlite3")
    if program is None:
        pytest.skip("no sqlite3 on this machine: Debian's package sqlite3 has it")

    def paste(script: str) -> str:
        command = [program, "-init", "/dev/null", "-batch", "rows.db"]
        return subprocess.run(command, input=script, capture_output=True, text=True, check=False, cwd=tmp_path).stdout

    _check(paste, tmp_path, "ANSI", printed_texts(seed, "ANSI", _COUNT))


@pytest.mark.parametrize("dialect", ["ORACLE", "MYSQL", "POSTGRESQL"])
def test_what_is_one_statement_to_an_unknown_client_is_one_to_each(dialect: str, seed: int) -> None:
    for text in printed_texts(seed, "ANSI", _COUNT):
        known, unknown = one_statement(text, client_of(dialect)), one_statement(text, client_of("ANSI"))
        assert known.ending == unknown.ending
        assert known.sql.split() == unknown.sql.split()
