"""How names and values are spelled.

What REDO and UNDO print is run on SQLite: it leaves the rows that the history leaves.
"""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fixtures.flavour import MYSQL_21
from fixtures.shop import Row
from logdump.display.sql import DIALECTS, Dialect, Unwritable, dialect_of
from tests.logdump.statements.history import without_key, write_history
from tests.logdump.statements.scripts import script_of
from tests.searching import IS_LONG
from tests.simulated.memory_database import memory_database

_TABLE = "CREATE TABLE teahouse.teas (tea_code, name, origin, grade, price NUMERIC, stock_kg NUMERIC)"


def _database(rows: list[Row]) -> sqlite3.Connection:
    database = memory_database()
    database.execute("ATTACH ':memory:' AS teahouse")
    database.execute(_TABLE)
    database.executemany("INSERT INTO teahouse.teas VALUES (?, ?, ?, ?, ?, ?)", [_plain(row) for row in rows])
    return database


def _plain(row: Row) -> tuple[str | float | None, ...]:
    return tuple(float(value) if isinstance(value, Decimal) else value for value in row)


def _rows(database: sqlite3.Connection) -> Counter[tuple[str | float | None, ...]]:
    return Counter(database.execute("SELECT * FROM teahouse.teas").fetchall())


@pytest.mark.parametrize("seed", range(15 if IS_LONG else 5))
def test_redo_leaves_the_rows_of_the_history(tmp_path: Path, seed: int) -> None:
    history = write_history(tmp_path / "rd000000000", seed)
    database = _database(history.before)
    for statement in script_of(history.path, "ANSI"):
        assert database.execute(statement).rowcount == 1
    assert _rows(database) == Counter(map(_plain, history.after))


@pytest.mark.parametrize("seed", range(15 if IS_LONG else 5))
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


_ORACLE, _MYSQL, _POSTGRESQL, _ANSI = (DIALECTS[name] for name in ("ORACLE", "MYSQL", "POSTGRESQL", "ANSI"))
_ZONE = dt.timezone(dt.timedelta(hours=5, minutes=30))
_MOMENT = dt.datetime(2024, 3, 14, 9, 30, 5)  # noqa: DTZ001 - a moment without a zone


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize(
    ("value", "spelled"),
    [(None, "NULL"), ("Pu'er", "'Pu''er'"), (-17, "-17"), (Decimal("17520.00"), "17520.00"), (Decimal("1E+3"), "1000")],
)
def test_plain_values_are_spelled_alike(dialect: Dialect, value: Any, spelled: str) -> None:
    assert dialect.literal(value) == spelled


@pytest.mark.parametrize(
    ("dialect", "value", "spelled"),
    [
        (_ORACLE, "a\nb", "'a' || CHR(10) || 'b'"),
        (_ORACLE, "\u2028", r"UNISTR('\2028')"),
        (_ORACLE, "x" * 1001, f"TO_CLOB('{'x' * 1000}') || TO_CLOB('x')"),
        (_ORACLE, b"\0\xff", "HEXTORAW('00FF')"),
        (_ORACLE, 1.5, "1.5d"),
        (_ORACLE, float("-inf"), "-BINARY_DOUBLE_INFINITY"),
        (_ORACLE, dt.date(2024, 3, 14), "DATE '2024-03-14'"),
        (_ORACLE, _MOMENT, "TO_DATE('2024-03-14 09:30:05', 'YYYY-MM-DD HH24:MI:SS')"),
        (
            _ORACLE,
            _MOMENT.replace(microsecond=120),
            "TO_TIMESTAMP('2024-03-14 09:30:05.000120', 'YYYY-MM-DD HH24:MI:SS.FF')",
        ),
        (
            _ORACLE,
            _MOMENT.replace(tzinfo=_ZONE),
            "TO_TIMESTAMP_TZ('2024-03-14 09:30:05 +05:30', 'YYYY-MM-DD HH24:MI:SS.FF TZH:TZM')",
        ),
        (_ORACLE, dt.timedelta(days=-1, hours=-2), "INTERVAL -'1 02:00:00.000000' DAY(9) TO SECOND(6)"),
        (_MYSQL, "a\\b", "CONVERT(X'615C62' USING utf8mb4)"),
        (_MYSQL, b"\0\xff", "X'00FF'"),
        (_MYSQL, _MOMENT, "'2024-03-14 09:30:05'"),
        (_MYSQL, dt.timedelta(days=1, hours=2), "'26:00:00.000000'"),
        (_POSTGRESQL, "a\\b\n", r"E'a\\b\u000A'"),
        (_POSTGRESQL, "a\\b", r"E'a\\b'"),
        (_POSTGRESQL, Decimal("NaN"), "'NaN'::numeric"),
        (_POSTGRESQL, b"\0\xff", r"'\x00ff'::bytea"),
        (_POSTGRESQL, float("nan"), "'NaN'::float8"),
        (_POSTGRESQL, _MOMENT.replace(tzinfo=_ZONE), "TIMESTAMP WITH TIME ZONE '2024-03-14 09:30:05+05:30'"),
        (_ANSI, "a\\\n", r"U&'a\\\000A'"),
        (_ANSI, b"\0\xff", "X'00FF'"),
        (_ANSI, 1.5, "1.5e0"),
        (_ANSI, _MOMENT, "TIMESTAMP '2024-03-14 09:30:05'"),
        (_ANSI, dt.time(9, 30), "TIME '09:30:00'"),
        (_ORACLE, float("inf"), "BINARY_DOUBLE_INFINITY"),
        (_ORACLE, float("nan"), "BINARY_DOUBLE_NAN"),
        (_ORACLE, dt.time(9, 30), "TO_DSINTERVAL('0 09:30:00')"),
        (_ORACLE, dt.timedelta(), "INTERVAL '0 00:00:00.000000' DAY(9) TO SECOND(6)"),
        (_ORACLE, "\U000e0001", r"UNISTR('\DB40\DC01')"),
        (_ORACLE, "a\x7f\x80", r"'a' || CHR(127) || UNISTR('\0080')"),
        (_ORACLE, "x" * 1000, f"'{'x' * 1000}'"),
        (_ORACLE, bytes(2000), f"HEXTORAW('{'00' * 2000}')"),
        (_MYSQL, dt.timedelta(), "'00:00:00.000000'"),
        (_MYSQL, -dt.timedelta(days=1, minutes=61, seconds=62), "'-25:02:02.000000'"),
        (_MYSQL, dt.timedelta(minutes=59), "'00:59:00.000000'"),
        (_MYSQL, dt.timedelta(minutes=60), "'01:00:00.000000'"),
        (_MYSQL, "caf\xe9", "_utf8mb4'caf\xe9'"),
        (_POSTGRESQL, float("inf"), "'Infinity'::float8"),
        (_POSTGRESQL, float("-inf"), "'-Infinity'::float8"),
        (_POSTGRESQL, _MOMENT, "TIMESTAMP '2024-03-14 09:30:05'"),
        (_POSTGRESQL, dt.time(9, 30), "TIME '09:30:00'"),
        (_POSTGRESQL, dt.time(9, 30, tzinfo=_ZONE), "TIME WITH TIME ZONE '09:30:00+05:30'"),
        (_POSTGRESQL, dt.timedelta(), "INTERVAL '0 00:00:00.000000' DAY TO SECOND(6)"),
        (_POSTGRESQL, dt.timedelta(days=-1, hours=-2), "-INTERVAL '1 02:00:00.000000' DAY TO SECOND(6)"),
        (_POSTGRESQL, "\uffff\U000e0001", r"E'\uFFFF\U000E0001'"),
        (_ANSI, "\uffff\U000e0001", r"U&'\FFFF\+0E0001'"),
        (_ANSI, dt.timedelta(), "INTERVAL '0 00:00:00.000000' DAY TO SECOND(6)"),
        (_ANSI, dt.timedelta(hours=1, minutes=1, seconds=61), "INTERVAL '0 01:02:01.000000' DAY TO SECOND(6)"),
        (_ANSI, dt.timedelta(days=-1, hours=-2), "INTERVAL -'1 02:00:00.000000' DAY TO SECOND(6)"),
    ],
)
def test_values_by_dialect(dialect: Dialect, value: Any, spelled: str) -> None:
    assert dialect.literal(value) == spelled


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@given(value=st.one_of(st.text(st.characters(codec="utf-8", exclude_characters="\0")), st.binary(max_size=99)))
def test_a_literal_is_one_printable_line(dialect: Dialect, value: str | bytes) -> None:
    assert dialect.literal(value).isprintable()


@pytest.mark.parametrize(
    ("dialect", "text", "spelled"),
    [
        (_ORACLE, "-0044-03-15", "TO_TIMESTAMP('-0044-03-15 00:00:00', 'SYYYY-MM-DD HH24:MI:SS.FF')"),
        (
            _ORACLE,
            "2024-03-14 09:30:05.123456789",
            "TO_TIMESTAMP('2024-03-14 09:30:05.123456789', 'SYYYY-MM-DD HH24:MI:SS.FF')",
        ),
        (_ANSI, "2024-03-14 09:30:05.123456789", "'2024-03-14 09:30:05.123456789'"),
        (_POSTGRESQL, "0044-03-15 BC", "'0044-03-15 BC'"),
    ],
)
def test_moments_that_python_has_no_type_for(dialect: Dialect, text: str, spelled: str) -> None:
    assert dialect.moment(text) == spelled


@pytest.mark.parametrize(
    ("dialect", "value"),
    [
        (_ORACLE, bytes(2001)),
        (_POSTGRESQL, "a\0b"),
        (_ANSI, float("inf")),
        (_ANSI, Decimal("NaN")),
        (_ANSI, object()),
    ],
)
def test_what_no_literal_stands_for_is_refused(dialect: Dialect, value: Any) -> None:
    with pytest.raises(Unwritable):
        dialect.literal(value)


@pytest.mark.parametrize(
    ("dialect", "name", "spelled"),
    [
        (_ORACLE, "TEAHOUSE.TEAS", '"TEAHOUSE"."TEAS"'),
        (_ORACLE, "PDB1.TEAHOUSE.TEAS", '"TEAHOUSE"."TEAS"'),
        (_ORACLE, 'TEAHOUSE."My.Teas"', '"TEAHOUSE"."My.Teas"'),
        (_MYSQL, "teahouse.te`as", "`teahouse`.`te``as`"),
        (_POSTGRESQL, 'teahouse."te""as"', '"teahouse"."te""as"'),
        (_ANSI, "a.b.c", '"a"."b"."c"'),
    ],
)
def test_names_are_quoted(dialect: Dialect, name: str, spelled: str) -> None:
    assert dialect.table(name) == spelled


def _doubled(part: str) -> str:
    return '"' + part.replace('"', '""') + '"'


_QUOTED = st.text("aB.\"`' _*", min_size=1, max_size=5).map(lambda part: (part, _doubled(part)))
_BARE = st.from_regex(r"[aB_]{1,3}(\"[aB_]{1,3})?", fullmatch=True).map(lambda part: (part, part))


@given(st.tuples(_QUOTED, _QUOTED) | st.tuples(_QUOTED, _BARE) | st.tuples(st.just(("HR", "HR")), _BARE))
def test_a_part_of_a_name_goes_to_no_other_table(parts: tuple[tuple[str, str], tuple[str, str]]) -> None:
    """A quotation mark inside a part parts no name: of HR.a"b there was the table b of a schema a, HR being lost."""
    name = ".".join(written for _, written in parts)
    spelled = ".".join(_doubled(part) for part, _ in parts)
    assert _POSTGRESQL.table(name) == _ANSI.table(name) == _ORACLE.table(name) == spelled


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("name", ["", "a\nb", "a\x1b[2Jb", "a\x00b", "t\\xe9as"])
def test_a_name_that_cannot_be_quoted_is_refused(name: str, dialect: Dialect) -> None:
    with pytest.raises(Unwritable):
        dialect.table(name)


@pytest.mark.parametrize(("vendor", "dialect"), [("ORACLE", _ORACLE), ("", _ANSI), ("99", _ANSI)])
def test_the_dialect_of_a_source(vendor: str, dialect: Dialect) -> None:
    assert dialect_of(vendor) is dialect
