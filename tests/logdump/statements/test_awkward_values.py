"""Values with awkward characters and sizes, executed: a real database has what the trail has.

The expected values are written here; what the databases answer is compared with them, never with our own decoder.
"""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal

import pytest

from logdump.display.sql import DIALECTS
from tests.logdump.statements.servers import MariaDBServer, PostgreSQLServer
from tests.searching import in_turn
from tests.simulated.memory_database import memory_database

TEXTS = (
    "",
    " ",
    "plain",
    "o'clock",
    "''",
    "\\",
    "\\'",
    "'\\",
    "a\\nb",
    'a "b" `c`',
    "-- no comment",
    "/* no comment */",
    "a;b",
    "%_$$?:x&amp",
    "line\nbreak\r\ttab",
    "\x01\x1b[31m\x7f",
    "\x85\u2028\u202e\ufeff",
    "caf\u00e9",
    "玉露",
    "玉露 o'clock",
    "🍵",
    "🍵\n\\玉",
    "U&'\\0041'",
    "x" * 5000,
)
BINARIES = (b"", b"\0", bytes(range(256)), b"'\\\"", b"\xff" * 3000)
NUMBERS = (
    Decimal(0),
    Decimal("-0.01"),
    Decimal("1E+20"),
    Decimal("1E-9"),
    Decimal("12345678901234567890.123456789"),
    -(2**63),
    7,
)
FLOATS = (0.0, 0.1, -2.5, 1e22, 1.7976931348623157e308, 5e-324, 1 / 3, 123456789.0)
_DAY = dt.date(2024, 2, 29)
_CLOCK = dt.time(23, 59, 59, 10)
_MOMENT = dt.datetime.combine(_DAY, _CLOCK)
_ZONE = dt.timezone(dt.timedelta(hours=-5, minutes=-30))


def test_postgresql_has_the_same_text(postgresql: PostgreSQLServer) -> None:
    said = _selected(postgresql, "POSTGRESQL", TEXTS, "encode(convert_to({}::text, 'UTF8'), 'hex')")
    assert said == [text.encode().hex() for text in TEXTS]


def test_postgresql_has_the_same_bytes(postgresql: PostgreSQLServer) -> None:
    assert _selected(postgresql, "POSTGRESQL", BINARIES, "encode({}, 'hex')") == [binary.hex() for binary in BINARIES]


def test_postgresql_has_the_same_numbers(postgresql: PostgreSQLServer) -> None:
    said = _selected(postgresql, "POSTGRESQL", NUMBERS, "({})::numeric")
    assert [Decimal(text) for text in said] == [Decimal(number) for number in NUMBERS]
    floats = (*FLOATS, math.inf, -math.inf)
    assert list(map(float, _selected(postgresql, "POSTGRESQL", floats, "({})::float8"))) == list(floats)
    assert _selected(postgresql, "POSTGRESQL", (math.nan, Decimal("NaN")), "{}") == ["NaN", "NaN"]


def test_postgresql_has_the_same_moments(postgresql: PostgreSQLServer) -> None:
    postgresql.execute("ALTER ROLE logdump SET TimeZone = 'UTC';")
    values = (_DAY, _CLOCK, _CLOCK.replace(tzinfo=_ZONE), _MOMENT, _MOMENT.replace(tzinfo=_ZONE))
    assert _selected(postgresql, "POSTGRESQL", values, "{}") == [
        "2024-02-29",
        "23:59:59.00001",
        "23:59:59.00001-05:30",
        "2024-02-29 23:59:59.00001",
        "2024-03-01 05:29:59.00001+00",
    ]
    spans = (dt.timedelta(days=3, hours=4, seconds=5, microseconds=6), -dt.timedelta(days=1, hours=2))
    assert _selected(postgresql, "POSTGRESQL", spans, "EXTRACT(EPOCH FROM {})") == ["273605.000006", "-93600.000000"]


@pytest.mark.parametrize(
    ("client", "mode"),
    in_turn(["utf8mb4", "utf8mb3", "latin1", "gbk", "cp932"], ["", "ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT"]),
)
def test_mariadb_has_the_same_text_whatever_its_client_expects(mariadb: MariaDBServer, client: str, mode: str) -> None:
    front = f"SET NAMES {client}; SET sql_mode = '{mode}';"
    said = _selected(mariadb, "MYSQL", TEXTS, "CONCAT('|', HEX(CONVERT({} USING utf8mb4)))", front)
    assert said == [f"|{text.encode().hex().upper()}" for text in TEXTS]


def test_mariadb_has_the_same_bytes(mariadb: MariaDBServer) -> None:
    said = _selected(mariadb, "MYSQL", BINARIES, "CONCAT('|', HEX({}))")
    assert said == [f"|{binary.hex().upper()}" for binary in BINARIES]


def test_mariadb_has_the_same_numbers(mariadb: MariaDBServer) -> None:
    said = _selected(mariadb, "MYSQL", NUMBERS, "{}")
    assert [Decimal(text) for text in said] == [Decimal(number) for number in NUMBERS]
    assert list(map(float, _selected(mariadb, "MYSQL", FLOATS, "{}"))) == list(FLOATS)


@pytest.mark.parametrize(
    ("kind", "value", "shown"),
    [
        ("DATE", _DAY, "2024-02-29"),
        ("TIME(6)", _CLOCK, "23:59:59.000010"),
        ("DATETIME(6)", _MOMENT, "2024-02-29 23:59:59.000010"),
        ("TIME(6)", -dt.timedelta(days=1, hours=2, microseconds=5), "-26:00:00.000005"),
        ("TIME(6)", dt.timedelta(hours=838, minutes=59, seconds=59), "838:59:59.000000"),
    ],
)
def test_mariadb_has_the_same_moments(mariadb: MariaDBServer, kind: str, value: object, shown: str) -> None:
    literal = DIALECTS["MYSQL"].literal(value)
    create = f"CREATE DATABASE IF NOT EXISTS odd; USE odd; DROP TABLE IF EXISTS t; CREATE TABLE t (x {kind});"
    said = mariadb.execute(f"{create} INSERT INTO t VALUES ({literal}); SELECT x, x = {literal} FROM t;")
    assert said.split("\t") == [shown, "1\n"]


@pytest.mark.parametrize("text", ["2024-03-14 24:00:00.0000000", "0000-00-00 00:00:00", "0000-00-00", "24:00:00"])
def test_mysql_writes_the_moments_that_only_it_has(text: str) -> None:
    assert DIALECTS["MYSQL"].moment(text) == f"'{text}'"


def test_sqlite_has_the_same_text_and_bytes() -> None:
    database = memory_database()
    texts = [text for text in TEXTS if text.isprintable()]
    for value in (*texts, *BINARIES):
        assert database.execute(f"SELECT {DIALECTS['ANSI'].literal(value)}").fetchone() == (value,)


def test_sqlite_has_the_same_numbers() -> None:
    database = memory_database()
    for value in (*FLOATS, 7, -(2**62)):
        assert database.execute(f"SELECT {DIALECTS['ANSI'].literal(value)}").fetchone() == (value,)


def _selected(
    server: PostgreSQLServer | MariaDBServer, dialect: str, values: tuple[object, ...], shown: str, front: str = ""
) -> list[str]:
    """What a database says of each value, one line for each."""
    lines = [f"SELECT {shown.format(DIALECTS[dialect].literal(value))};" for value in values]
    said = server.execute("\n".join([front, *lines, ""]))
    return said.removesuffix("\n").split("\n")
