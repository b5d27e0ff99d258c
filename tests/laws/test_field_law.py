"""What a field of a result means is written once: on the field, from where JSON takes it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from logdump.display.json_shape import SHARED
from tests.laws.imports import ROOT, modules, tree_of

MODELS = sorted((ROOT / "logdump" / "features").glob("*/*.py"))
OBJECTS = sorted((ROOT / "logdump" / "features").glob("*/json.py"))


class Described(NamedTuple):
    """A class with fields that have a meaning: the types of these by name, and its docstring."""

    name: str
    fields: dict[str, ast.expr]
    docstring: str

    @property
    def classes(self) -> set[str]:
        """The names in the types of its fields that are no types of Python."""
        names = {node.id for type_ in self.fields.values() for node in ast.walk(type_) if isinstance(node, ast.Name)}
        return {name for name in names if name[0].isupper()} - {"Path", "Julian", "Microseconds", "Sequence"}


def described(tree: ast.Module) -> Iterator[Described]:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            fields = {
                ast.unparse(statement.target): statement.annotation.slice.elts[0]  # type: ignore[attr-defined]
                for statement in node.body
                if isinstance(statement, ast.AnnAssign) and ast.unparse(statement.annotation).startswith("Annotated[")
            }
            if fields:
                yield Described(node.name, fields, ast.get_docstring(node) or "")


def entries(docstring: str) -> set[str]:
    """The attributes that a docstring describes."""
    heads = re.findall(r"^    ([\w, ]+):", docstring.partition("Attributes:")[2], re.MULTILINE)
    return {name for head in heads for name in head.split(", ")}


class Taken(NamedTuple):
    """The fields of a class that an object takes, ``*`` for all, and the classes that it has objects for."""

    model: str
    names: list[str]
    parts: set[str]


def taken(tree: ast.Module) -> Iterator[Taken]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "fields":
            model, *rest = map(ast.unparse, node.args)
            names = ast.literal_eval(rest[0]).split() if rest else ["*"]
            yield Taken(model, names, {keyword.arg or "" for keyword in node.keywords} - {"of"})


def enumerations() -> set[str]:
    return {
        node.name
        for path in modules().values()
        for node in tree_of(path).body
        if isinstance(node, ast.ClassDef) and any(ast.unparse(base).endswith("Enum") for base in node.bases)
    }


TAKEN = [taking for path in OBJECTS for taking in taken(tree_of(path))]
CLASSES = [(path.parent.name, described_class) for path in MODELS for described_class in described(tree_of(path))]


@pytest.mark.parametrize(
    ("feature", "described_class"),
    CLASSES,
    ids=[f"{feature}.{described_class.name}" for feature, described_class in CLASSES],
)
def test_a_field_is_described_once_and_used(feature: str, described_class: Described) -> None:
    assert not entries(described_class.docstring) & {*described_class.fields}, f"{feature}: write it on the field alone"
    names = {name for some in TAKEN if some.model == described_class.name for name in some.names}
    assert "*" in names or {*described_class.fields} <= names, {*described_class.fields} - names


def test_a_class_without_an_object_is_an_enumeration() -> None:
    models, known = (
        {described_class.name: described_class for _, described_class in CLASSES},
        {*SHARED, *enumerations()},
    )
    unknown = [
        (some.model, name) for some in TAKEN for name in _classes(models[some.model], some.names) - some.parts - known
    ]
    assert unknown == []


def _classes(described_class: Described, names: list[str]) -> set[str]:
    return described_class._replace(
        fields={name: described_class.fields[name] for name in (described_class.fields if names == ["*"] else names)}
    ).classes


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
    assert {*tea.fields} == {"size"}
    assert entries(tea.docstring) == {"size", "leaf", "other"}
    text = 'fields(Tea, "size leaf")\nfields(Cup, of="x", Tea=TEA)'
    assert list(taken(ast.parse(text))) == [Taken("Tea", ["size", "leaf"], set()), Taken("Cup", ["*"], {"Tea"})]
