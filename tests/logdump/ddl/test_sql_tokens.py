"""The tokens, comments and names of SQL statements of different databases."""

from __future__ import annotations

import pytest

from logdump.notation.sql_tokens import MYSQL, STANDARD, SqlTokenizer, tokenizer_of


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
        ("drop table `a--b` # gone", "drop table `a--b`", ["# gone"]),
        ("select q'[ -- ' no ]', $x$ /* no $$ */ $x$ -- x", "select q'[ -- ' no ]', $x$ /* no $$ */ $x$", ["-- x"]),
        ("", "", []),
    ],
)
def test_comments_stand_apart(statement: str, bare: str, comments: list[str]) -> None:
    assert tokenizer_of(statement).split_comments(statement) == (bare, comments)


@pytest.mark.parametrize("sql", [STANDARD, MYSQL], ids=["standard", "mysql"])
@pytest.mark.parametrize("piece", ["q'", "q'[", "e'\\", "$a$", "$", "/*!", "'", "#", "hr.", "hr/**/", "`"])
def test_what_begins_again_and_again_is_read_to_its_end(sql: SqlTokenizer, piece: str) -> None:
    text = piece * 3000
    assert "".join(one.text for one in sql.tokens_of(text)) == text
    assert all(one in text for one in sql.split_comments(text)[1])
    assert all(name.startswith("hr.") for name in sql.names_of(text, "hr"))
