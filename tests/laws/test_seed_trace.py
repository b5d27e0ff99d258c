"""Each test that tests/seed-trace.md names exists, and every statement of the seeds has one row in its part."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.laws.imports import ROOT

LAST = {"001": 73, "002": 30, "003": 46, "004": 104}
PAGE = (ROOT / "tests" / "seed-trace.md").read_text(encoding="utf-8")
PART = re.compile(r"^## Seed (\d{3}):.*\n(?s:(.*?))(?=^## |\Z)", re.MULTILINE)
ROW = re.compile(r"^\| (\d{3}-\w+) \|(.*)\|$", re.MULTILINE)
TEST = re.compile(r"`([^`:]+)::([^`\[]+)(?:\[([^`]*)\])?`")
PARTS_OF_SEED_0 = (*("X9a", "X9b", "X9c", "X10a", "X10b"), *("R8a", "R8b"), "N1")
STATEMENTS = {
    *(f"000-{side}{number}" for side in "XR" for number in range(1, 15)),
    *(f"000-{part}" for part in PARTS_OF_SEED_0),
    *(f"{seed}-{number}" for seed, last in LAST.items() for number in range(1, last + 1)),
}
"""All statements: those of the DDL steps, and so many of each other seed."""


class Row(NamedTuple):
    seed: str
    name: str
    tests: tuple[tuple[str, str, str], ...]


def rows() -> Iterator[Row]:
    for seed, part in PART.findall(PAGE):
        for name, cells in ROW.findall(part):
            yield Row(seed, name, tuple(TEST.findall(cells)))


@cache
def names_in(path: str) -> frozenset[str]:
    """The functions of a module; of a text the titles of its blocks."""
    text = (ROOT / path).read_text(encoding="utf-8")
    if not path.endswith(".py"):
        return frozenset(line.removeprefix("# ") for line in text.splitlines() if line.startswith("# "))
    functions = (ast.FunctionDef, ast.AsyncFunctionDef)
    return frozenset(node.name for node in ast.walk(ast.parse(text)) if isinstance(node, functions))


ROWS = list(rows())


def test_every_statement_stands_once_in_the_part_of_its_seed() -> None:
    assert [row.name for row in ROWS if not row.name.startswith(f"{row.seed}-")] == []
    assert [name for name, number in Counter(row.name for row in ROWS).items() if number > 1] == []


def test_no_statement_is_missing_or_without_a_test() -> None:
    assert {row.name for row in ROWS} == STATEMENTS
    assert [row.name for row in ROWS if not row.tests] == []


def test_the_tests_of_each_statement_exist() -> None:
    tests = [(row.name, *test) for row in ROWS for test in row.tests]
    assert [(row, path, name) for row, path, name, _ in tests if name not in names_in(path)] == []
    cases = [(row, path, case) for row, path, _, case in tests if case and path.endswith(".py")]
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for _, path, _ in cases}
    assert [(row, path, case) for row, path, case in cases if case not in texts[path]] == []
