from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailformat import CannotWrite, parse_ddl
from trailformat.ddl import build_ddl, split_comments

KEYS = st.from_regex(r"[A-Z][0-9]{1,3}", fullmatch=True).filter(str.isascii)
VALUES = st.text(st.characters(codec="utf-8"), max_size=30)


@given(st.lists(st.tuples(KEYS, VALUES), max_size=6))
def test_pairs_come_back_as_they_were(pairs: list[tuple[str, str]]) -> None:
    assert parse_ddl(build_ddl(pairs)) == pairs


def test_pairs_are_separated_by_two_commas() -> None:
    assert build_ddl([("B5", "TABLE"), ("B6", "CREATE")]) == b",B5='TABLE',,B6='CREATE',"


def test_the_beginning_of_the_mysql_transcript() -> None:
    data = b",C5='000:010444',,B7='',,B2='0',,B3='test',"
    assert parse_ddl(data) == [("C5", "000:010444"), ("B7", ""), ("B2", "0"), ("B3", "test")]


def test_a_quote_in_a_value_is_doubled() -> None:
    assert build_ddl([("C1", "default 'n/a'")]) == b",C1='default ''n/a''',"
    assert parse_ddl(b",C1='default ''n/a''',") == [("C1", "default 'n/a'")]


def test_a_comma_and_an_equals_sign_in_a_value_end_nothing() -> None:
    assert parse_ddl(b",C1='a,B3=b',,B3='x',") == [("C1", "a,B3=b"), ("B3", "x")]


def test_the_last_value_may_stand_without_quotes() -> None:
    assert parse_ddl(b",B6='DROP',,C1=drop table teas") == [("B6", "DROP"), ("C1", "drop table teas")]


def test_nuls_behind_the_text_are_not_part_of_it() -> None:
    assert parse_ddl(b",B6='DROP',\0\0") == [("B6", "DROP")]


@pytest.mark.parametrize("text", ["no pairs at all", "B5='TABLE',?"])
def test_what_is_no_pair_comes_last_under_an_empty_id(text: str) -> None:
    *_, last = parse_ddl(text.encode())
    assert last[0] == ""


def test_bytes_that_are_no_utf_8_are_escaped() -> None:
    assert parse_ddl(b",B4='caf\xe9',") == [("B4", "caf\\xe9")]


def test_no_data_has_no_pairs() -> None:
    assert parse_ddl(b"") == []


@pytest.mark.parametrize(
    "text",
    [b",C1='" + b"x" * 1_000_000, b",C1='" + b"''" * 500_000, b",C1='x'," * 100_000],
    ids=["open", "quotes", "pairs"],
)
def test_a_megabyte_takes_no_more_than_a_moment(text: bytes) -> None:
    begin = time.perf_counter()
    parse_ddl(text)
    assert time.perf_counter() - begin < 5


@given(st.binary(max_size=60))
def test_any_bytes_have_some_reading(data: bytes) -> None:
    parse_ddl(data)


def test_text_that_is_no_text_cannot_be_written() -> None:
    with pytest.raises(CannotWrite):
        build_ddl([("C1", "\ud800")])


@pytest.mark.parametrize(
    ("statement", "bare", "comments"),
    [
        ("drop table t", "drop table t", []),
        ("drop /* all */ table t", "drop   table t", ["/* all */"]),
        ("drop table t -- gone\n", "drop table t", ["-- gone"]),
        ("/* a\nb */ drop table t /* c */", "drop table t", ["/* a\nb */", "/* c */"]),
        ("comment on t is '/* no */ -- comment'", "comment on t is '/* no */ -- comment'", []),
        ("""create table "a--b" (c int)""", """create table "a--b" (c int)""", []),
        ("select 'it''s' /* x */ from t", "select 'it''s'   from t", ["/* x */"]),
        ("drop table t /* unclosed", "drop table t", ["/* unclosed"]),
        ("", "", []),
    ],
)
def test_comments_stand_apart(statement: str, bare: str, comments: list[str]) -> None:
    assert split_comments(statement) == (bare, comments)
