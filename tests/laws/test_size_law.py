"""Nothing grows large: no file over 600 lines, no function over 60."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from scripts.code_size import code_size
from tests.laws.imports import source_of, statements, tree_of

ROOT = Path(__file__).parents[2]
FILES = [path for folder in ("logdump", "trailformat", "fixtures", "scripts") for path in (ROOT / folder).rglob("*.py")]
MOST_LINES = 600
MOST_LINES_OF_A_FUNCTION = 60
MOST_OF_OBJECTS = 1_200
"""Lines of code of the modules ``json`` of features: types, meanings and names of members stand on the fields."""


def long_functions(tree: ast.Module) -> Iterator[str]:
    for node in statements(tree):
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            if lines > MOST_LINES_OF_A_FUNCTION:
                yield f"{node.name}: {lines} lines"


def test_files_and_their_functions_are_short() -> None:
    assert [path for path in FILES if source_of(path).count("\n") > MOST_LINES] == []
    assert [(path, found) for path in FILES for found in long_functions(tree_of(path))] == []


def test_objects_of_json_are_made_of_fields() -> None:
    objects = [path for path in FILES if path.name == "json.py" and path.parent.parent.name == "features"]
    assert 0 < sum(code_size(source_of(path)) for path in objects) <= MOST_OF_OBJECTS
