"""Every case of decisions.txt, which was written by hand, is decided as it stands there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from logdump.features.ddl.model import DdlEvaluated
from tests.logdump.ddl.files import evaluated, parameter_file

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
    assert all(RESULT.fullmatch(one) for case in CASES for one in case.results)


@pytest.mark.parametrize("case", CASES, ids=[f"{case.title[2:30]}: {case.statement[:60]}" for case in CASES])
def test_a_statement_is_decided_as_the_pages_have_it(case: Case, tmp_path: Path) -> None:
    file = parameter_file(tmp_path, *case.parameters)
    items = {key: value for key, value in case.settings.items() if key.isupper()}
    settings = {key: value for key, value in case.settings.items() if not key.isupper()}
    results = evaluated(case.statement, file, items=items, **settings)
    assert tuple(told(one, case.statement) for one in results) == case.results
