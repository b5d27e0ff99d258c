"""DDL where there are several of a kind: statements, clauses, targets, trails, names; and each outcome by itself."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from logdump.features.ddl.command import DdlOptions, Evaluating
from logdump.features.ddl.model import DdlCounted, DdlEvaluated, Outcome
from logdump.features.ddl.statement import subject_of
from logdump.features.explain.model import Explained
from logdump.parameters.model import ProcessSide
from logdump.session.errors import ExitStatus
from logdump.session.events import Notice
from tests.logdump.ddl.files import evaluated, in_use, parameter_file
from tests.logdump.ddl.test_fate import Step, written_trail
from tests.logdump.line import Line

MAPPED = ("REPLICAT r", "DDL INCLUDE MAPPED", "MAP teahouse.*, TARGET tea2.*;")


def _shown(line: Line) -> list[DdlEvaluated]:
    return [event for event in line.events if isinstance(event, DdlEvaluated)]


def _positions(line: Line) -> list[tuple[Path | None, int | None]]:
    return [(event.path, event.rba) for event in _shown(line)]


@pytest.mark.parametrize("count", ["", "1", "2", "3", "4", "6", "7", "9", "all"])
def test_the_count_is_that_of_all_files(count: str, line: Line, tmp_path: Path) -> None:
    """Three files with two, one and three statements; without a count DDL takes one, DDL OVER all."""
    steps = [Step(1), Step(2), Step(3, rolls=True), Step(4, rolls=True), Step(5), Step(6)]
    (folder := tmp_path / "trail").mkdir()
    positions = written_trail(folder, steps)
    parameter_file(tmp_path, *MAPPED)
    line(f"params {tmp_path / 'p.prm'}; open {positions[0][0]}; across on; ddl {count}")
    number = {"": 1, "all": 6}.get(count) or int(count)
    assert _positions(line) == positions[:number]
    line(f"ddl {count} over {folder / 'tr*'}")
    assert _positions(line) == positions[: 6 if count == "" else number]


@pytest.mark.parametrize(
    ("count", "is_partial"), [("1", False), ("2", False), ("3", False), ("4", True), ("all", True)]
)
def test_damage_behind_or_between_the_statements_that_were_asked_for_makes_nothing_partial(
    count: str, is_partial: bool, line: Line, tmp_path: Path
) -> None:
    """Three statements, with damage before the second."""
    positions = written_trail(tmp_path, [Step(1), Step(2, damage=True), Step(3)])
    parameter_file(tmp_path, *MAPPED)
    line(f"params {tmp_path / 'p.prm'}; open {positions[0][0]}; ddl {count}")
    texts = [text for event in line.events if isinstance(event, Notice) for text in event.lines]
    assert any("this is partial, without a verdict" in text for text in texts) is is_partial
    assert len(_shown(line)) == min(3, 3 if count == "all" else int(count))


@pytest.mark.parametrize("outcome", Outcome)
def test_what_is_not_captured_or_applied_is_left_out_and_a_finding_under_strict(outcome: Outcome) -> None:
    result = DdlEvaluated(ProcessSide.REPLICAT, outcome, "DROP", "TABLE", "DROP TABLE A.B", "A.B", None, None)
    gets_through = outcome in (Outcome.CAPTURED, Outcome.APPLIED)
    assert result.status is ExitStatus.OK
    assert result._replace(is_strict=True).status is (ExitStatus.OK if gets_through else ExitStatus.FINDINGS)


@pytest.mark.parametrize("words", ["", " leftout"])
@pytest.mark.parametrize(
    ("lines", "outcome"),
    [
        (("DDL INCLUDE ALL",), Outcome.APPLIED),
        (("DDL EXCLUDE ALL",), Outcome.LEFT_OUT),
        (("DDL INCLUDE SIDEWAYS",), Outcome.UNKNOWN),
        (("DDL INCLUDE ALL", "DDLERROR DEFAULT IGNORE"), Outcome.IGNORED),
        (("DDL INCLUDE ALL", "DDLERROR DEFAULT DISCARD"), Outcome.DISCARDED),
        (("DDL INCLUDE ALL", "DDLERROR DEFAULT ABEND"), Outcome.ABEND),
    ],
)
def test_leftout_shows_each_statement_that_does_not_get_through(
    lines: tuple[str, ...], outcome: Outcome, words: str, line: Line, tmp_path: Path
) -> None:
    parameter_file(tmp_path, "REPLICAT r", *lines, "MAP hr.*, TARGET hr2.*;")
    error = " whatif error 942" if "DDLERROR" in "".join(lines) else ""
    line(f'params {tmp_path / "p.prm"}; ddl text "drop table hr.t"{words}{error}')
    assert line.failures == []
    assert [event.outcome for event in _shown(line)] == [outcome] * (not words or outcome is not Outcome.APPLIED)
    counted = [event for event in line.events if isinstance(event, DdlCounted)]
    assert counted == ([DdlCounted(1, ((ProcessSide.REPLICAT, outcome, 1),))] if words else [])


def test_outcomes_are_counted_by_side_and_in_one_order(line: Line, tmp_path: Path) -> None:
    extract = parameter_file(tmp_path, "EXTRACT e", "USERIDALIAS x", "DDL", "TABLE hr.*;", name="e.prm")
    replicat = parameter_file(
        tmp_path, "REPLICAT r", "DDL INCLUDE ALL EXCLUDE OPTYPE DROP", "MAP hr.*, TARGET a.*;", name="r.prm"
    )
    line(f"params {extract.path}; params {replicat.path}")
    for statements in permutations(("drop table hr.t", "create table hr.t (a int)", "create table hr.u (a int)")):
        evaluating = Evaluating(line.session, DdlOptions(), in_use(extract, replicat))
        for text in statements:
            assert list(evaluating.evaluated(subject_of(text), in_use(extract, replicat)))
        assert evaluating.counted() == DdlCounted(
            3,
            (
                (ProcessSide.EXTRACT, Outcome.CAPTURED, 3),
                (ProcessSide.REPLICAT, Outcome.APPLIED, 2),
                (ProcessSide.REPLICAT, Outcome.LEFT_OUT, 1),
            ),
        )


@pytest.mark.parametrize(
    ("words", "refusal"),
    [
        ('text "drop table t"', None),
        ('text "drop table t" owner hr', None),
        ('3 text "drop table t"', "no count and no OVER go with it"),
        ('all text "drop table t"', "no count and no OVER go with it"),
        ('text "drop table t" over x*', "no count and no OVER go with it"),
        ("owner hr", "OWNER goes with TEXT"),
        ("3 owner hr", "OWNER goes with TEXT"),
    ],
)
def test_options_that_exclude_each_other_are_refused(
    words: str, refusal: str | None, line: Line, trails: Path, tmp_path: Path
) -> None:
    parameter_file(tmp_path, "REPLICAT r", "MAP hr.*, TARGET hr2.*;")
    line(f"params {tmp_path / 'p.prm'}; open {trails / 'zt000000000'}")
    said = line(f"ddl {words}")
    assert bool(line.failures) is (refusal is not None)
    assert refusal is None or refusal in said[0]


TARGETS = ("MAP hr.t, TARGET a.t;", "MAP hr.i*, TARGET b.*;", "MAP hr.?, TARGET c.*;", "MAP hr.*, TARGET d.*;")


@pytest.mark.parametrize("lines", list(permutations(TARGETS)))
def test_the_map_of_the_base_goes_before_others_for_the_derived_object(lines: tuple[str, ...], tmp_path: Path) -> None:
    """The index hr.j on hr.k is taken by two of them, for two targets each: each base has its own for the index."""
    file = parameter_file(tmp_path, "REPLICAT r", *lines)
    results = evaluated("create index hr.j on hr.k (x)", file)
    owners = [text.rsplit(" ", 1)[1].split(".")[0] for text in lines if text.startswith(("MAP hr.?", "MAP hr.*"))]
    assert [(result.base_target, result.derived_target) for result in results] == [
        (f"{owner}.k", f"{owner}.j") for owner in owners
    ]


@pytest.mark.parametrize(
    ("statement", "schema"),
    [
        ("create index hr.i on fin.t (x)", "fin"),
        ("create index fin.i on hr.t (x)", "a"),
        ("create synonym hr.s for fin.t", "fin"),
        ("create synonym hr.s for fin.t@far", "hr"),
        ("create trigger x.tr after insert on fin.t begin null; end", "fin"),
        ("alter table fin.t rename to u", "fin"),
        ("drop table x.t", "x"),
    ],
)
def test_the_session_has_the_schema_of_the_base(statement: str, schema: str, tmp_path: Path) -> None:
    (result,) = evaluated(statement, parameter_file(tmp_path, "REPLICAT r", "MAP hr.*, TARGET a.*;"))
    assert result.session_schema == schema


ERRORS = ("DDLERROR DEFAULT IGNORE", "DDLERROR 942 DISCARD INCLUDE OPTYPE CREATE", "DDLERROR 942 ABEND")


@pytest.mark.parametrize("lines", list(permutations(ERRORS)))
@pytest.mark.parametrize(
    ("error", "statement"), [("942", "create table a.b"), ("942", "drop table a.b"), ("1", "drop x")]
)
def test_of_ddlerror_those_for_the_code_go_before_default_whatever_their_order(
    error: str, statement: str, lines: tuple[str, ...], tmp_path: Path
) -> None:
    (result,) = evaluated(statement, parameter_file(tmp_path, "REPLICAT r", *lines), error=error)
    for_code = [text for text in lines if " 942 " in text and ("OPTYPE" not in text or "create" in statement)]
    chosen = for_code[0] if error == "942" else ERRORS[0]
    assert result.rule is not None
    assert (result.rule.text, result.rule.line) == (chosen, lines.index(chosen) + 2)


@pytest.mark.parametrize(
    ("search", "replacement", "is_doubtful"),
    [("old", "new", False), ("old", 'a "b"', True), ("none", 'a "b"', False), ("none", "new", False)],
)
def test_the_doubt_about_quotation_marks_is_told_where_something_is_replaced(
    search: str, replacement: str, is_doubtful: bool, tmp_path: Path
) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", f"DDLSUBST '{search}' WITH '{replacement}'")
    (result,) = evaluated("comment on table a.b is 'old'", file)
    assert any("quotation mark" in problem for problem in result.problems) is is_doubtful


@pytest.mark.parametrize(
    "lines", [("TABLE hr.i;",), ("TABLE hr.t;",), ("TABLE hr.i;", "TABLE hr.t;"), ("TABLE hr.x;",)]
)
@pytest.mark.parametrize(
    ("statement", "old", "new"),
    [
        ("create index hr.i on hr.t (x)", None, "hr.t"),
        ("alter table hr.i rename to t", "hr.i", "hr.t"),
        ("create synonym hr.i for hr.t", None, "hr.t"),
    ],
)
def test_extract_looks_for_the_base_and_of_a_rename_for_the_old_name_too(
    statement: str, old: str | None, new: str, lines: tuple[str, ...], tmp_path: Path
) -> None:
    file = parameter_file(tmp_path, "EXTRACT e", "USERIDALIAS x", "DDL INCLUDE ALL", *lines)
    (result,) = evaluated(statement, file)
    is_mapped = any(f"TABLE {name};" in lines for name in (old, new))
    assert result.scope == ("MAPPED" if is_mapped else "UNMAPPED")


def test_each_trail_of_extract_has_its_statement_and_what_replicat_does_with_it(tmp_path: Path) -> None:
    """Of three trails the first two take the table, the second with another text."""
    extract = parameter_file(
        tmp_path,
        *("EXTRACT e", "USERIDALIAS x", "DDL INCLUDE MAPPED"),
        *("EXTTRAIL ./dirdat/aa", "TABLE hr.*;", "EXTTRAIL ./dirdat/bb", "TABLE hr.t;"),
        *("EXTTRAIL ./dirdat/cc", "TABLE fin.*;"),
        name="e.prm",
    )
    replicat = parameter_file(tmp_path, "REPLICAT r", "MAP hr.*, TARGET a.*;", "MAP hr.t, TARGET b.t;", name="r.prm")
    results = evaluated("drop table hr.t", extract, replicat)
    assert [(result.side.value, result.trail and result.trail[-2:], result.outcome.value) for result in results] == [
        ("extract", "aa", "captured"),
        ("replicat", "aa", "applied"),
        ("extract", "bb", "captured"),
        ("replicat", "bb", "applied"),
        ("extract", "cc", "left_out"),
    ]


@pytest.mark.parametrize("made_by", ["YES", "NO", None])
@pytest.mark.parametrize("option", [None, "GETREPLICATES", "IGNOREREPLICATES", "GETAPPLOPS", "IGNOREAPPLOPS"])
def test_statements_of_a_replicat_are_ignored_unless_they_are_wanted(
    option: str | None, made_by: str | None, tmp_path: Path
) -> None:
    file = parameter_file(
        tmp_path, "EXTRACT e", "USERIDALIAS x", *[f"DDLOPTIONS {option}" if option else "-- none"], "DDL INCLUDE ALL"
    )
    (result,) = evaluated("drop table hr.t", file, items={"C15": made_by} if made_by else {})
    is_ignored = option != "GETREPLICATES" if made_by == "YES" else option == "IGNOREAPPLOPS"
    assert (result.outcome is Outcome.IGNORED) is is_ignored


EXCLUDED = ("MAPEXCLUDE hr.a*", "MAPEXCLUDE hr.t", "MAPEXCLUDE hr.*")


@pytest.mark.parametrize("lines", list(permutations(EXCLUDED)))
@pytest.mark.parametrize("is_wildcard_only", [False, True])
def test_an_exclusion_is_named_where_it_rules_out_a_map(
    is_wildcard_only: bool, lines: tuple[str, ...], tmp_path: Path
) -> None:
    switch = ["EXCLUDEWILDCARDOBJECTSONLY"] if is_wildcard_only else []
    file = parameter_file(tmp_path, "REPLICAT r", *switch, *lines, "MAP hr.t, TARGET a.t;")
    (result,) = evaluated("drop table hr.t", file)
    (step,) = (step for step in result.steps if step.number == 5)
    first = next(text for text in lines if text != EXCLUDED[0])
    assert (step.rule and step.rule.text) == ("MAP hr.t, TARGET a.t" if is_wildcard_only else first)
    (other,) = evaluated("drop table fin.t", file)
    (step,) = (step for step in other.steps if step.number == 5)
    assert step.result == "UNMAPPED: in no MAP"


@pytest.mark.parametrize("number", [1, 19, 20, 21, 22, 40])
def test_at_most_twenty_names_that_are_not_converted_are_told(number: int, tmp_path: Path) -> None:
    file = parameter_file(tmp_path, "REPLICAT r", "MAP hr.v, TARGET a.v;")
    names = [f"hr.t{at}" for at in range(number)]
    (result,) = evaluated(f"create view hr.v as select * from {', '.join([*names, *names])}", file)
    assert list(result.not_converted) == names[:20]


INCLUDES = ("INCLUDE OPTYPE CREATE", "INCLUDE OBJTYPE 'TABLE'", "INCLUDE OPTYPE DROP")
EXCLUDES = ("EXCLUDE OPTYPE CREATE", "EXCLUDE OBJTYPE 'TABLE'", "EXCLUDE OPTYPE DROP")


@pytest.mark.parametrize("clauses", [*permutations(INCLUDES), *permutations(EXCLUDES)])
def test_of_several_clauses_that_are_true_the_first_is_the_rule(clauses: tuple[str, ...], tmp_path: Path) -> None:
    """A CREATE of a table: two of them are true. Each stands in a line of its own."""
    lines = [f"{'DDL INCLUDE ALL, &' if clauses[0] in EXCLUDES else 'DDL &'}", *(f"{text} &" for text in clauses[:2])]
    file = parameter_file(tmp_path, "REPLICAT r", *lines, clauses[2], "MAP hr.*, TARGET a.*;")
    (result,) = evaluated("create table hr.t (a int)", file)
    (step,) = (step for step in result.steps if step.number == 8)
    first = next(text for text in clauses if "DROP" not in text)
    assert step.rule is not None
    if clauses[0] in EXCLUDES:
        assert (result.outcome, step.rule.text) == (Outcome.LEFT_OUT, first)
    else:
        assert (result.outcome, step.rule.text) == (Outcome.APPLIED, first)


ACTIONS = ("INCLUDE OPTYPE CREATE {}", "INCLUDE OBJTYPE 'TABLE' {}", "INCLUDE OPTYPE DROP {}", "INCLUDE ALL")


@pytest.mark.parametrize("clauses", list(permutations(ACTIONS)))
def test_the_actions_of_all_clauses_that_are_true_are_told(clauses: tuple[str, ...], tmp_path: Path) -> None:
    words = ("EVENTACTIONS (REPORT)", "EVENTACTIONS (LOG)", "EVENTACTIONS (STOP)")
    filled = [text.format(words[ACTIONS.index(text)] if "{}" in text else "") for text in clauses]
    file = parameter_file(tmp_path, "REPLICAT r", f"DDL {', '.join(filled)}")
    (result,) = evaluated("create table hr.t (a int)", file)
    expected = [word for text in clauses for word in ("REPORT", "LOG") if f"({word})" in filled[clauses.index(text)]]
    assert list(result.event_actions) == expected
    for at, text in enumerate(clauses):
        stays = [each.format("STAYMETADATA" if each == text else "") for each in clauses]
        (result,) = evaluated(
            "create table hr.t (a int)", parameter_file(tmp_path, "REPLICAT r", f"DDL {', '.join(stays)}")
        )
        assert result.stay_metadata is (text in ACTIONS[:2]), at


@pytest.mark.parametrize(
    ("statement", "object_type"),
    [
        ("create materialized view log on hr.t", "MATERIALIZED VIEW LOG"),
        ("create materialized view hr.t as select 1", "MATERIALIZED VIEW"),
        ("create snapshot log on hr.t", "MATERIALIZED VIEW LOG"),
        ("create snapshot hr.t as select 1", "MATERIALIZED VIEW"),
        ("create view hr.t as select 1", "VIEW"),
        ("create package body hr.t as end", "PACKAGE BODY"),
        ("create package hr.t as end", "PACKAGE"),
        ("create type body hr.t as end", "TYPE BODY"),
        ("create type hr.t as object (a int)", "TYPE"),
        ("create public synonym t for hr.t", "PUBLIC SYNONYM"),
        ("create synonym hr.s for hr.t", "SYNONYM"),
        ("create public database link t", "PUBLIC DATABASE LINK"),
        ("create database link t", "DATABASE LINK"),
        ("create database t", "DATABASE"),
        ("create foreign table hr.t (a int)", "FOREIGN TABLE"),
    ],
)
def test_the_longest_name_of_a_type_is_its_type(statement: str, object_type: str, tmp_path: Path) -> None:
    (result,) = evaluated(statement, parameter_file(tmp_path, "REPLICAT r"))
    assert result.object_type == object_type


@pytest.mark.parametrize("given", ["", "fin"])
@pytest.mark.parametrize("recorded", ["", "hr"])
def test_the_schema_of_the_record_goes_before_that_which_is_given(recorded: str, given: str, tmp_path: Path) -> None:
    items = {"B3": recorded} if recorded else {}
    (result,) = evaluated("drop table t", parameter_file(tmp_path, "REPLICAT r"), owner=given, items=items)
    assert result.base == ".".join(part for part in (recorded or given, "t") if part)


@pytest.mark.parametrize("passing", [1, 2, 3])
def test_the_statement_that_passes_the_filter_is_evaluated_and_no_other(
    passing: int, line: Line, tmp_path: Path
) -> None:
    positions = written_trail(tmp_path, [Step(1), Step(2), Step(3)])
    parameter_file(tmp_path, *MAPPED)
    line(f'params {tmp_path / "p.prm"}; open {positions[0][0]}; filter string "teahouse.t{passing} "; ddl all')
    assert _positions(line) == [positions[passing - 1]]


@pytest.mark.parametrize("refused", list(permutations((1, 2, 3), 2)))
def test_the_statements_at_which_a_replicat_abends_are_counted(
    refused: tuple[int, ...], line: Line, tmp_path: Path
) -> None:
    """Of three, errors of two are ignored: it abends at the other one, be it the first or the last."""
    positions = written_trail(tmp_path, [Step(1), Step(2), Step(3)])
    lines = [f"DDLERROR DEFAULT IGNORE INCLUDE OBJNAME teahouse.t{number}" for number in refused]
    parameter_file(tmp_path, "REPLICAT r", "DDL INCLUDE ALL", *lines, "MAP teahouse.*, TARGET teahouse.*;")
    line(f"params {tmp_path / 'p.prm'}; open {positions[0][0]}; explain ddl")
    (shown,) = (event for event in line.events if isinstance(event, Explained))
    assert shown.verdict.rule == "abends_on_error"
    said = "DDLERROR: 1 statement at which Replicat abends where the target refuses them"
    assert said in ["".join(map(str, part.text)) for part in shown.parts]
    parameter_file(tmp_path, "REPLICAT r", "DDL INCLUDE ALL", lines[0], "MAP teahouse.*, TARGET teahouse.*;")
    line(f"params {tmp_path / 'p.prm'}; explain ddl")
    (shown,) = (event for event in line.events if isinstance(event, Explained))
    assert said.replace("1 statement", "2 statements") in ["".join(map(str, part.text)) for part in shown.parts]


@pytest.mark.parametrize("sides", [("r",), ("e", "r")])
def test_a_statement_is_reached_where_replicat_reaches_it(sides: tuple[str, ...], line: Line, tmp_path: Path) -> None:
    """Extract has captured all four; a Replicat skips the copy and does not reach the one after damage."""
    (folder := tmp_path / "trail").mkdir()
    positions = written_trail(folder, [Step(1), Step(2), Step(2), Step(3, damage=True)][: 3 if len(sides) > 1 else 4])
    parameter_file(tmp_path, "EXTRACT e", "TRANLOGOPTIONS x", "DDL INCLUDE ALL", "TABLE teahouse.*;", name="e.prm")
    parameter_file(tmp_path, "REPLICAT r", "DDLERROR DEFAULT IGNORE", "MAP *.*, TARGET *.*;", name="r.prm")
    for side in sides:
        line(f"params {tmp_path / f'{side}.prm'}")
    line(f"open {positions[0][0]}; explain ddl")
    (shown,) = (event for event in line.events if isinstance(event, Explained))
    if not shown.is_partial:
        assert shown.verdict.text == ("All 2 statements are replicated.",)
    assert f"{len(positions)} statements: " in str(shown.parts[0].text[0])
