"""DDL of a trail, which somebody else wrote, is given to the clients of databases as REDO prints it.

Whatever it says, nothing but one statement is run: no command of the client, no second statement, and the COMMIT behind
it is reached. What people write comes out as it is.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Callable, Iterable
from pathlib import Path

import pytest

from logdump.display.sql import DIALECTS, Statement, Unwritable, redo, statement_lines
from logdump.display.sql.client_text import client_of, one_statement
from logdump.notation.text import escape
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer
from tests.searching import IS_LONG, Random, in_turn
from trailformat import Record, make_record
from trailformat.changes.row_changes import Change
from trailformat.records.ddl import build_ddl
from trailformat.records.record_header import DDL_OP, make_header

CANARY = "CANARY"
"""The file that a client makes when it takes a part of a statement for a command of its own."""
_SETUP = "CREATE TABLE canary (x int);\nCREATE TABLE reached (n int);\n"
_COUNT = "SELECT 'canary stands' FROM (SELECT count(*) AS n FROM canary) AS c;\nSELECT n FROM reached;\n"

HOSTILE = [
    rf"CREATE TABLE h1 (x int) \! touch {CANARY}",
    rf"CREATE TABLE h2 (x int) \g | touch {CANARY}",
    "CREATE TABLE h3 (x int);\nDROP TABLE canary",
    f"CREATE TABLE h4 (x int);\n\\! touch {CANARY}\n",
    "CREATE TABLE h5 (x int) /*",
    "CREATE TABLE h6 (x int",
    "CREATE TABLE h7 (x int) '",
    'CREATE TABLE h8 (x int) "',
    "CREATE TABLE h9 (x int) $$",
    "CREATE FUNCTION h10() RETURNS int LANGUAGE sql AS $$ SELECT 1; DROP TABLE canary $$",
    "CREATE FUNCTION h11() RETURNS int BEGIN ATOMIC SELECT 1",
    "CREATE TABLE h12 (x varchar(9) DEFAULT '\\'); DROP TABLE canary; -- ')",
    'CREATE TABLE h13 (x varchar(9) DEFAULT "\\"); DROP TABLE canary; -- ")',
    "CREATE TABLE h14 (x varchar(9) DEFAULT E'\\'); DROP TABLE canary; -- ')",
    "CREATE TABLE h15 (x int) /*! ; DROP TABLE canary */",
    "CREATE TABLE h16 (x int) /*M! ; DROP TABLE canary */",
    "CREATE TABLE h17 (x int) /* /* */ ; DROP TABLE canary; -- */",
    "CREATE TABLE h18#'\n(x int); DROP TABLE canary; -- '",
    "CREATE TABLE h19 (x int) --'\n; DROP TABLE canary; -- '",
    "CREATE TABLE h20 (x int DEFAULT 2--'\n); DROP TABLE canary; -- '",
    "CREATE TABLE h21 ([a'b] int); DROP TABLE canary; --'",
    "CREATE TABLE h22 (`a'b` int); DROP TABLE canary; --'",
    "CREATE TABLE h23 (x int)\ndelimiter //\nDROP TABLE canary//",
    f"CREATE TABLE h24 (x int)\nsystem touch {CANARY}",
    f"CREATE TABLE h25 (x int);\n.shell touch {CANARY}",
    f"-- nothing\nsystem touch {CANARY}",
    f"/* nothing */\n\\! touch {CANARY}",
    "CREATE TABLE h26 (x int)\n/\nDROP TABLE canary",
    "CREATE TABLE h27 (x int)\ngo\nDROP TABLE canary",
    "CREATE TRIGGER h28 AFTER INSERT ON canary BEGIN SELECT 1",
    f"COPY canary TO PROGRAM 'touch {CANARY}'",
    f"SELECT 1 \\g {CANARY}",
    "COMMIT",
    "CREATE TABLE h35 (x int) --\nHOST touch CANARY\n/",
    "CREATE TABLE h29 (x int) :HOST",
    "CREATE TABLE h30 (x int)\r; DROP TABLE canary",
    "CREATE TABLE h31 (x int) -- \u2028; DROP TABLE canary",
    "CREATE TABLE h32 (x int) \x1b]0;title\x07",
    "CREATE TABLE h33 (x int) \x00; DROP TABLE canary",
    "CREATE TABLE h34 (x varchar(9) DEFAULT q'['];DROP TABLE canary;--]')",
    "",
    ";",
    "-- only a comment",
]
_PIECES = [
    *(
        "'",
        '"',
        "`",
        "$$",
        "$a$",
        "--",
        "-- ",
        "#",
        "/*",
        "*/",
        "/*!",
        "/*M!",
        ";",
        ";\n",
        "\n",
        "\\",
        "(",
        ")",
        "[",
        "]",
    ),
    *("E'", "q'[", "]'", "U&'", ":", "::", "{", "}", " ", "x", "1", ",", "int", "x'", "\\'", '\\"', "\\\\", "''", '""'),
    *("\nBEGIN", "END;", "/", "\n/\n", "\ngo\n", "\ndelimiter //\n", "//", "COMMIT;", "DROP TABLE canary;", "DEFAULT"),
    *(f"\\! touch {CANARY}", f"\nsystem touch {CANARY}\n", f"\n.shell touch {CANARY}\n", f"\\g | touch {CANARY}\n"),
    *("\nDROP TABLE canary;", "; DROP TABLE canary; --", "'; DROP TABLE canary; --", '"; DROP TABLE canary; --'),
]


def drawn(seed: int, count: int) -> list[str]:
    """Statements put together of what clients look at."""
    random = Random(seed)
    openings = (
        "CREATE TABLE d{} (x int) ",
        "CREATE TABLE d{} (x int DEFAULT 1 ",
        "ALTER TABLE d{} ADD y int ",
        "CREATE VIEW d{} AS SELECT 1 ",
    )
    made = []
    for number in range(count):
        pieces = random.choices(_PIECES, k=random.randint(1, 9))
        made.append(random.choice(openings).format(number) + random.choice(("", " ")).join(pieces))
    return made


def record_of(statement: str) -> Record:
    return make_record(make_header(DDL_OP, io_time=0), build_ddl([("C1", statement)]))


def statement_of(text: str, dialect: str) -> Statement:
    """What REDO makes of a record with this DDL."""
    record = record_of(text)
    return redo(Change("DDL", "", (record,), (), None, None, None, 0), DIALECTS[dialect])


def pasted(texts: Iterable[str], dialect: str) -> str:
    """The transactions of these statements as REDO prints them, behind each a row that says that it was reached."""
    lines = []
    for number, text in enumerate(texts):
        lines += [DIALECTS[dialect].begin, *map(escape, statement_lines(statement_of(text, dialect)))]
        lines += [DIALECTS[dialect].commit, f"INSERT INTO reached VALUES ({number});"]
    return "\n".join([*lines, ""])


def check(paste: Callable[[str], str], folder: Path, dialect: str, texts: list[str]) -> None:
    """Nothing but single statements was run."""
    said = paste(_SETUP + pasted(texts, dialect) + _COUNT).split()
    assert not (folder / CANARY).exists()
    assert said[:2] == ["canary", "stands"]
    assert list(map(int, said[2:])) == list(range(len(texts)))


@pytest.fixture
def sqlite(tmp_path: Path) -> Callable[[str], str]:
    program = shutil.which("sqlite3")
    if program is None:
        pytest.skip("no sqlite3 on this machine: Debian's package sqlite3 has it")

    def paste(script: str) -> str:
        command = [program, "-init", "/dev/null", "-batch", "rows.db"]
        return subprocess.run(command, input=script, capture_output=True, text=True, check=False, cwd=tmp_path).stdout

    return paste


@pytest.fixture(params=["listed", *range(4 if IS_LONG else 1)])
def texts(request: pytest.FixtureRequest) -> list[str]:
    return HOSTILE if request.param == "listed" else drawn(request.param, 250)


def _fresh(database: PostgreSQLServer | MariaDBServer, drop: str, create: str) -> None:
    database.execute(f"{drop}\n{create}\n")


def test_psql_runs_one_statement_or_none(postgresql: PostgreSQLServer, texts: list[str]) -> None:
    _fresh(postgresql, "DROP SCHEMA IF EXISTS public CASCADE;", "CREATE SCHEMA public;")
    check(postgresql.paste, postgresql.folder, "POSTGRESQL", texts)


def test_mariadb_runs_one_statement_or_none(mariadb: MariaDBServer, texts: list[str]) -> None:
    _fresh(mariadb, "DROP DATABASE IF EXISTS shop;", "CREATE DATABASE shop;")
    check(lambda script: mariadb.paste("USE shop;\n" + script), mariadb.folder, "MYSQL", texts)


def test_sqlite_runs_one_statement_or_none(sqlite: Callable[[str], str], tmp_path: Path, texts: list[str]) -> None:
    check(sqlite, tmp_path, "ANSI", texts)


@pytest.mark.parametrize(("text", "dialect"), in_turn(HOSTILE, DIALECTS))
def test_a_hostile_statement_is_one_printable_comment(text: str, dialect: str) -> None:
    statement = statement_of(text, dialect)
    lines = list(statement_lines(statement))
    if statement.sql is None:
        assert statement.reason
        assert len(lines) == 1
    assert all(line.isprintable() for line in lines)


HONEST = [
    "CREATE TABLE {} (tea_code varchar(6) NOT NULL, price numeric(8, 2), PRIMARY KEY (tea_code))",
    "CREATE TABLE {} (x int) -- a final comment",
    "CREATE TABLE {} (x int); -- a final comment",
    "CREATE TABLE {} (x int) /* a final comment; of two parts */",
    "create table {} (\n  x int, -- the first\n  y varchar(20) DEFAULT 'o''clock' -- it''s the second\n);\n",
    "CREATE TABLE {} (\r\n\tx int,\r\n\ty varchar(20) DEFAULT 'a;b'\r\n)",
    "-- made by hand\nCREATE TABLE {} (x int)",
    "/* made by a tool\n   of somebody */ CREATE TABLE {} (x int, y varchar(20) DEFAULT '-- no comment')",
    "CREATE TABLE {} (x int,\n\n y int)",
    "CREATE TABLE {} (x int CHECK (x <> 1), y varchar(20) DEFAULT '/* none */')",
    "CREATE TABLE {} (x varchar(9) DEFAULT '玉露')",
]


@pytest.mark.parametrize(("client", "dialect"), [("psql", "POSTGRESQL"), ("mariadb", "MYSQL"), ("sqlite3", "ANSI")])
def test_what_people_write_is_run(client: str, dialect: str, request: pytest.FixtureRequest) -> None:
    names = [f"honest{number}" for number in range(len(HONEST))]
    script = pasted((text.format(name) for name, text in zip(names, HONEST, strict=True)), dialect)
    script = _SETUP + script + "".join(f"SELECT '{name}', count(*) FROM {name};\n" for name in names)
    if client == "psql":
        server = request.getfixturevalue("postgresql")
        _fresh(server, "DROP SCHEMA IF EXISTS public CASCADE;", "CREATE SCHEMA public;")
        said = server.paste(script)
    elif client == "mariadb":
        server = request.getfixturevalue("mariadb")
        _fresh(server, "DROP DATABASE IF EXISTS shop;", "CREATE DATABASE shop CHARACTER SET utf8mb4;")
        said = server.paste("USE shop;\n" + script)
    else:
        said = request.getfixturevalue("sqlite")(script)
    assert [line.replace("|", "\t").split("\t")[0] for line in said.splitlines()] == names


@pytest.mark.parametrize(("text", "dialect"), in_turn(HONEST, DIALECTS))
def test_what_people_write_is_no_comment_in_any_dialect(text: str, dialect: str) -> None:
    assert statement_of(text.format("teas"), dialect).reason is None


@pytest.mark.parametrize(
    "text",
    [
        "CREATE OR REPLACE PROCEDURE brew AS\nBEGIN\n  NULL;\n\n  UPDATE teas SET price = 1;\nEND;",
        "create trigger t before insert on teas for each row begin :new.price := 1; end;",
        "CREATE TYPE leaf AS OBJECT (name VARCHAR2(40))",
    ],
)
def test_a_unit_of_pl_sql_is_one_statement_that_a_slash_ends(text: str) -> None:
    found = one_statement(text, client_of("ORACLE"))
    assert (found.sql, found.ending) == (text, "\n/")


def test_sql_plus_gets_no_blank_line_in_a_statement() -> None:
    assert (
        one_statement("CREATE TABLE t (\n\n \n  x NUMBER\n)", client_of("ORACLE")).sql
        == "CREATE TABLE t (\n  x NUMBER\n)"
    )


@pytest.mark.parametrize(
    "text",
    [
        "CREATE TABLE t (x NUMBER)\nHOST rm -rf /",
        "CREATE TABLE t (x NUMBER)\n!rm -rf /",
        "CREATE TABLE t (x NUMBER)\n@evil",
        "CREATE TABLE t (x NUMBER)\n#host rm -rf /",
        "CREATE TABLE t (x NUMBER)\n/\nDROP TABLE canary",
        "CREATE TABLE t (x NUMBER)\n.\nDROP TABLE canary",
        "CREATE TABLE t (x VARCHAR2(9) DEFAULT 'a;\nDROP TABLE canary;\n')",
        "CREATE TABLE t (x VARCHAR2(9) DEFAULT 'a\n\nhost rm -rf /\n')",
        "CREATE TABLE t (x NUMBER) -- first;\n, y NUMBER)",
        "CREATE TABLE t (x VARCHAR2(9) DEFAULT '&host')",
        "CREATE TABLE t (x NUMBER) -- swallowed -",
        "CREATE PROCEDURE p AS BEGIN NULL; END;\n/\nDROP TABLE canary",
        "CREATE PROCEDURE p AS\n/* \n/\nDROP TABLE canary; */ BEGIN NULL; END;",
        "CREATE EDITIONABLE PROCEDURE p AS BEGIN NULL; END;",
        "CREATE /* */ PROCEDURE p AS BEGIN NULL END",
        "CREATE OR REPLACE\nTYPE t AS OBJECT (x NUMBER)",
        "CREATE JAVA SOURCE NAMED x AS class X {}",
        "BEGIN EXECUTE IMMEDIATE 'DROP TABLE canary'; END;",
        "CREATE TABLE t (x VARCHAR2(9) DEFAULT q'[']; DROP TABLE canary --]')",
    ],
)
def test_what_sql_plus_may_take_for_something_else_is_refused(text: str) -> None:
    with pytest.raises(Unwritable):
        one_statement(text, client_of("ORACLE"))


def test_a_statement_that_goes_on_in_other_records_is_not_cut_off() -> None:
    record = make_record(make_header(DDL_OP, io_time=0, continued=1), build_ddl([("C1", "CREATE TABLE t (x int)")]))
    statement = redo(Change("DDL", "", (record,), (), None, None, None, 0), DIALECTS["ANSI"])
    assert statement.reason == "the statement continues in the records that follow"


def test_a_statement_that_is_not_utf_8_is_no_guess() -> None:
    data = build_ddl([("C1", "CREATE TABLE t (x varchar(9) DEFAULT '~')")]).replace(b"~", b"\xe9")
    record = make_record(make_header(DDL_OP, io_time=0), data)
    assert redo(Change("DDL", "", (record,), (), None, None, None, 0), DIALECTS["ANSI"]).sql is None


@pytest.mark.parametrize(
    ("dialect", "character"), in_turn(DIALECTS, ["\x1b", "\0", "\x85", "\x1c", "\u2028", "\u202e", "\x0b"])
)
def test_a_character_that_steers_a_terminal_is_not_printed(character: str, dialect: str) -> None:
    statement = statement_of(f"CREATE TABLE t (x int) -- {character} end", dialect)
    assert statement.reason == "the statement holds characters that are not printable"
