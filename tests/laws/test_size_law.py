"""Nothing grows large: no file over 600 lines, no function over 60."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
FILES = [path for folder in ("logdump", "trailformat", "fixtures", "scripts") for path in (ROOT / folder).rglob("*.py")]
MOST_LINES = 600
MOST_LINES_OF_A_FUNCTION = 60


def long_functions(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef) and node.end_lineno is not None:
            lines = node.end_lineno - node.lineno + 1
            if lines > MOST_LINES_OF_A_FUNCTION:
                yield f"{node.name}: {lines} lines"


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(ROOT)) for path in FILES])
def test_a_file_and_its_functions_are_short(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert source.count("\n") <= MOST_LINES
    assert list(long_functions(source)) == []
