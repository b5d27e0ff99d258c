"""What tests draw is drawn by the seed of the run: a draw that is always the same proves what it proved yesterday."""

from __future__ import annotations

import ast
from pathlib import Path

from tests.laws.imports import ROOT

APART = {"tests/searching.py", "tests/fuzz", "tests/logdump/spark/killing_daemon.py"}
"""What makes the seed, what has a seed of its own on the command line, and what runs in a process of Spark."""


def _is_apart(path: Path) -> bool:
    name = path.relative_to(ROOT).as_posix()
    return name in APART or any(name.startswith(f"{folder}/") for folder in APART)


def test_tests_draw_by_the_seed_of_the_run() -> None:
    others = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "tests").rglob("*.py")
        if not _is_apart(path)
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and node.module in ("random", "secrets"))
        or (isinstance(node, ast.Attribute) and node.attr == "Random")
    }
    assert others == set()
