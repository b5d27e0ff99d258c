"""Of rules that both hold the first wins, or the last where that is the rule; and what steps say that decide nothing.

The lists whose order shows in the verdict are in decisions.txt.
Every case of decisions.txt, which was written by hand, is decided as it stands there.
The tokens, comments and names of SQL statements of different databases.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import permutations
from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.features.ddl.model import DdlEvaluated
from logdump.features.parameters.command import coverage
from logdump.notation.sql_tokens import MYSQL, STANDARD, SqlTokenizer, tokenizer_of
from logdump.parameters.in_use import ParametersInUse
from logdump.parameters.model import ProcessSide
from logdump.parameters.reading import read_parameters
from tests.logdump.ddl.files import evaluated, in_use, parameter_file

SCOPES = {"M": "MAPPED", "U": "UNMAPPED", "O": "OTHER", "-": None}
SAME, NONE = "=", "!"
RESULT = re.compile(r"< (?P<outcome>\w+) (?P<step>\d+) (?P<line>\S+) (?P<scope>[MUO-]) (?P<text>=|!|: .*)")
SETTING = re.compile(r"\[(\w+)=([^]]*)\] ")


class Case(NamedTuple):
    title: str
    parameters: tuple[str, ...]
    statement: str
    settings: dict[str, str]
    results: tuple[str, ...]


def cases() -> Iterator[Case]:
    text = Path(__file__).with_name("decisions.txt").read_text(encoding="utf-8")
    for block in text.split("\n\n")[3:]:
        title, *lines = block.strip("\n").split("\n")
        parameters = tuple(line for line in lines if not line.startswith((">", "<")))
        asked = re.findall(r"^> (.*)\n((?:< .*\n?)+)", "\n".join(lines), re.MULTILINE)
        assert sum(len(results.splitlines()) + 1 for _, results in asked) + len(parameters) == len(lines), title
        for statement, results in asked:
            settings = dict(SETTING.findall(statement))
            yield Case(title, parameters, SETTING.sub("", statement), settings, tuple(results.splitlines()))


def told(result: DdlEvaluated, statement: str) -> str:
    line = "-" if result.rule is None else str(result.rule.line)
    scope = next(letter for letter, word in SCOPES.items() if word == result.scope)
    text = NONE if result.statement is None else SAME if result.statement == statement else f": {result.statement}"
    return f"< {result.outcome.value} {result.step} {line} {scope} {text}"


CASES = list(cases())


def test_there_are_some_two_hundred_cases() -> None:
    assert len(CASES) > 200
    assert all(RESULT.fullmatch(result) for case in CASES for result in case.results)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.title[2:30]}: {case.statement[:60]}" for case in CASES])
def test_a_statement_is_decided_as_the_pages_have_it(case: Case, tmp_path: Path) -> None:
    file = parameter_file(tmp_path, *case.parameters)
    items = {key: value for key, value in case.settings.items() if key.isupper()}
    settings = {key: value for key, value in case.settings.items() if not key.isupper()}
    results = evaluated(case.statement, file, items=items, **settings)
    assert tuple(told(evaluation, case.statement) for evaluation in results) == case.results


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
    assert "".join(token.text for token in sql.tokens_of(text)) == text
    assert all(comment in text for comment in sql.split_comments(text)[1])
    assert all(name.startswith("hr.") for name in sql.names_of(text, "hr"))


EXCLUSIONS = ("MAPEXCLUDE hr.t", "SCHEMAEXCLUDE hr", "CATALOGEXCLUDE pdb", "MAPEXCLUDE hr.*")
SCHEMAS = ("hr TARGET a", "h* TARGET b", "* TARGET c")


@pytest.mark.parametrize("pair", list(permutations(EXCLUSIONS, 2)), ids=" | ".join)
def test_of_two_exclusions_the_first_is_named(pair: tuple[str, str], tmp_path: Path) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", "MAP pdb.*.*, TARGET a.*;", *pair)
    (shown,) = coverage({"pdb.hr.t": 1}, in_use(file))
    assert shown.excluded is not None
    assert shown.excluded.text == pair[0]


def test_an_exclusion_of_globals_goes_before_those_of_the_file(tmp_path: Path) -> None:
    path = tmp_path / "GLOBALS"
    path.write_text("MAPEXCLUDE hr.*\n")
    file = parameter_file(tmp_path, "REPLICAT r", "MAPEXCLUDE hr.t", "MAP hr.*, TARGET a.*;")
    both = ParametersInUse(replicat=file, globals=read_parameters(path, ProcessSide.GLOBALS))
    (shown,) = coverage({"hr.t": 1}, both)
    assert shown.excluded is not None
    assert shown.excluded.path == path


@pytest.mark.parametrize("pair", list(permutations(SCHEMAS, 2)), ids=" | ".join)
def test_of_two_mapsessionschema_the_first_that_fits_holds(pair: tuple[str, str], tmp_path: Path) -> None:
    lines = [f"DDLOPTIONS MAPSESSIONSCHEMA {mapping}" for mapping in pair]
    file = parameter_file(tmp_path, "REPLICAT r", *lines, "MAP hr.*, TARGET z.*;")
    (result,) = evaluated("drop table hr.t", file)
    assert result.session_schema == pair[0][-1]


@pytest.mark.parametrize(
    "lines", list(permutations(["MAP hr.*, TARGET a.*;", "MAP h?.t, TARGET a.t;", "MAP *.*, TARGET a.*;"]))
)
def test_of_maps_with_one_target_the_first_is_the_rule(lines: tuple[str, ...], tmp_path: Path) -> None:
    (result,) = evaluated("drop table hr.t", parameter_file(tmp_path, "REPLICAT r", *lines))
    (step,) = [found_step for found_step in result.steps if found_step.number == 5]
    assert step.rule is not None
    assert step.rule.line == 2


@pytest.mark.parametrize("lines", list(permutations(["TABLE hr.b;", "TABLE hr.a;"])))
def test_the_new_name_of_a_rename_is_looked_for_before_the_old_one(lines: tuple[str, ...], tmp_path: Path) -> None:
    file = parameter_file(tmp_path, "EXTRACT e", "USERIDALIAS x", "DDL INCLUDE MAPPED", *lines)
    (result,) = evaluated("alter table hr.a rename to b", file)
    (step,) = [found_step for found_step in result.steps if found_step.number == 9]
    assert step.rule is not None
    assert step.rule.text == "TABLE hr.b"


def test_ignoremapping_is_told_before_the_kind_of_the_statement(tmp_path: Path) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", "DDLOPTIONS IGNOREMAPPING", "MAP hr.*, TARGET a.*;")
    (result,) = evaluated("create role r", file)
    assert [step.result for step in result.steps if step.number == 4] == ["OTHER: IGNOREMAPPING (line 2)"]


@pytest.mark.parametrize(
    ("statement", "run"),
    [
        ("rename a to b", "ALTER TABLE hr2.a RENAME to b"),
        ("rename /* a */ a to b", "ALTER TABLE hr2.a RENAME to b"),
        ("rename table hr.a to hr.b", "rename table hr2.a to hr2.b"),
        ("alter table hr.a rename to b", "alter table hr2.a rename to b"),
    ],
)
def test_a_replicat_runs_no_rename_with_a_schema(statement: str, run: str, tmp_path: Path) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", "DDL INCLUDE ALL", "MAP hr.*, TARGET hr2.*;")
    (result,) = evaluated(statement, file, owner="hr")
    assert result.statement == run


@pytest.mark.parametrize("lines", [("EXTRACT e", "USERIDALIAS x", "DDL"), ("REPLICAT r",)])
@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("drop table hr.t", "comments: none"),
        ("drop /* one */ table hr.t -- two", "comments: 2"),
        ("comment on table hr.t is '/* none */ -- here'", "comments: none"),
    ],
)
def test_comments_are_separated_in_the_second_step(
    lines: tuple[str, ...], statement: str, told: str, tmp_path: Path
) -> None:
    (result,) = evaluated(statement, parameter_file(tmp_path, *lines))
    assert [step.result for step in result.steps if step.number == 2] == [told]


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("rename hr.a to b", "RENAME: flagged"),
        ("alter table hr.a rename to b", "RENAME: flagged"),
        ("alter table hr.a rename column b to c", "no RENAME"),
        ('drop table hr."rename"', "no RENAME"),
    ],
)
def test_a_rename_is_flagged_in_the_fifth_step_of_extract(statement: str, told: str, tmp_path: Path) -> None:
    (result,) = evaluated(statement, parameter_file(tmp_path, "EXTRACT e", "USERIDALIAS x", "DDL"))
    assert [step.result for step in result.steps if step.number == 5] == [told]


@pytest.mark.parametrize("items", [{"B6": "DROP"}, {"B5": "VIEW"}, {"B6": "DROP", "B5": "VIEW"}])
def test_a_record_that_contradicts_operation_or_type_is_believed_and_its_names_are_replaced(
    items: dict[str, str], tmp_path: Path
) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", "MAP hr.*, TARGET hr2.*;")
    (result,) = evaluated("create table hr.t (a int)", file, items={"B3": "HR", "B4": "T", **items})
    assert (result.operation, result.object_type) == (items.get("B6", "CREATE"), items.get("B5", "TABLE"))
    assert result.statement == "create table hr2.T (a int)"
    said = [
        f"the record says {items[key]}, the text {text}"
        for key, text in (("B6", "CREATE"), ("B5", "TABLE"))
        if key in items
    ]
    assert list(result.problems) == said


def test_a_record_that_names_another_object_is_believed_and_no_name_is_replaced(tmp_path: Path) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", "MAP hr.*, TARGET hr2.*;")
    (result,) = evaluated("drop table hr.t", file, items={"B3": "HR", "B4": "U", "B5": "TABLE", "B6": "DROP"})
    assert (result.base, result.statement) == ("HR.U", "drop table hr.t")
    assert "the record says HR.U, the text hr.t" in result.problems
