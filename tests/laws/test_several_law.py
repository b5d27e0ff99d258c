"""Where a docstring or a message says first, last or nearest, a test has several candidates.

``one_of_several.toml`` lists these places. A new one gets a line there: the test with three candidates, of which the
middle one is neither, not in the order of time in the file; or in a few words why there can be no others.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.laws.imports import ROOT, modules, tree_of

LIST = Path(__file__).with_name("one_of_several.toml")
_WORD = "first|last|oldest|newest|nearest|earliest|latest|next|previous"
_OF_SEVERAL = re.compile(
    rf"\b(?:the|its|their) (?:\w+ )?(?:{_WORD})\b|\b(?:oldest|newest|nearest|earliest|latest)\b", re.IGNORECASE
)
_SENTENCE = re.compile(r"(?<=[.:;])\s")


@cache
def _list() -> dict[str, Any]:
    return tomllib.loads(LIST.read_text(encoding="utf-8"))


def _is_public(name: str) -> bool:
    return not any(part.startswith("_") for part in name.split("."))


def _named(node: ast.AST, outer: str = "") -> Iterator[tuple[str, ast.FunctionDef | ast.ClassDef]]:
    """Yield the functions and classes of a module with their names, methods with that of the class."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.FunctionDef | ast.ClassDef):
            yield outer + child.name, child
            if isinstance(child, ast.ClassDef):
                yield from _named(child, f"{outer}{child.name}.")


def _texts(node: ast.AST) -> Iterator[str]:
    """Yield the strings in the code of a function, or the meanings of the fields of a class, without docstrings."""
    for child in ast.iter_child_nodes(node):
        is_docstring = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
        if isinstance(child, ast.Constant) and isinstance(child.value, str):
            yield child.value
        elif not is_docstring and not (isinstance(node, ast.ClassDef) and isinstance(child, ast.FunctionDef)):
            yield from _texts(child)


def _sentences(module: str, node: ast.FunctionDef | ast.ClassDef, name: str) -> Iterator[str]:
    """Yield the first sentence of a docstring of a public function; the messages of modules that make some."""
    if isinstance(node, ast.FunctionDef) and _is_public(name):
        yield _SENTENCE.split(" ".join((ast.get_docstring(node) or "").split()))[0]
    if module.rpartition(".")[2] in _list()["messages"]:
        yield from _texts(node)


def _says(sentence: str) -> bool:
    return bool(_OF_SEVERAL.search(re.sub("|".join(_list()["phrases"]), "", sentence)))


@cache
def _places() -> dict[str, str]:
    """The places that speak of one of several, and what each says."""
    return {
        f"{module}:{name}": sentence
        for module, path in modules().items()
        if module.startswith(tuple(_list()["rooms"]))
        for name, node in _named(tree_of(path))
        for sentence in _sentences(module, node, name)
        if _says(sentence)
    }


@cache
def _tests(file: str) -> frozenset[str]:
    return frozenset(node.name for node in ast.walk(tree_of(ROOT / file)) if isinstance(node, ast.FunctionDef))


def test_every_place_that_speaks_of_one_of_several_is_listed() -> None:
    listed = _list()["places"]
    assert [f"{place}: {said}" for place, said in _places().items() if place not in listed] == []


def test_every_place_that_is_listed_speaks_of_one_of_several() -> None:
    assert [place for place in _list()["places"] if place not in _places()] == []
    assert [
        phrase
        for phrase in _list()["phrases"]
        if not any(
            re.search(phrase, " ".join((ast.get_docstring(node) or "").split()))
            for path in modules().values()
            for _, node in _named(tree_of(path))
        )
    ] == []


def test_every_place_has_a_test_or_a_reason() -> None:
    wrong = []
    for place, said in _list()["places"].items():
        file, _, test = said.partition("::")
        if not (test in _tests(file) if test else len(said.split()) > 2):
            wrong.append(f"{place}: {said}")
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "is_one_of_several"),
    [
        ("Return the last whole transaction.", True),
        ("Return the oldest open one.", True),
        ("Return the nearest checkpoint.", True),
        ("Read the next word.", False),
        ("Read at first.", False),
    ],
)
def test_a_word_that_is_no_choice_is_none(text: str, is_one_of_several: bool) -> None:
    assert _says(text) == is_one_of_several
