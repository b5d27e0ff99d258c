"""Laws of DDL: substitutions one after the other, and what stands in parentheses."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logdump.features.ddl.statement import subject_of
from tests.logdump.ddl.files import evaluated, parameter_file
from tests.searching import examples, in_turn

WORDS = ("red", "green", "blue")
SUBSTITUTION = st.tuples(
    st.sampled_from(WORDS), st.sampled_from(WORDS), st.none() | st.sampled_from(WORDS), st.booleans()
)


@given(substitutions=st.lists(SUBSTITUTION, max_size=5), columns=st.lists(st.sampled_from(WORDS), max_size=3))
@example(substitutions=[("red", "blue", "red", True), ("blue", "green", "blue", True)], columns=["red"])
@example(substitutions=[("red", "blue", "red", True), ("blue", "green", "red", False)], columns=["red"])
@settings(max_examples=examples(80), deadline=None)
def test_each_substitution_is_judged_and_made_on_the_result_of_the_one_before(
    substitutions: list[tuple[str, str, str | None, bool]], columns: list[str]
) -> None:
    text = f"create table hr.t ({', '.join(f'{name} int' for name in columns)})"
    lines, expected = [], text.replace("hr.t", "hr2.t")
    for search, replacement, condition, includes in substitutions:
        clause = f" {'INCLUDE' if includes else 'EXCLUDE'} INSTR '{condition}'" if condition else ""
        lines.append(f"DDLSUBST '{search}' WITH '{replacement}'{clause}")
        if condition is None or (condition in expected) == includes:
            expected = expected.replace(search, replacement)
    with tempfile.TemporaryDirectory() as folder:
        file = parameter_file(Path(folder), "REPLICAT r", "MAP hr.*, TARGET hr2.*;", *lines)
        (result,) = evaluated(text, file)
    assert result.statement == expected


INSIDE = ("on", "a on b", "for", "for x.y", "rename to q", "to", "rename int, to int", "'(', on", "(on) on")
STATEMENTS = {
    "create trigger hr.tr before update of {} on hr.t for each row begin null; end": ("hr.t", "hr.tr"),
    "create index hr.i {} on hr.t (x)": ("hr.t", "hr.i"),
    "create synonym hr.s {} for hr.t": ("hr.t", "hr.s"),
    "alter table hr.t add {}": ("hr.t", None),
    "alter table hr.t add {} rename to u": ("hr.u", "hr.t"),
    "rename hr.t {} to u": ("hr.u", "hr.t"),
    "grant update {} on hr.t to scott": ("hr.t", None),
    "revoke select {} on hr.t from scott": ("hr.t", None),
}


@pytest.mark.parametrize(("statement", "inside"), in_turn(STATEMENTS, INSIDE))
def test_no_word_in_parentheses_tells_what_a_statement_is_about(statement: str, inside: str) -> None:
    subject = subject_of(statement.format(f"({inside})"))
    plain = subject_of(statement.format("(x)"))
    assert subject._replace(text="", size=0) == plain._replace(text="", size=0)
    names = [str(name) if name else None for name in (subject.base, subject.derived)]
    expected = STATEMENTS[statement]
    assert [name and name.split(".")[-1] for name in names] == [name and name.split(".")[-1] for name in expected]


@pytest.mark.parametrize(
    ("source", "is_named"), [("emp", True), ("emp_i", True), ("e*", True), ("dept", False), ("emp_j", False)]
)
def test_a_map_without_effect_is_named_where_it_has_one_of_the_names(
    source: str, is_named: bool, tmp_path: Path
) -> None:
    """A name without schema matches nothing; the statement has a base and a derived object."""
    file = parameter_file(tmp_path, "REPLICAT r", "DDL INCLUDE ALL", f"MAP {source}, TARGET hr2.{source};")
    (result,) = evaluated("create index hr.emp_i on hr.emp (a)", file)
    named = [problem for problem in result.problems if problem.startswith(f"MAP {source},")]
    assert bool(named) == is_named
