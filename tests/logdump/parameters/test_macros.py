"""Macros expand as a naive expander does it: one that replaces the innermost call again and again."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from logdump.parameters.lexer import Macro, Macros
from logdump.parameters.model import ParameterError, ParameterPlace
from logdump.parameters.statements import statements
from tests.searching import examples

HERE = ParameterPlace(Path("p.prm"), 1)
CALL = re.compile(r"#([a-d])\s*\(([^()#]*)\)")
WORDS = st.sampled_from(["x", "y.z", "TEA", "1", "b_c", "@IF"])


def naive(macros: dict[str, tuple[tuple[str, ...], str]], text: str) -> str:
    """Each call without calls inside is replaced by its body, until none is left."""
    while found := CALL.search(text):
        parameters, body = macros[found[1]]
        values = [part.strip() for part in found[2].split(",")] if parameters else []
        for name, value in zip(parameters, values, strict=True):
            body = body.replace(f"#{name}", value)
        text = text[: found.start()] + body + text[found.end() :]
    return text


@st.composite
def bodies(draw: st.DrawFn) -> dict[str, tuple[tuple[str, ...], str]]:
    """Macros a to d with parameters p and q; each calls only those before it."""
    made: dict[str, tuple[tuple[str, ...], str]] = {}
    for name in "abcd":
        parameters = ("p", "q")[: draw(st.integers(0, 2))]
        pieces = [WORDS, *(st.just(f"#{parameter}") for parameter in parameters)]
        calls = [calls_of(other, before) for other, (before, _) in made.items()]
        made[name] = (parameters, " ".join(draw(st.lists(st.one_of(*pieces, *calls), max_size=5))))
    return made


def calls_of(name: str, parameters: tuple[str, ...]) -> st.SearchStrategy[str]:
    values = st.tuples(*(WORDS for _ in parameters))
    return values.map(lambda drawn: f"#{name} ({', '.join(drawn)})")


@settings(max_examples=examples(150))
@given(st.data())
def test_a_call_expands_as_the_naive_expander_has_it(data: st.DataObject) -> None:
    made = data.draw(bodies())
    macros = Macros()
    for name, (parameters, body) in made.items():
        macros.define(Macro(name.upper(), tuple(parameter.upper() for parameter in parameters), body, HERE))
    text = data.draw(calls_of("d", made["d"][0]))
    assert macros.call(text, 0, HERE) == (naive(made, text), len(text))


def words(tmp_path: Path, *lines: str) -> list[str]:
    path = tmp_path / "p.prm"
    path.write_text("\n".join(lines), encoding="utf-8")
    return [statement.text for statement in statements(path)]


def refusal(tmp_path: Path, *lines: str) -> str:
    with pytest.raises(ParameterError) as caught:
        words(tmp_path, *lines)
    return str(caught.value).removeprefix(f"PARAMS: {tmp_path / 'p.prm'}, ")


def test_names_are_taken_case_aside_and_not_in_quotes(tmp_path: Path) -> None:
    lines = ("MACRO #Own PARAMS (#A) BEGIN X #a '#a' \"#a\" #ab; END;", "MACRO #ab BEGIN y END;", "#OWN (v)")
    assert words(tmp_path, *lines) == ["X v '#a' \"#a\" y"]


def test_braces_make_one_value_of_several(tmp_path: Path) -> None:
    assert words(tmp_path, "MACRO #k PARAMS (#x, #y) BEGIN K #x (#y); END;", "#k (a, {b, c})") == ["K a (b, c)"]


def test_a_value_may_be_a_call_of_the_same_macro(tmp_path: Path) -> None:
    assert words(tmp_path, "MACRO #f PARAMS (#x) BEGIN f(#x) END;", "K #f (#f (1))") == ["K f(f(1))"]


def test_values_go_over_lines(tmp_path: Path) -> None:
    assert words(tmp_path, "MACRO #k PARAMS (#x, #y) BEGIN K #x #y; END;", "#k (a,", "  b)") == ["K a b"]


def test_a_macro_may_be_a_part_of_a_statement(tmp_path: Path) -> None:
    assert words(tmp_path, "MACRO #t BEGIN , TARGET a.b; END;", "MAP c.d #t ()") == ["MAP c.d , TARGET a.b"]


def test_macrochar_changes_the_character(tmp_path: Path) -> None:
    assert words(tmp_path, "MACROCHAR %", "MACRO %m BEGIN x#y END;", "K %m ()") == ["K x#y"]


def test_a_name_with_the_character_inside_is_a_name(tmp_path: Path) -> None:
    assert words(tmp_path, "USERID c##ogg@db", "TABLE hr.emp#1;") == ["USERID c##ogg@db", "TABLE hr.emp#1"]


def test_what_a_call_expands_to_stands_on_the_line_of_the_call(tmp_path: Path) -> None:
    path = tmp_path / "p.prm"
    path.write_text("MACRO #m BEGIN\nA x\nB y\nEND;\n\n#m ()\nC z", encoding="utf-8")
    assert [(statement.keyword, statement.place.line) for statement in statements(path)] == [
        ("A", 6),
        ("B", 6),
        ("C", 7),
    ]


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (("#no ()",), "line 1: macro #no is not defined"),
        (
            ("MACRO #a BEGIN #b () END;", "MACRO #b BEGIN #a () END;", "", "#a ()"),
            "line 4: macro #A calls itself: A -> B -> A",
        ),
        (("MACRO #a BEGIN x END;", "MACRO #A BEGIN y END;"), "line 2: macro #A is defined at {path}, line 1 already"),
        (("MACRO #a PARAMS (#x) BEGIN x END;", "#a (1, 2)"), "line 2: macro #A takes 1 values, but got 2"),
        (("MACRO #a PARAMS (#x) BEGIN x END;", "#a (1"), "line 2: the values of a macro are not closed by )"),
        (("x", "MACRO #a BEGIN x"), "line 2: MACRO is not #name [PARAMS (#a, …)] BEGIN … END;"),
        (("MACRO a BEGIN x END;",), "line 1: a is not a name of a macro or parameter: #name"),
        (("MACRO ##a BEGIN x END;",), "line 1: ##a is not a name of a macro or parameter: #name"),
        (("MACRO #a PARAMS (#x, #X) BEGIN x END;",), "line 1: #a has more than 30 parameters, or one twice"),
        (("MACROCHAR ab",), "line 1: MACROCHAR takes one character, not 'ab'"),
        (("MACRO #a PARAMS (#x) BEGIN #x END;", "#a (" * 40 + ")" * 40), "line 2: macro #A: too many calls in calls"),
        (("MACRO #a BEGIN", *["k"] * 1001, "END;", "#a ()"), "line 1004: a macro expands to more than 1000 statements"),
    ],
    ids=range(12),
)
def test_a_macro_that_cannot_be_is_refused_with_its_place(lines: tuple[str, ...], message: str, tmp_path: Path) -> None:
    assert refusal(tmp_path, *lines) == message.format(path=tmp_path / "p.prm")
