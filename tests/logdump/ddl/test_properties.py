"""What holds of any parameter file and any statement."""

from __future__ import annotations

import re
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.features.ddl import evaluation
from logdump.features.ddl.mapping import MAP, takers_of
from logdump.features.ddl.model import DdlEvaluated, Outcome
from logdump.features.ddl.statement import subject_of
from logdump.notation.sql_tokens import MYSQL, STANDARD, SqlTokenizer, SqlTokenKind, meaningful
from logdump.parameters.names import ObjectName
from logdump.parameters.tree import ParameterFile
from tests.logdump.ddl.files import evaluated, parameter_file
from tests.searching import examples

OPTIONS = (
    "MAPPED",
    "UNMAPPED",
    "OTHER",
    "OPTYPE CREATE",
    "OPTYPE DROP",
    "OBJTYPE 'TABLE'",
    "OBJTYPE 'INDEX'",
    "OBJNAME hr.*",
    "OBJNAME fin.a?",
    "INSTR 'old'",
    "INSTRWORDS 'table old'",
    "INSTRCOMMENTS 'old'",
)
STATEMENTS = (
    "create table hr.a1 (old int) /* old */",
    "drop table fin.a1 -- old",
    "create unique index hr.i on fin.a2 (x)",
    "alter table hr.a2 rename to fin",
    "create role old",
    "drop index hr.i",
)
CLAUSE = st.lists(st.sampled_from(OPTIONS), min_size=1, max_size=3, unique=True).map(" ".join)
CLAUSES = st.lists(CLAUSE, min_size=1, max_size=4)
STATEMENT = st.sampled_from(STATEMENTS)
ANY_SQL = st.text(alphabet="abAB01 _.,;()'\"`$-*/\\\n[q]#!", max_size=60) | st.text(max_size=60)


def file_of(*lines: str) -> ParameterFile:
    with tempfile.TemporaryDirectory() as folder:
        return parameter_file(Path(folder), "REPLICAT r", "MAP hr.*, TARGET hr2.*;", *lines)


def file_of_excluding(*lines: str) -> ParameterFile:
    with tempfile.TemporaryDirectory() as folder:
        return parameter_file(Path(folder), "REPLICAT r", *lines, "MAP hr.*, TARGET hr2.*;")


def the_result(statement: str, *lines: str) -> DdlEvaluated:
    (result,) = evaluated(statement, file_of(*lines))
    return result


@settings(max_examples=examples(50))
@given(CLAUSES, st.lists(CLAUSE, max_size=2), CLAUSE, STATEMENT)
def test_another_exclude_never_includes_more(
    includes: list[str], excludes: list[str], another: str, statement: str
) -> None:
    clauses = [f"INCLUDE {pattern}" for pattern in includes] + [f"EXCLUDE {pattern}" for pattern in excludes]
    before = the_result(statement, f"DDL {', '.join(clauses)}")
    after = the_result(statement, f"DDL {', '.join([*clauses, f'EXCLUDE {another}'])}")
    assert not (before.outcome is Outcome.LEFT_OUT and after.outcome is Outcome.APPLIED)


@settings(max_examples=examples(50))
@given(CLAUSES, st.randoms(use_true_random=False), STATEMENT)
def test_the_order_of_clauses_never_matters(includes: list[str], random: object, statement: str) -> None:
    clauses = [f"INCLUDE {pattern}" for pattern in includes] + ["EXCLUDE OBJTYPE 'INDEX'"]
    shuffled = list(clauses)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    outcomes = {the_result(statement, f"DDL {' '.join(some_clauses)}").outcome for some_clauses in (clauses, shuffled)}
    assert len(outcomes) == 1


@settings(max_examples=examples(40))
@given(
    st.sampled_from(["/* {} */", "-- {}\n", "/*{}", "--{}"]), st.sampled_from(["old", "Old 'x'", 'old "y"', "old /*"])
)
def test_ddlsubst_finds_nothing_in_comments_that_are_removed_before(comment: str, text: str) -> None:
    statement = "drop table hr.t " + comment.format(text)
    result = the_result(statement, "DDLOPTIONS REMOVECOMMENTS BEFORE", "DDLSUBST 'old' WITH 'new'")
    assert result.statement == "drop table hr2.t"


@settings(max_examples=examples(40))
@given(STATEMENT, st.sampled_from(["", "DDLOPTIONS REMOVECOMMENTS AFTER", "DDLOPTIONS NOMAPDERIVED"]))
def test_with_an_identical_map_the_result_gives_itself(statement: str, option: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = parameter_file(Path(folder), "REPLICAT r", "MAP *.*, TARGET *.*;", option)
    (first,) = evaluated(statement, file)
    assert first.statement is not None
    (second,) = evaluated(first.statement, file)
    assert second.statement == first.statement
    assert second.base_target == first.base_target


@pytest.mark.parametrize("sql", [STANDARD, MYSQL], ids=["standard", "mysql"])
@settings(max_examples=examples(80))
@given(text=ANY_SQL)
def test_the_tokens_of_any_text_are_the_text_and_its_comments_among_them(sql: SqlTokenizer, text: str) -> None:
    tokens = list(sql.tokens_of(text))
    assert "".join(token.text for token in tokens) == text
    if not any(token.text.startswith("/*!") for token in tokens):
        assert sql.split_comments(text)[1] == [token.text for token in tokens if token.kind is SqlTokenKind.COMMENT]


@pytest.mark.parametrize("sql", [STANDARD, MYSQL], ids=["standard", "mysql"])
@settings(max_examples=examples(80))
@given(text=ANY_SQL)
def test_the_names_of_a_schema_are_the_runs_of_words_that_begin_with_it(sql: SqlTokenizer, text: str) -> None:
    tokens = list(meaningful(sql.tokens_of(text)))
    letters = {SqlTokenKind.WORD: "n", SqlTokenKind.NAME: "n"}
    kinds = "".join("." if token.text == "." else letters.get(token.kind, "x") for token in tokens)
    runs = [tokens[found.start() : found.end()] for found in re.finditer(r"n(?:\.n)*", kinds)]
    of_schema = [run[:7] for run in runs if len(run) > 1 and run[0].plain in ("a", "A")]
    names = dict.fromkeys("".join(token.text for token in run) for run in of_schema)
    assert list(dict.fromkeys(sql.names_of(text, "a"))) == list(names)


@settings(max_examples=examples(80))
@given(
    st.sampled_from(["", "create table ", "alter table t ", "rename ", "grant x on ", "comment on column "]), ANY_SQL
)
def test_no_statement_is_refused(head: str, text: str) -> None:
    subject = subject_of(head + text, {"B3": "HR", "B5": "TABLE"})
    assert subject.size == len(head + text)
    results = evaluated(head + text, file_of("DDL INCLUDE MAPPED EXCLUDE OBJNAME fin.*"))
    assert results
    assert all(result.title for result in results)


def test_of_two_exclusions_the_first_is_named() -> None:
    lines = "MAPEXCLUDE hr.a*", "MAPEXCLUDE hr.a1"
    file = file_of_excluding(*lines)
    takers = takers_of(ObjectName("a1", "hr"), file, MAP)
    assert takers.matching == ()
    assert takers.excluded is not None
    assert (takers.excluded.line, takers.excluded.text) == (2, "MAPEXCLUDE hr.a*")


def test_after_a_substitution_that_grows_too_much_no_other_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evaluation, "MOST_CHARACTERS", 60)
    statement = "create table hr.a1 (old int)"
    grows, other = f"DDLSUBST 'old' WITH '{'x' * 60}'", "DDLSUBST 'int' WITH 'number'"
    result = the_result(statement, grows, other)
    assert (result.outcome, result.rule and result.rule.text) == (Outcome.UNKNOWN, grows)
    assert result.steps[-1].result.endswith(": the statement grows beyond 8 MB")
