"""Few places choose between records one by one and columns: each has one constant, which says what was measured."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from typing import NamedTuple

import pytest

from tests.laws.imports import ROOT, modules, tree_of


class Choice(NamedTuple):
    """The constant of a choice, and the test that goes both ways, by its file and name."""

    constant: str
    test: str


CHOICES = {
    "trailformat.trail.file": Choice("_FAR", "trailformat/test_table_definitions.py::way"),
    "trailformat.scan.position": Choice(
        "NEARBY", "trailformat/test_transaction_extent.py::test_both_engines_find_the_same"
    ),
    "logdump.session.scan": Choice("_BACK", "logdump/test_selection.py::test_columns_find_backwards_what_records_find"),
    "logdump.commands.position": Choice(
        "_MANY", "logdump/test_next_of_many.py::test_records_are_made_by_columns_from_a_number_on"
    ),
    "logdump.features.export.text_formats": Choice(
        "_MANY_BYTES", "logdump/export/test_files.py::test_parts_of_a_file_have_the_lines_of_all_of_it"
    ),
}
"""The choices, by their modules."""
MOST = 5
_LOADED = re.compile(r"\b(?:kernels?|numpy|columns|threads|marks?|index|scann?ed)\b")
_FROM = re.compile(r"\b(?:from|above|below|beyond|up to) which\b|\bworth\b|\bpays?\b|\bwalked back\b|\bat once\b")


def _described(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The constants of a module that have a docstring, and that."""
    for node, after in pairwise(tree.body):
        if isinstance(node, ast.Assign) and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
            yield ast.unparse(node.targets[0]), str(after.value.value)


def _choosing(tree: ast.Module) -> set[str]:
    """The constants of a module that choose a way."""
    return {name for name, text in _described(tree) if _LOADED.search(text) and _FROM.search(text)}


def test_no_other_constant_chooses_a_way() -> None:
    found = {(module, name) for module, path in modules().items() for name in _choosing(tree_of(path))}
    assert found <= {(module, choice.constant) for module, choice in CHOICES.items()}
    assert len(CHOICES) <= MOST


@pytest.mark.parametrize("module", CHOICES)
def test_a_choice_says_what_was_measured(module: str) -> None:
    described = dict(_described(tree_of(modules()[module])))
    assert re.search(r"\btakes?\b", described[CHOICES[module].constant])


@pytest.mark.parametrize("choice", CHOICES.values(), ids=CHOICES)
def test_a_test_goes_both_ways(choice: Choice) -> None:
    path, _, name = choice.test.partition("::")
    source = (ROOT / "tests" / path).read_text(encoding="utf-8")
    functions = {node.name: node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}
    body = ast.unparse(functions[name])
    # the way that differs is set in the test itself, or in a table of ways that it is run with
    assert f"'{choice.constant}'" in body or ("WAYS" in body and f'"{choice.constant}"' in source)
    assert re.search(r"expected|request\.param|together", body)


@pytest.mark.parametrize(
    "text",
    [
        "Records from which on columns are made.",
        "Bytes below which threads take longer.",
        "Rows that are read one by one before a kernel pays.",
        "Records that are walked back over before all of them are scanned.",
    ],
)
def test_another_choice_would_be_found(text: str) -> None:
    assert _choosing(ast.parse(f'_MANY = 100\n"""{text}"""\n')) == {"_MANY"}
