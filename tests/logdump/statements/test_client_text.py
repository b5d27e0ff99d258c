"""DDL by the client that it is pasted into: what is printed, exactly, and the reason for each refusal."""

from __future__ import annotations

import pytest

from logdump.display.sql import DIALECTS, Unwritable
from logdump.display.sql.client_text import client_of, one_statement

_NAMES = {
    "ORACLE": "SQL*Plus",
    "MYSQL": "the client of MariaDB and MySQL",
    "POSTGRESQL": "psql",
    "ANSI": "a client that is not known",
}
_ALL = tuple(DIALECTS)
_JOINED = "a number that something is joined to: not all databases end it at the same place"


def _reason(text: str, dialect: str) -> str | None:
    try:
        one_statement(text, client_of(dialect))
    except Unwritable as error:
        return str(error)
    return None


@pytest.mark.parametrize("dialect", _ALL)
@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the record has no statement"),
        (" \n\t", "the record has no statement"),
        ("CREATE TABLE t (x int) \x1b", "the statement holds characters that are not printable"),
        ("CREATE TABLE t (x int", "the statement has a parenthesis that is not closed"),
        ("CREATE TABLE t x int)", "the statement closes a parenthesis that is not open"),
        ("CREATE TABLE t )x int(", "the statement closes a parenthesis that is not open"),
        ("CREATE TABLE t (x int) '", "the statement has a ' that is not closed"),
        ('CREATE TABLE "t (x int)', 'the statement has a " that is not closed'),
        ("CREATE TABLE t (x int) /* end", "the statement has a comment that is not closed"),
        (
            "CREATE TABLE t (x int) /* a /* b */",
            "the statement has a comment in a comment: not all databases read it alike",
        ),
        (
            r"CREATE TABLE x (a int /* y /*/ default ' */ */ \! touch canary #')",
            "the statement has a comment in a comment: not all databases read it alike",
        ),
        ("CREATE TABLE t (x int) /*/ */", "the statement has a comment in a comment: not all databases read it alike"),
        ("DROP TABLE t; DROP TABLE u", "more than one statement"),
        ("DROP TABLE t; ;", "more than one statement"),
        ("DROP TABLE t /* a */; DROP TABLE u", "more than one statement"),
        ("SELECT 1", "the statement begins with SELECT: it may not be DDL"),
        ("-- a\nSELECT 1\nFROM t", "the statement begins with SELECT: it may not be DDL"),
        ("(DROP TABLE t)", None),
        ("1", "the statement begins with no word: it may not be DDL"),
        ("-- a comment", "the statement begins with no word: it may not be DDL"),
        (r"CREATE TABLE t (x char DEFAULT '\')", "a backslash before ': not all databases read it alike"),
        (r"CREATE TABLE t (x char DEFAULT '\\\' )", "a backslash before ': not all databases read it alike"),
        (r"CREATE TABLE t (x char DEFAULT 'a\b\\')", None),
        (r"'\' DROP TABLE t'", "a backslash before ': not all databases read it alike"),
        ("CREATE TABLE t (x char DEFAULT 'o''\t')", "a tab between ' and ': not all that shows a statement keeps it"),
        ("CREATE TABLE t (x char DEFAULT 'a\tb')", "a tab between ' and ': not all that shows a statement keeps it"),
        ("CREATE TABLE t (x char DEFAULT 'o''clock')", None),
        ("CREATE TABLE t (x char DEFAULT '''')", None),
        ("CREATE TABLE t (x char DEFAULT 'a;b')", None),
        ('CREATE TABLE "a;b" (x char)', None),
        ("/* */ DROP TABLE t", None),
        ("/* a */ DROP TABLE t /* b */", None),
        ("DROP", None),
        ("DROP TABLE t;", None),
        ("DROP TABLE t ; -- done", None),
        ("DROP TABLE t */", "the end of a comment that was not begun: not all databases read it alike"),
        ("CREATE TABLE t (x int DEFAULT 1e5$a$)", _JOINED),
        ("CREATE TABLE t (x int DEFAULT .5e$$)", _JOINED),
        ("CREATE TABLE t (x int DEFAULT 1e--'\n)", _JOINED),
        ("CREATE TABLE t (x int DEFAULT 1.E+'a')", _JOINED),
        ("CREATE TABLE t (x int DEFAULT 1q'[a]')", _JOINED),
        ("CREATE TABLE t (x int DEFAULT 1\N{SUPERSCRIPT TWO})", _JOINED),
        ("CREATE TABLE t (x int DEFAULT 1e5, y float DEFAULT 1.5e-3, z int DEFAULT 0x1F)", None),
        ("CREATE TABLE t (x int) STORAGE (INITIAL 64K NEXT 1M)", None),
        ("DROP TABLE t ; /* done */", None),
        ("DROP TABLE _t", None),
        ("DROP TABLE _delimiter", None),
    ],
)
def test_every_client(text: str, reason: str | None, dialect: str) -> None:
    assert _reason(text, dialect) == reason


_OUTSIDE = "a {} outside of quotes means something to {}, or may"


@pytest.mark.parametrize(
    ("character", "refusing"),
    [
        ("\\", _ALL),
        ("`", ("ORACLE", "POSTGRESQL", "ANSI")),
        ("$", ("MYSQL", "POSTGRESQL", "ANSI")),
        ("[", ("ORACLE", "MYSQL", "ANSI")),
        ("{", ("ORACLE", "ANSI")),
        ("?", ("ORACLE", "ANSI")),
        ("#", ("ANSI",)),
        ("@", ("ANSI",)),
        ("!", ("ANSI",)),
        ("+", ()),
        ("\N{MULTIPLICATION SIGN}", _ALL),
    ],
)
def test_characters_outside_of_quotes(character: str, refusing: tuple[str, ...]) -> None:
    for dialect in _ALL:
        text = f"CREATE TABLE t (x int DEFAULT 1 {character} 1 {character})"
        reason = _reason(text, dialect)
        if dialect in refusing:
            assert reason == _OUTSIDE.format(character, _NAMES[dialect])
        elif (dialect, character) == ("MYSQL", "`"):
            assert reason is None
        elif (dialect, character) == ("MYSQL", "#"):
            assert reason == "the statement has a parenthesis that is not closed"
        else:
            assert reason is None
        assert (
            _reason("COMMENT ON TABLE t IS '+'".replace("+", character if character != "\\" else "+"), dialect) is None
        )


@pytest.mark.parametrize(
    ("text", "refusing"),
    [
        ("CREATE VIEW v AS SELECT :x", ("POSTGRESQL", "ANSI")),
        ("CREATE VIEW v AS SELECT :'x'", ("POSTGRESQL", "ANSI")),
        ("CREATE VIEW v AS SELECT x::int", ()),
        ("CREATE VIEW v AS SELECT x : 1", ()),
        ("CREATE VIEW v AS SELECT x:::y", ("POSTGRESQL", "ANSI")),
    ],
)
def test_a_colon_is_a_variable_of_psql(text: str, refusing: tuple[str, ...]) -> None:
    for dialect in _ALL:
        expected = _OUTSIDE.format(":", _NAMES[dialect]) if dialect in refusing else None
        assert _reason(text, dialect) == expected


@pytest.mark.parametrize(
    ("text", "reasons"),
    [
        (
            "CREATE TABLE t (x int) --done",
            dict.fromkeys(("MYSQL", "ANSI"), "'--' without a blank after it is not a comment in all databases"),
        ),
        (
            "CREATE TABLE t (x int --\n)",
            dict.fromkeys(("ORACLE", "ANSI"), "{} may take the line 'CREATE TABLE t (x int --' for a command"),
        ),
        ("CREATE TABLE t (x int --\t)\n)", {}),
        (
            "DROP TABLE t --",
            dict.fromkeys(("ORACLE", "ANSI"), "{} may take the line 'DROP TABLE t --' for a command"),
        ),
        (
            "DROP TABLE delimiter",
            dict.fromkeys(("MYSQL", "ANSI"), "DELIMITER in the statement means something to {}"),
        ),
        ("DROP TRIGGER t", {"ANSI": "TRIGGER in the statement means something to {}"}),
        (
            "CREATE TABLE t (x char DEFAULT q'[a]')",
            dict.fromkeys(("ORACLE", "MYSQL", "ANSI"), "the statement has a quote of the kind q'…'"),
        ),
        (
            "CREATE TABLE t (x char DEFAULT nq'[a]')",
            dict.fromkeys(("ORACLE", "MYSQL", "ANSI"), "the statement has a quote of the kind nq'…'"),
        ),
        (
            "CREATE TABLE t (x char DEFAULT U'a')",
            dict.fromkeys(("ORACLE", "MYSQL", "ANSI"), "the statement has a quote of the kind u'…'"),
        ),
        (
            "CREATE TABLE t (x char DEFAULT E'a')",
            dict.fromkeys(("ORACLE", "MYSQL", "ANSI"), "the statement has a quote of the kind e'…'"),
        ),
        ("CREATE TABLE t (x char DEFAULT q 'a')", {}),
        (
            "CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT 1; END",
            {
                "MYSQL": "more than one statement",
                "POSTGRESQL": "more than one statement",
                "ANSI": "more than one statement",
            },
        ),
        (
            "ALTER FUNCTION f() BEGIN ATOMIC",
            dict.fromkeys(("POSTGRESQL", "ANSI"), "{} waits for the END of a BEGIN in a statement"),
        ),
        (
            "CREATE FUNCTION f",
            {"ANSI": "SQL*Plus may end this form of CREATE … FUNCTION at another place"},
        ),
        *(
            (
                f"{text} DROP TABLE t",
                dict.fromkeys(
                    ("ORACLE", "ANSI"),
                    "a comment at the beginning without a blank after /*: SQL*Plus takes it for the command /",
                ),
            )
            for text in ("/**/", "-- a\n/*a */")
        ),
        ("DROP TABLE t /*+ x */", dict.fromkeys(("MYSQL", "ANSI"), "'/*+' in the statement means something to {}")),
        (
            "COMMENT ON TABLE t IS 'a&b'",
            dict.fromkeys(("ORACLE", "ANSI"), "'&' in the statement means something to {}"),
        ),
        ("DROP TABLE t /*! x */", dict.fromkeys(("MYSQL", "ANSI"), "'/*!' in the statement means something to {}")),
        ("DROP TABLE t /*m! x */", dict.fromkeys(("MYSQL", "ANSI"), "'/*m!' in the statement means something to {}")),
    ],
)
def test_what_some_clients_refuse(text: str, reasons: dict[str, str]) -> None:
    for dialect in _ALL:
        expected = reasons.get(dialect)
        assert _reason(text, dialect) == (expected.format(_NAMES[dialect]) if expected else None)


_LINE = "{} may take the line {!r} for a command"


@pytest.mark.parametrize(
    ("line", "refusing"),
    [
        ("/", _ALL),
        (" . ", _ALL),
        ("go", _ALL),
        ("!ls", _ALL),
        ("@run", _ALL),
        ("HOST x", ("ORACLE", "ANSI")),
        ("ho x", ("ORACLE", "ANSI")),
        ("hot x", ()),
        ("run", ("ANSI",)),
        ("#x", ("ORACLE", "ANSI")),
        ("$x", ("ORACLE", "ANSI")),
        (".x", ("ANSI",)),
        (":x", ("ANSI",)),
        ("/ x", ("ANSI",)),
        ("/* x", ()),
        ("x -", ("ORACLE", "ANSI")),
        ("source x", ("MYSQL", "ANSI")),
        ("SYSTEM x", ("MYSQL", "ANSI")),
        ("sources x", ()),
        *(
            (f"{word} x", ("MYSQL", "ANSI"))
            for word in ("tee", "pager", "edit", "connect", "quit", "exit", "ego", "use", "charset", "prompt", "help")
        ),
        ("? x", ("MYSQL", "ANSI")),
        *((word, ("MYSQL", "ANSI")) for word in ("clear", "nopager", "notee", "nowarning", "print", "rehash")),
        *((word, ("MYSQL", "ANSI")) for word in ("resetconnection", "sandbox", "status", "warnings")),
        ("status x", ()),
    ],
)
def test_lines_that_a_client_takes_for_a_command_even_in_quotes(line: str, refusing: tuple[str, ...]) -> None:
    text = f"COMMENT ON TABLE t IS 'a\n{line}\nb'"
    for dialect in _ALL:
        expected = _LINE.format(_NAMES[dialect], line.strip()) if dialect in refusing else None
        assert _reason(text, dialect) == expected


def test_only_the_beginning_of_a_long_line_is_told() -> None:
    reason = _reason("COMMENT ON TABLE t IS 'a\n!" + "x" * 60 + "'", "ANSI")
    assert reason == _LINE.format("a client that is not known", "!" + "x" * 39)
    reason = _reason("COMMENT ON TABLE t IS 'a\n" + "x" * 60 + ";\n'", "ORACLE")
    assert reason == f"the line {'x' * 40!r} would end the statement in SQL*Plus"


def test_sql_plus_ends_a_statement_at_a_semicolon_or_a_blank_line() -> None:
    assert (
        _reason("DROP TABLE t -- a; \n-- b", "ORACLE")
        == "the line 'DROP TABLE t -- a;' would end the statement in SQL*Plus"
    )
    blank = "a blank line in a quote or a comment: SQL*Plus may end the statement there"
    assert _reason("COMMENT ON TABLE t IS 'a\n\nb'", "ORACLE") == blank
    assert _reason("DROP TABLE t /* a\n \t\nb */", "ORACLE") == blank
    assert _reason("COMMENT ON TABLE t IS 'a\nb'", "ORACLE") is None
    assert _reason("COMMENT ON TABLE t IS 'a\n\nb'", "POSTGRESQL") is None
    assert _reason("CREATE PROCEDURE p AS /* a\n\nb */ BEGIN NULL; END;", "ORACLE") is None


@pytest.mark.parametrize("kind", ["PROCEDURE", "FUNCTION", "PACKAGE", "TRIGGER", "TYPE", "LIBRARY", "JAVA"])
def test_a_unit_that_is_not_written_as_usual_has_no_sure_end_in_sql_plus(kind: str) -> None:
    reason = f"SQL*Plus may end this form of CREATE … {kind} at another place"
    for between in ("EDITIONABLE", "OR REPLACE NONEDITIONABLE", "AND RESOLVE", "AND COMPILE", "FORCE", "/* */"):
        assert _reason(f"CREATE {between} {kind} p", "ORACLE") == reason
    assert _reason(f"DROP {kind} p", "ORACLE") is None
    assert _reason(f"CREATE TABLE {kind} (x int)", "ORACLE") is None


@pytest.mark.parametrize(
    ("text", "dialect", "sql", "ending"),
    [
        (" DROP TABLE t ;\n", "ANSI", "DROP TABLE t", "\n;"),
        ("DROP TABLE t; -- done", "MYSQL", "DROP TABLE t", "\n;"),
        ("DROP TABLE t -- done", "POSTGRESQL", "DROP TABLE t -- done", "\n;"),
        ("CREATE\tTABLE t\r\n(x int)", "ANSI", "CREATE TABLE t\n(x int)", "\n;"),
        ("CREATE TABLE t\n \n\n(x int)", "ORACLE", "CREATE TABLE t\n(x int)", "\n;"),
        ("COMMENT ON TABLE t\nIS 'a'\n\n-- b", "ORACLE", "COMMENT ON TABLE t\nIS 'a'\n-- b", "\n;"),
        ("CREATE TABLE t\n\n(x int)", "ANSI", "CREATE TABLE t\n(x int)", "\n;"),
        ("CREATE TABLE t$x (a#b int)", "ORACLE", "CREATE TABLE t$x (a#b int)", "\n;"),
        ("CREATE TABLE t (x int) # it's", "MYSQL", "CREATE TABLE t (x int) # it's", "\n;"),
        ("CREATE TABLE t (x char DEFAULT E'a')", "POSTGRESQL", "CREATE TABLE t (x char DEFAULT E'a')", "\n;"),
        (
            "create or replace package p as\nx int;\n\nend;",
            "ORACLE",
            "create or replace package p as\nx int;\n\nend;",
            "\n/",
        ),
        ("CREATE\tFUNCTION f AS BEGIN NULL; END;", "ORACLE", "CREATE FUNCTION f AS BEGIN NULL; END;", "\n/"),
    ],
)
def test_what_is_printed(text: str, dialect: str, sql: str, ending: str) -> None:
    assert one_statement(text, client_of(dialect)) == (sql, ending)


@pytest.mark.parametrize(
    "verb",
    [
        "ALTER",
        "ANALYZE",
        "AUDIT",
        "COMMENT",
        "CREATE",
        "DROP",
        "FLASHBACK",
        "GRANT",
        "NOAUDIT",
        "PURGE",
        "RENAME",
        "REVOKE",
        "TRUNCATE",
    ],
)
def test_what_ddl_begins_with(verb: str) -> None:
    assert _reason(f"{verb} x", "ANSI") is None
    assert _reason(f"{verb.lower()} x", "ORACLE") is None
