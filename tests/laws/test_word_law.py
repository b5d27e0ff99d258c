"""Docstrings use plain words: a sentence says who does what."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.laws.imports import statements, tree_of

ROOT = Path(__file__).parents[2]
PACKAGES = ("trailformat", "logdump", "pyspark_trail")
PLAIN = {
    "behind": "after, follows",
    "told": "shown, identified by",
    "tells": "says, shows",
    "stands": "is",
    "stand": "is",
    "so many": "a number of, N",
    "likewise": "the thing itself",
}
"""Words of our former dialect, and what to write for them."""
_WORDS = re.compile(rf"(?<![\w`.])({'|'.join(PLAIN)})(?![\w`(])", re.IGNORECASE)
_CLAUSE = re.compile(r"(What|Whether|Where|Which|They)\b[^.:;]*\.?")


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Docstrings, and the strings below constants and attributes, with their lines."""
    for node in statements(tree):
        for statement in getattr(node, "body", []):
            value = statement.value if isinstance(statement, ast.Expr) else None
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                yield value.lineno, value.value


MODULES = [path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))]


def test_docstrings_use_plain_words() -> None:
    wrong = [
        f"{path}:{line}: {word}: write {PLAIN[word.lower()]}"
        for path in MODULES
        for line, text in docstrings(tree_of(path))
        for word in _WORDS.findall(text)
    ]
    assert wrong == []


def test_a_docstring_is_no_clause_without_a_verb_of_its_own() -> None:
    wrong = [
        f"{path}:{line}: {text}"
        for path in MODULES
        for line, text in docstrings(tree_of(path))
        if _CLAUSE.fullmatch(text.strip())
    ]
    assert wrong == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("The record behind it tells so many things.", ["behind", "tells", "so many"]),
        ("Position after ``behind``; see :func:`told`.", []),
    ],
)
def test_a_name_is_no_word(text: str, words: list[str]) -> None:
    assert _WORDS.findall(text) == words
