"""A word becomes a path in one place, which knows homes, URLs and empty words."""

from __future__ import annotations

import ast

from tests.laws.imports import modules, tree_of

MAKER = "trailformat.codec.remote.path"


def test_no_other_module_expands_homes() -> None:
    expanding = {
        name
        for name, path in modules().items()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Attribute) and node.attr == "expanduser"
    }
    assert expanding == {MAKER}
