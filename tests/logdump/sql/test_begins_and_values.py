"""What is a statement for the verb ``sql``, and how values without a type of their own are shown."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from fixtures import TRAILS
from logdump import read
from logdump.features.sql.statement import QUERY_WORDS, begins_statement
from logdump.session.errors import ExitStatus
from logdump.tables.errors import BadTrail
from tests.logdump.program import logdump
from tests.logdump.tables.test_values import PRICE, definition, price
from tests.searching import Random
from tests.trailformat.samples import trail_of

SHOP = str(TRAILS / "et000000000")
BEFORE = ("", "(", "((", " ", "-- a comment\n", "/* a comment */", "/* a */ -- b\n (", "\n\t")


@pytest.mark.parametrize("before", BEFORE)
def test_a_query_begins_a_statement_whatever_is_before_it(before: str) -> None:
    for word in QUERY_WORDS:
        for text in (word, word.lower(), f"{word} x", f"{word}\nx", f"{word}/**/x", f"{word}(1)"):
            assert begins_statement(before + text), text


@pytest.mark.parametrize("word", ["OVER", "EFFECTIVE", "MODE", "MEMORY"])
def test_words_about_a_query_begin_one_but_alone_may_be_a_file(word: str) -> None:
    for text in (f"{word} x", f"{word.lower()} dirdat/lt* SELECT 1", f"-- c\n{word} 1 SELECT"):
        assert begins_statement(text)
    assert not begins_statement(word)


@pytest.mark.parametrize(
    "name",
    [
        "",
        "dirdat/lt",
        "selected",
        "/tmp/SELECT",
        "values.gz",
        "with-dash",
        "-",
        "'SELECT'",
        '"FROM"',
        "1",
        "* FROM",
        "--",
    ],
)
def test_names_of_files_begin_none(name: str) -> None:
    assert not begins_statement(name)


@pytest.mark.parametrize(
    "statement",
    [
        "MODE PERMISSIVE SELECT count(*) AS n FROM records",
        "effective mode permissive select count(*) n from records",
        "MEMORY 100 SELECT count(*) AS n FROM records",
        "-- how many?\nSELECT count(*) AS n FROM records",
        "/* how many? */ FROM records SELECT count(*) AS n",
        "WITH r AS (FROM records) SELECT count(*) AS n FROM r",
        "(SELECT count(*) AS n FROM records)",
        "VALUES (22)",
        "OVER {path} SELECT count(*) AS n FROM records",
    ],
)
def test_each_statement_takes_formats_and_files(statement: str, tmp_path: Path) -> None:
    files = [] if "{path}" in statement else [SHOP]
    text = statement.format(path=SHOP)
    for words in ([text, *files], [*files, text]):
        assert logdump("sql", *words, "--format", "csv").out.split("\n")[1] == "22"
        assert [*json.loads(logdump("sql", *words, "--format", "jsonl").out)["values"].values()] == [22]
        target = tmp_path / "rows.jsonl"
        assert logdump("sql", *words, "-o", str(target), "--replace").status == 0
        assert [*json.loads(target.read_text()).values()] == [22]


def test_a_value_that_does_not_decode_names_what_sql_takes(tmp_path: Path) -> None:
    path = trail_of(tmp_path, definition(PRICE), price(bytes(8)), price(b"\0"))
    refused = logdump("sql", 'SELECT after_PRICE FROM "TEA.LEAVES"', str(path), "--format", "csv")
    assert refused.status == ExitStatus.BAD_DATA
    assert "with mode PERMISSIVE it is null" in refused.err
    assert "option" not in refused.err
    taken = logdump("sql", 'MODE PERMISSIVE SELECT after_PRICE FROM "TEA.LEAVES"', str(path), "--format", "csv")
    assert (taken.status, taken.out) == (0, '"after_PRICE"\n0\n\n')


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({}, "with mode PERMISSIVE it is null"),
        ({"undecodable": "fail"}, "with option undecodable null it is null"),
        ({"mode": "PERMISSIVE", "undecodable": "fail"}, "with option undecodable null it is null"),
    ],
)
def test_the_error_about_such_a_value_names_the_option_that_decides(
    options: dict[str, str], remedy: str, tmp_path: Path
) -> None:
    path = trail_of(tmp_path, definition(PRICE), price(bytes(8)), price(b"\0"))
    with pytest.raises(BadTrail, match=f"{remedy}, and column problems says why$"):
        read(path, table="TEA.LEAVES", **options).to_arrow()


def _intervals() -> list[str]:
    random = Random(5)
    fixed = [
        "0 days",
        "1 month",
        "-1 month",
        "13 months",
        "-25 months",
        "1 day",
        "-1 day",
        "1 second",
        "-1 microsecond",
    ]
    drawn = [
        (random.randrange(-40, 40), random.choice((0, 1, -1, 400)), random.randrange(-(10**12), 10**12))
        for _ in range(40)
    ]
    texts = [f"{months} months {days} days {size} microseconds" for months, days, size in drawn]
    return [*fixed, *texts, "100 hours", "1 year 59.5 seconds"]


def test_intervals_are_shown_as_duckdb_shows_them() -> None:
    """In CSV, in JSON, in the table and inside of lists."""
    texts = _intervals()
    rows = ", ".join(f"(INTERVAL '{text}')" for text in texts)
    statement = f"SELECT i, i::VARCHAR AS t, [i] AS l FROM (VALUES {rows}) v(i)"
    csv = logdump("sql", statement, SHOP, "--format", "csv").out.splitlines()[1:]
    for line in csv:
        shown, expected, listed = line.strip('"').split('","')
        assert (shown, listed) == (expected, f'[""{expected}""]')
    lines = [
        json.loads(line)["values"] for line in logdump("sql", statement, SHOP, "--format", "jsonl").out.splitlines()
    ]
    assert len(lines) == len(csv) == len(texts)
    assert all(values["i"] == values["t"] and values["l"] == [values["t"]] for values in lines)
    assert logdump("sql", f"{statement} LIMIT 1", SHOP).out.splitlines()[2].split("  ")[0] == lines[0]["t"]


def test_intervals_are_texts_in_a_parquet_file(tmp_path: Path) -> None:
    target = tmp_path / "x.parquet"
    statement = (
        "SELECT INTERVAL '26 hours' AS i, [INTERVAL '1 day', NULL] AS l, {'a': INTERVAL '1 month', 'b': 2} AS s, "
        "MAP {'k': INTERVAL '1 year'} AS m, 1 AS n, NULL::INTERVAL AS e"
    )
    assert logdump("sql", statement, SHOP, "-o", str(target)).status == 0
    [row] = pq.read_table(target).to_pylist()
    assert row == {
        "i": "26:00:00",
        "l": ["1 day", None],
        "s": {"a": "1 month", "b": 2},
        "m": [("k", "1 year")],
        "n": 1,
        "e": None,
    }
