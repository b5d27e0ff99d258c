"""Each kind of change as docs/redo.md has it: the exact statement, or the exact reason why there is none.

Nothing here is computed: a row of the table says what the images hold and what stands in the script.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from fixtures import column_kinds as kind
from fixtures.shop import ShopTable
from logdump.display.sql import DIALECTS, Statement, Unwritable, redo, undo
from logdump.display.sql.statement import statements_of
from tests.logdump.statements.history import without_key
from tests.logdump.statements.made_changes import NULL, STOCK, change, without_definition
from tests.searching import Random, in_turn
from trailformat.changes.row_changes import Change
from trailformat.records.ddl import build_ddl
from trailformat.records.record import Record, make_record
from trailformat.records.record_header import DDL_OP, make_header
from trailformat.values import Value

_OLD = ("A1", "top", "it's", Decimal(5))
_NEW = ("A1", "top", "dry", Decimal(7))
_KEYLESS = without_key(STOCK)
_BARE = STOCK._replace(columns=())
_LONGEST = 1_000_000

BY_KEY = """ WHERE "CODE" = 'A1' AND "SHELF" = 'top'"""
BY_OLD = """ WHERE "CODE" = 'A1' AND "SHELF" = 'top' AND "NOTE" = 'it''s' AND "KG" = 5"""
BY_NEW = """ WHERE "CODE" = 'A1' AND "SHELF" = 'top' AND "NOTE" = 'dry' AND "KG" = 7"""
INSERT_OLD = """INSERT INTO "SHOP"."STOCK" ("CODE", "SHELF", "NOTE", "KG") VALUES ('A1', 'top', 'it''s', 5)"""
DELETE, UPDATE = 'DELETE FROM "SHOP"."STOCK"', 'UPDATE "SHOP"."STOCK"'
NO_DEFINITION = "no definition of the table: its columns have no names (SOURCEDEFS reads some)"
NO_NAME = "column 0 has no name: no definition of the table fits (SOURCEDEFS reads some)"
NO_NAME_2 = NO_NAME.replace("column 0", "column 2")
NO_COLUMN = "the trail has no column of the row"
UNKNOWN = "the effect of a record of this type is not known"
OVERWRITTEN = "the trail does not have the row that it may have overwritten"
NO_KEY = "the table has no key, and the trail lacks columns of the row"


class Sql(str):
    """A statement with names in double quotes, which MySQL has in backticks."""

    __slots__ = ()


class One(NamedTuple):
    """A statement for one row of a table without a key: what stands before and behind its condition."""

    action: str
    condition: str

    def by(self, dialect: str) -> str:
        """The statement as each dialect has it."""
        condition = self.condition.removeprefix(" WHERE ")
        return {
            "ORACLE": f"{self.action} WHERE {condition} AND ROWNUM = 1",
            "MYSQL": f"{self.action} WHERE {condition} LIMIT 1".replace('"', "`"),
            "POSTGRESQL": f'{self.action} WHERE ctid = (SELECT ctid FROM "SHOP"."STOCK" WHERE {condition} LIMIT 1)',
            "ANSI": f"{self.action} WHERE {condition}",
        }[dialect]


class Upsert(NamedTuple):
    """An insert that overwrites: the values, their columns, and the columns besides the key with their values."""

    values: str
    names: tuple[str, ...]
    rest: tuple[tuple[str, str], ...]

    def by(self, dialect: str) -> str:
        """The statement as each dialect has it."""
        names = ", ".join(f'"{name}"' for name in self.names)
        insert = f'INSERT INTO "SHOP"."STOCK" ({names}) VALUES {self.values}'
        updated = [name for name, _ in self.rest] or ["CODE", "SHELF"]
        sets = ", ".join(f'"{name}" = {value}' for name, value in self.rest)
        update = f" WHEN MATCHED THEN UPDATE SET {sets}" if sets else ""
        merged = f"""ON ("CODE" = 'A1' AND "SHELF" = 'top'){update} WHEN NOT MATCHED THEN INSERT ({names}) VALUES """
        return {
            "ORACLE": f'MERGE INTO "SHOP"."STOCK" USING DUAL {merged}{self.values}',
            "MYSQL": f"{insert} ON DUPLICATE KEY UPDATE ".replace('"', "`")
            + ", ".join(f"`{name}` = VALUES(`{name}`)" for name in updated),
            "POSTGRESQL": f'{insert} ON CONFLICT ("CODE", "SHELF") DO UPDATE SET '
            + ", ".join(f'"{name}" = EXCLUDED."{name}"' for name in updated),
            "ANSI": 'MERGE INTO "SHOP"."STOCK" USING (VALUES (0)) AS logdump_row (logdump_number) '
            f"{merged}{self.values}",
        }[dialect]


class Case(NamedTuple):
    """A change; what REDO and UNDO make of it: a statement, or a reason (a plain text)."""

    change: Change
    redo: Sql | One | Upsert | str
    undo: Sql | One | Upsert | str


_UNREAD = Value(b"\xff", None, problem="not utf-8 from byte 0 on")
_TOO_LONG, _LONG = Value(bytes(_LONGEST + 1), "x"), Value(bytes(_LONGEST), "x")

CASES = {
    "an insert": Case(change("INSERT", after=_OLD), Sql(INSERT_OLD), Sql(DELETE + BY_KEY)),
    "an insert of a part of the row": Case(
        change("INSERT", after=("A1", "top", None, NULL)),
        Sql("""INSERT INTO "SHOP"."STOCK" ("CODE", "SHELF", "KG") VALUES ('A1', 'top', NULL)"""),
        Sql(DELETE + BY_KEY),
    ),
    "an insert without a column": Case(
        change("INSERT"),
        NO_COLUMN,
        "the trail lacks CODE, SHELF of the row's key",
    ),
    "an insert, no key": Case(
        change("INSERT", after=_OLD, table=_KEYLESS),
        Sql(INSERT_OLD),
        One(DELETE, BY_OLD),
    ),
    "an insert of a part of the row, no key": Case(
        change("INSERT", after=("A1", "top", None, None), table=_KEYLESS),
        Sql("""INSERT INTO "SHOP"."STOCK" ("CODE", "SHELF") VALUES ('A1', 'top')"""),
        NO_KEY,
    ),
    "an insert without a definition": Case(without_definition(change("INSERT", after=_OLD)), NO_NAME, NO_DEFINITION),
    "an update with both images": Case(
        change("UPDATE", _OLD, _NEW),
        Sql(UPDATE + """ SET "NOTE" = 'dry', "KG" = 7""" + BY_KEY),
        Sql(UPDATE + """ SET "NOTE" = 'it''s', "KG" = 5""" + BY_KEY),
    ),
    "an update of one column, the key in the after image alone": Case(
        change("UPDATE", (None, None, "it's", None), ("A1", "top", "dry", None)),
        Sql(UPDATE + """ SET "NOTE" = 'dry'""" + BY_KEY),
        Sql(UPDATE + """ SET "NOTE" = 'it''s'""" + BY_KEY),
    ),
    "an update whose after image lacks what did not change": Case(
        change("UPDATE", _OLD, ("A1", "top", None, Decimal(7))),
        Sql(UPDATE + """ SET "KG" = 7""" + BY_KEY),
        Sql(UPDATE + """ SET "KG" = 5""" + BY_KEY),
    ),
    "an update to NULL": Case(
        change("UPDATE", _OLD, ("A1", "top", NULL, Decimal(5))),
        Sql(UPDATE + """ SET "NOTE" = NULL""" + BY_KEY),
        Sql(UPDATE + """ SET "NOTE" = 'it''s'""" + BY_KEY),
    ),
    "an update, no key": Case(
        change("UPDATE", _OLD, _NEW, _KEYLESS),
        One(UPDATE + """ SET "NOTE" = 'dry', "KG" = 7""", BY_OLD),
        One(UPDATE + """ SET "NOTE" = 'it''s', "KG" = 5""", BY_NEW),
    ),
    "an update from NULL, no key, the after image lacks what did not change": Case(
        change("UPDATE", ("A1", "top", NULL, Decimal(5)), (None, None, "dry", None), _KEYLESS),
        One(
            UPDATE + """ SET "NOTE" = 'dry'""",
            """ WHERE "CODE" = 'A1' AND "SHELF" = 'top' AND "NOTE" IS NULL AND "KG" = 5""",
        ),
        One(
            UPDATE + """ SET "NOTE" = NULL""",
            """ WHERE "NOTE" = 'dry' AND "CODE" = 'A1' AND "SHELF" = 'top' AND "KG" = 5""",
        ),
    ),
    "an update of which a column is known nowhere, no key": Case(
        change("UPDATE", (*_OLD[:3], None), (*_NEW[:3], None), _KEYLESS), NO_KEY, NO_KEY
    ),
    "an update without its before image": Case(
        change("UPDATE", after=_NEW),
        Sql(UPDATE + """ SET "NOTE" = 'dry', "KG" = 7""" + BY_KEY),
        "the trail has no before image of NOTE, KG",
    ),
    "an update without its before image, no key": Case(
        change("UPDATE", after=_NEW, table=_KEYLESS),
        NO_KEY,
        "the trail has no before image of CODE, SHELF, NOTE, KG",
    ),
    "an update that changes nothing": Case(
        change("UPDATE", _OLD, _OLD), "no column is changed", "no column is changed"
    ),
    "an update whose images have a part of the key": Case(
        change("UPDATE", ("A1", None, *_OLD[2:]), ("A1", None, *_NEW[2:])),
        "the trail lacks SHELF of the row's key",
        "the trail lacks SHELF of the row's key",
    ),
    "an update without a definition": Case(without_definition(change("UPDATE", _OLD, _NEW)), NO_NAME_2, NO_NAME_2),
    "a key update": Case(
        change("PK UPDATE", _OLD, ("B2", *_OLD[1:])),
        Sql(UPDATE + """ SET "CODE" = 'B2'""" + BY_KEY),
        Sql(UPDATE + """ SET "CODE" = 'A1' WHERE "CODE" = 'B2' AND "SHELF" = 'top'"""),
    ),
    "a key update with the key alone before": Case(
        change("PK UPDATE", ("A1", "top", None, None), ("B2", "top", "dry", None)),
        Sql(UPDATE + """ SET "CODE" = 'B2', "NOTE" = 'dry'""" + BY_KEY),
        "the trail has no before image of NOTE",
    ),
    "a key update with a part of the key before": Case(
        change("PK UPDATE", ("A1", None, "it's", Decimal(5)), ("B2", "low", "it's", Decimal(5))),
        "the trail lacks SHELF of the row's key",
        "the trail does not have the complete old key",
    ),
    "a delete of the whole row": Case(change("DELETE", _OLD), Sql(DELETE + BY_KEY), Sql(INSERT_OLD)),
    "a delete with the key alone": Case(
        change("DELETE", ("A1", "top", None, None)),
        Sql(DELETE + BY_KEY),
        "the trail has 2 of the 4 columns of the row that was deleted",
    ),
    "a delete with all but one column": Case(
        change("DELETE", (*_OLD[:3], None)),
        Sql(DELETE + BY_KEY),
        "the trail has 3 of the 4 columns of the row that was deleted",
    ),
    "a delete, no key": Case(change("DELETE", _OLD, table=_KEYLESS), One(DELETE, BY_OLD), Sql(INSERT_OLD)),
    "a delete without a column, and without a definition": Case(
        without_definition(change("DELETE")), NO_DEFINITION, NO_COLUMN
    ),
    "a delete of a part of the row, no key": Case(
        change("DELETE", (*_OLD[:3], None), table=_KEYLESS),
        NO_KEY,
        "the trail has 3 of the 4 columns of the row that was deleted",
    ),
    "a delete without a definition": Case(without_definition(change("DELETE", _OLD)), NO_DEFINITION, NO_NAME),
    "a truncate": Case(
        change("TRUNCATE"),
        Sql('TRUNCATE TABLE "SHOP"."STOCK"'),
        "the trail does not have the rows that TRUNCATE deleted",
    ),
    "a sequence": Case(
        change("SEQUENCE"),
        "a sequence: SQL has no statement that sets it to a value in every database",
        "a sequence: SQL has no statement that sets it to a value in every database",
    ),
    "a large object without its row": Case(
        change("LOB"),
        "a piece of a large object: it belongs to the row before it",
        "a piece of a large object: it belongs to the row before it",
    ),
    "DDL without a statement": Case(
        change("DDL")._replace(records=(make_record(make_header(DDL_OP, io_time=0), b""),)),
        "the record has no statement",
        "DDL: the state before it is not in the trail",
    ),
    "a record of a type that is not known": Case(change("Type 141"), UNKNOWN, UNKNOWN),
    "an upsert": Case(
        change("UPSERT", after=_OLD),
        Upsert("('A1', 'top', 'it''s', 5)", ("CODE", "SHELF", "NOTE", "KG"), (("NOTE", "'it''s'"), ("KG", "5"))),
        OVERWRITTEN,
    ),
    "an upsert of a part of the row": Case(
        change("UPSERT", after=("A1", "top", None, NULL)),
        Upsert("('A1', 'top', NULL)", ("CODE", "SHELF", "KG"), (("KG", "NULL"),)),
        OVERWRITTEN,
    ),
    "an upsert of the key alone": Case(
        change("UPSERT", after=("A1", "top", None, None)),
        Upsert("('A1', 'top')", ("CODE", "SHELF"), ()),
        OVERWRITTEN,
    ),
    "an upsert without the key": Case(
        change("UPSERT", after=("A1", None, "dry", None)), "the trail lacks SHELF of the row's key", OVERWRITTEN
    ),
    "an upsert, no key": Case(
        change("UPSERT", after=_OLD, table=_KEYLESS),
        "the table has no key: the row that an upsert overwrites is not known",
        OVERWRITTEN,
    ),
    "an upsert without a column": Case(change("UPSERT"), NO_COLUMN, OVERWRITTEN),
    "an upsert without a definition": Case(without_definition(change("UPSERT", after=_OLD)), NO_NAME, OVERWRITTEN),
    "values that may be parts": Case(
        change("UPDATE", _OLD, _NEW)._replace(doubt="GGS token x45 is not known"),
        "GGS token x45 is not known",
        "GGS token x45 is not known",
    ),
    "images that do not decode": Case(
        change("INSERT", after=_OLD)._replace(problem="the images are cut"), "the images are cut", "the images are cut"
    ),
    "a value that does not decode": Case(
        change("UPDATE", _OLD, (*_NEW[:2], _UNREAD, Decimal(5))),
        "column NOTE is not decoded: not utf-8 from byte 0 on",
        Sql(UPDATE + """ SET "NOTE" = 'it''s'""" + BY_KEY),
    ),
    "a value that is too long": Case(
        change("UPDATE", (*_OLD[:2], _TOO_LONG, Decimal(5)), _OLD),
        Sql(UPDATE + """ SET "NOTE" = 'it''s'""" + BY_KEY),
        "column NOTE has 1000001 bytes, more than 1000000",
    ),
    "the longest value": Case(
        change("INSERT", after=(*_OLD[:2], _LONG, Decimal(5))),
        Sql("""INSERT INTO "SHOP"."STOCK" ("CODE", "SHELF", "NOTE", "KG") VALUES ('A1', 'top', 'x', 5)"""),
        Sql(DELETE + BY_KEY),
    ),
    **{
        f"{op.lower()} in a table whose definition has no columns": Case(change(op, table=_BARE), again, back)
        for op, again, back in (
            ("INSERT", NO_COLUMN, NO_COLUMN),
            ("DELETE", NO_COLUMN, NO_COLUMN),
            ("UPDATE", "no column is changed", "no column is changed"),
            ("PK UPDATE", "no column is changed", "no column is changed"),
            (
                "TRUNCATE",
                Sql('TRUNCATE TABLE "SHOP"."STOCK"'),
                "the trail does not have the rows that TRUNCATE deleted",
            ),
        )
    },
    "a table without a name": Case(
        change("INSERT", after=_OLD)._replace(table=""),
        "the name of the table is not known",
        "the name of the table is not known",
    ),
    "a table whose name is not UTF-8": Case(
        change("DELETE", _OLD)._replace(table="SHOP.T\\xe9"),
        "the table's name SHOP.T\\xe9 is not UTF-8",
        "the table's name SHOP.T\\xe9 is not UTF-8",
    ),
    "a table whose name has a line break": Case(
        change("TRUNCATE")._replace(table="SHOP.A\nB"),
        "the name 'A\\nB' cannot be written",
        "the trail does not have the rows that TRUNCATE deleted",
    ),
}


def _made(statement: Statement) -> str:
    assert (statement.sql is None) != (statement.reason is None)
    return statement.sql if statement.sql is not None else f"-- {statement.reason}"


def _expected(expected: Sql | One | Upsert | str, dialect: str) -> str:
    if isinstance(expected, One | Upsert):
        return expected.by(dialect)
    if isinstance(expected, Sql):
        return expected.replace('"', "`") if dialect == "MYSQL" else str(expected)
    return f"-- {expected}"


@pytest.mark.parametrize(("name", "dialect"), in_turn(CASES, DIALECTS))
def test_redo(name: str, dialect: str) -> None:
    case = CASES[name]
    assert _made(redo(case.change, DIALECTS[dialect])) == _expected(case.redo, dialect)


@pytest.mark.parametrize(("name", "dialect"), in_turn(CASES, DIALECTS))
def test_undo(name: str, dialect: str) -> None:
    case = CASES[name]
    assert _made(undo(case.change, DIALECTS[dialect])) == _expected(case.undo, dialect)


@pytest.mark.parametrize("takes_back", [False, True], ids=["redo", "undo"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_of_many_changes_made_together_each_has_its_own(dialect: str, *, takes_back: bool) -> None:
    """In any order, with others of its table, some of which have another definition."""
    cases = [*CASES.values(), *CASES.values()]
    Random(f"{dialect} {takes_back}").shuffle(cases)
    made = statements_of([case.change for case in cases], DIALECTS[dialect], takes_back=takes_back)
    for case, statement in zip(cases, made, strict=True):
        assert statement.change is case.change
        assert _made(statement) == _expected(case.undo if takes_back else case.redo, dialect)


_MOMENT = dt.datetime(2024, 3, 14, 9, 30, 5)  # noqa: DTZ001 - a moment without a zone
_ZONE = dt.timezone(dt.timedelta(hours=5, minutes=30))
_ODD_ZONE = dt.timezone(dt.timedelta(hours=5, minutes=30, seconds=15))
_INFINITE = (float("inf"), float("-inf"), float("nan"), Decimal("Infinity"), Decimal("NaN"))


@pytest.mark.parametrize(
    ("dialect", "value", "reason"),
    [
        ("ORACLE", bytes(2001), "a binary value of 2001 bytes: an Oracle literal holds 2000"),
        ("POSTGRESQL", "a\0b", "PostgreSQL stores no text with a NUL character"),
        ("POSTGRESQL", Decimal("-Infinity"), "-Infinity is not a number that POSTGRESQL can write"),
        ("ORACLE", Decimal("NaN"), "NaN is not a number that ORACLE can write"),
        *(("MYSQL", number, f"{number} is not a number that MYSQL can write") for number in _INFINITE),
        *(("ANSI", number, f"{number} is not a number that ANSI can write") for number in _INFINITE),
        (
            "ORACLE",
            _MOMENT.replace(tzinfo=_ODD_ZONE),
            "Oracle has no zone with seconds: 2024-03-14T09:30:05+05:30:15",
        ),
        ("ORACLE", dt.time(9, 30, tzinfo=_ZONE), "Oracle has no time of day with a zone: 09:30:00+05:30"),
        (
            "MYSQL",
            _MOMENT.replace(tzinfo=_ZONE),
            "MySQL stores no zone, and 2024-03-14T09:30:05+05:30 has one",
        ),
        ("MYSQL", dt.time(9, 30, tzinfo=_ZONE), "MySQL stores no zone, and 09:30:00+05:30 has one"),
        *((name, object(), "there is no literal for a value of type object") for name in DIALECTS),
    ],
)
def test_a_value_without_a_literal_is_refused_with_the_reason(dialect: str, value: Any, reason: str) -> None:
    with pytest.raises(Unwritable) as raised:
        DIALECTS[dialect].literal(value)
    assert str(raised.value) == reason


@pytest.mark.parametrize("text", ["", "soon", "2024-03-14 9:30", "2024-03-14 09:30:05.1234567890", "x2024-03-14"])
def test_a_date_that_oracle_cannot_read_is_refused(text: str) -> None:
    with pytest.raises(Unwritable) as raised:
        DIALECTS["ORACLE"].moment(text)
    assert str(raised.value) == f"{text!r} is not a date that Oracle can write"


@pytest.mark.parametrize(
    "text",
    ["-0044-03-15", "0044-03-15 BC", "2024-03-14 09:30:05.123456789", "2024-03-14 09:30:05 Europe/Berlin", "infinity"],
)
def test_a_date_that_mysql_does_not_store_is_refused(text: str) -> None:
    with pytest.raises(Unwritable) as raised:
        DIALECTS["MYSQL"].moment(text)
    assert str(raised.value) == f"{text!r} is not a date that MySQL can write"


@pytest.mark.parametrize("dialect", DIALECTS)
def test_ddl_is_the_statement_of_its_record(dialect: str) -> None:
    data = build_ddl([("B5", "TABLE"), ("C1", "DROP TABLE t -- \u00e9")])
    whole = make_record(make_header(DDL_OP, io_time=0), data)
    assert redo(_ddl(whole), DIALECTS[dialect])[1:4] == ("DROP TABLE t -- \u00e9", None, "\n;")
    cut = make_record(make_header(DDL_OP, io_time=0, continued=1), data)
    assert redo(_ddl(cut), DIALECTS[dialect]).reason == "the statement continues in the records that follow"
    latin = make_record(make_header(DDL_OP, io_time=0), data.replace("\u00e9".encode(), b"\xe9"))
    assert redo(_ddl(latin), DIALECTS[dialect]).reason == "the statement is not UTF-8"


def test_ddl_is_read_as_the_client_of_the_dialect_reads_it() -> None:
    made = _ddl(make_record(make_header(DDL_OP, io_time=0), build_ddl([("C1", "ALTER TABLE t ADD `x` int")])))
    assert redo(made, DIALECTS["MYSQL"]).sql == "ALTER TABLE t ADD `x` int"
    assert redo(made, DIALECTS["ORACLE"]).reason == "a ` outside of quotes means something to SQL*Plus, or may"


def _ddl(made: Record) -> Change:
    return change("DDL")._replace(records=(made,))


@pytest.mark.parametrize(("dialect", "found"), [("ORACLE", '"NOTE" IS NULL'), ("ANSI", "\"NOTE\" = ''")])
def test_an_empty_text_is_found_as_the_database_stores_it(dialect: str, found: str) -> None:
    deleted = change("DELETE", (*_OLD[:2], "", Decimal(5)), table=_KEYLESS)
    assert f" AND {found} AND " in str(redo(deleted, DIALECTS[dialect]).sql)


def test_a_date_that_python_has_no_type_for_is_no_plain_text_to_oracle() -> None:
    sold = ShopTable("SHOP.SOLD", 1, kind.placed([kind.varchar2("CODE", 6), kind.date("AT")], 1, oracle=True))
    made = redo(change("INSERT", after=("A1", "-0044-03-15"), table=sold), DIALECTS["ORACLE"])
    moment = "TO_TIMESTAMP('-0044-03-15 00:00:00', 'SYYYY-MM-DD HH24:MI:SS.FF')"
    assert made.sql == f"""INSERT INTO "SHOP"."SOLD" ("CODE", "AT") VALUES ('A1', {moment})"""
