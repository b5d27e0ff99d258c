"""Each test that tests/seed-trace.md names exists, and every statement of the seeds has one row in its part."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

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


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_the_tests_of_a_statement_exist(row: Row) -> None:
    assert [(path, name) for path, name, _ in row.tests if name not in names_in(path)] == []
    cases = [(path, case) for path, _, case in row.tests if path.endswith(".py")]
    assert [(path, case) for path, case in cases if case not in (ROOT / path).read_text(encoding="utf-8")] == []
