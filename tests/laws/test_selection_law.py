"""One place makes what a filter selects for commands and panes, and one for the tasks of Spark."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.laws.imports import source_of, tree_of

ROOT = Path(__file__).parents[2]
CONSTRUCTORS = ("Selection", "RowDefinitions")


def _calls(tree: ast.AST, constructor: str) -> bool:
    """Whether a constructor is called anywhere in a module."""
    return any(isinstance(node, ast.Call) and _name(node.func) == constructor for node in ast.walk(tree))


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


@pytest.mark.parametrize("constructor", CONSTRUCTORS)
def test_the_same_question_gets_the_same_filter_and_definitions(constructor: str) -> None:
    modules = {
        path.relative_to(ROOT)
        for path in sorted((ROOT / "logdump").rglob("*.py"))
        if f"{constructor}(" in source_of(path) and _calls(tree_of(path), constructor)
    }
    of_session = {path for path in modules if path.parts[1] == "session"}
    assert of_session
    assert len(modules - of_session) == 1, "tasks have one maker of it"
