"""Few places choose between records one by one and columns: each has one constant, which says what was measured."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

import pytest

from tests.laws.imports import ROOT, modules

CHOICES = {
    "trailformat.trail.file": "_FAR",
    "trailformat.scan.nearby": "NEARBY",
    "logdump.session.scan": "_BACK",
    "logdump.commands.position": "_MANY",
    "logdump.features.export.line_count": "_MANY_BYTES",
}
"""The constants, by their modules."""
MOST = 5
_LOADED = re.compile(r"\b(?:kernels?|numpy|columns|threads)\b")
_FROM = re.compile(r"\bfrom which\b|\bworth\b|\bpays?\b|\bwalked back\b")


def _described(source: str) -> Iterator[tuple[str, str]]:
    """The constants of a module that have a docstring, and that."""
    body = ast.parse(source).body
    for node, after in pairwise(body):
        if isinstance(node, ast.Assign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield ast.unparse(node.targets[0]), str(after.value.value)


def test_no_other_constant_chooses_a_way() -> None:
    found = {
        (module, name)
        for module, path in modules().items()
        for name, text in _described(path.read_text(encoding="utf-8"))
        if _LOADED.search(text) and _FROM.search(text)
    }
    assert found <= set(CHOICES.items())
    assert len(CHOICES) <= MOST


@pytest.mark.parametrize("module", CHOICES)
def test_a_choice_says_what_was_measured_and_is_moved_by_a_test(module: str) -> None:
    described = dict(_described(modules()[module].read_text(encoding="utf-8")))
    assert re.search(r"\btakes?\b", described[CHOICES[module]])
    moved = re.compile(rf'"{CHOICES[module]}"')
    assert any(moved.search(path.read_text(encoding="utf-8")) for path in (ROOT / "tests").rglob("test_*.py"))
