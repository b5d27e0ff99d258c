"""What a field of a result means is written once: on the field, from where JSON takes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from tests.laws.imports import ROOT, tree_of

MODELS = sorted((ROOT / "logdump" / "features").glob("*/model.py"))
OBJECTS = sorted((ROOT / "logdump" / "features").glob("*/json.py"))


class Described(NamedTuple):
    """A class with fields that have a meaning: the names of these, and its docstring."""

    name: str
    fields: tuple[str, ...]
    docstring: str


def described(tree: ast.Module) -> Iterator[Described]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            fields = tuple(
                statement.target.id
                for statement in node.body
                if isinstance(statement, ast.AnnAssign)
                and isinstance(statement.target, ast.Name)
                and ast.unparse(statement.annotation).startswith("Annotated[")
            )
            if fields:
                yield Described(node.name, fields, ast.get_docstring(node) or "")


def entries(docstring: str) -> set[str]:
    """The attributes that a docstring describes."""
    heads = re.findall(r"^    ([\w, ]+):", docstring.partition("Attributes:")[2], re.MULTILINE)
    return {name for head in heads for name in head.split(", ")}


def used(trees: list[ast.Module]) -> dict[str, set[str]]:
    """The fields that objects take, by class; ``*`` for all."""
    names: dict[str, set[str]] = {}
    for tree in trees:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "fields":
                model, *rest = map(ast.unparse, node.args)
                names.setdefault(model, set()).update(ast.literal_eval(rest[0]).split() if rest else ["*"])
    return names


USED = used([tree_of(path) for path in OBJECTS])
CLASSES = [(path.parent.name, one) for path in MODELS for one in described(tree_of(path))]


@pytest.mark.parametrize(("feature", "one"), CLASSES, ids=[f"{feature}.{one.name}" for feature, one in CLASSES])
def test_a_field_is_described_once_and_used(feature: str, one: Described) -> None:
    assert not entries(one.docstring) & {*one.fields}, f"{feature}: write it on the field alone"
    taken = USED.get(one.name, set())
    assert "*" in taken or {*one.fields} <= taken, {*one.fields} - taken


def test_the_law_sees_what_it_forbids() -> None:
    text = '''class Tea(NamedTuple):
    """Tea.

    Attributes:
        size, leaf: its size, and
            its leaf.
        other: another.
    """

    size: Annotated[int, "Its size"]
    other: int
'''
    assert CLASSES
    (tea,) = described(ast.parse(text))
    assert tea.fields == ("size",)
    assert entries(tea.docstring) == {"size", "leaf", "other"}
    assert used([ast.parse('fields(Tea, "size")\nfields(Tea, "leaf", of="x")\nfields(Cup)')]) == {
        "Tea": {"size", "leaf"},
        "Cup": {"*"},
    }
