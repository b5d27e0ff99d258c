"""One place makes what a filter selects for commands and panes, and one for the tasks of Spark."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.laws.imports import source_of, tree_of

ROOT = Path(__file__).parents[2]
MAKERS = {
    "Selection": {
        "logdump/session/selection.py": ["on"],
        "logdump/session/session.py": ["selection"],
        "logdump/tables/slice.py": ["selection_of"],
    },
    "RowDefinitions": {
        "logdump/session/session.py": ["definitions_of"],
        "logdump/tables/named_files.py": ["definitions_of"],
    },
}
"""The functions that may call a constructor; ``on`` repeats a selection on the same file for another thread."""


def _calls(tree: ast.AST, constructor: str, inside: str = "") -> Iterator[str]:
    """The function around each call of a constructor."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Call) and _name(node.func) == constructor:
            yield inside
        name = node.name if isinstance(node, ast.FunctionDef) else inside
        yield from _calls(node, constructor, name)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


@pytest.mark.parametrize("constructor", MAKERS)
def test_the_same_question_gets_the_same_filter_and_definitions(constructor: str) -> None:
    found = {
        str(path.relative_to(ROOT)): calls
        for path in sorted((ROOT / "logdump").rglob("*.py"))
        if f"{constructor}(" in source_of(path) and (calls := list(_calls(tree_of(path), constructor)))
    }
    assert {path: sorted(set(calls)) for path, calls in found.items()} == MAKERS[constructor]
