"""Each test that docs/seed-trace.md names exists, and each of its statements stands once, in the part of its seed."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

from tests.laws.imports import ROOT

PAGE = (ROOT / "docs" / "seed-trace.md").read_text(encoding="utf-8")
PART = re.compile(r"^## Seed (\d{3}):.*\n(?s:(.*?))(?=^## |\Z)", re.MULTILINE)
ROW = re.compile(r"^\| (\d{3}-\w+) \|(.*)\|$", re.MULTILINE)
TEST = re.compile(r"`([^`:]+)::([^`\[]+)(?:\[[^`]*\])?`")


class Row(NamedTuple):
    seed: str
    name: str
    tests: tuple[tuple[str, str], ...]


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


@pytest.mark.parametrize("row", ROWS, ids=[row.name for row in ROWS])
def test_the_tests_of_a_statement_exist(row: Row) -> None:
    assert [(path, name) for path, name in row.tests if name not in names_in(path)] == []
