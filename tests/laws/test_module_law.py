"""A module has two users or 150 lines: one that has neither is part of the module that uses it."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from tests.laws.imports import ROOT, home_of, imported, modules, source_of, tree_of

LEAST_LINES = 150
OF_A_KIND = {
    r"logdump\.features\.\w+\.(command|model|survey|text|json|views)": "found by the package of the feature",
    r"logdump\.commands\.\w+": "registered: the commands of one topic",
    r"logdump\.spark\.jobs\.\w+_job": "registered: the job of one command",
    r"logdump\.display\.\w*(text|json)\w*": "found by the class of the event",
    r"logdump\.filters\.\w+_criteria": "the options of FILTER of one kind",
    r"logdump\.tui\.panes\.\w+": "one pane",
    r"trailformat\.native\.\w+\.\w+": "kernels that compile by themselves",
    r".*\.__main__": "the program",
}
"""Modules of which there is one for each thing of a kind, and what that is."""
_ANOTHER_IDEA = "another idea than that of its user, which reads worse with both"
EXCEPTIONS = {
    "logdump.features.repair.proof": "it judges what its user makes",
    "logdump.features.report.markdown": "one format of a report",
    "logdump.spark.comparison.moved": _ANOTHER_IDEA,
    "logdump.spark.errors": "programs import it",
}
"""Modules that stay by themselves, and why; the list gets no longer."""


def _users() -> tuple[dict[str, set[str]], set[str]]:
    """The users of each module, and the modules that are loaded when a function needs them."""
    users, deferred = defaultdict[str, set[str]](set), set[str]()
    others = [path for folder in ("scripts", "fixtures", "benchmarks") for path in (ROOT / folder).rglob("*.py")]
    for name, path in [*modules().items(), *((str(path), path) for path in others)]:
        tree = tree_of(path)
        at_once = {home_of(used) for node in tree.body if _runs_at_once(node) for used in imported(node)}
        for home in {home_of(used) for used in imported(tree)} - {None, name}:
            assert home is not None
            users[home].add(name)
            if home not in at_once:
                deferred.add(home)
    return users, deferred


def _runs_at_once(node: ast.stmt) -> bool:
    is_for_types = isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
    return not is_for_types and not isinstance(node, ast.FunctionDef | ast.ClassDef | ast.With)  # With: on_demand


def _is_offered(module: str, users: set[str]) -> bool:
    """Whether the package that a module lies in offers it to others."""
    return users == {module.rpartition(".")[0]}


def test_a_module_has_two_users_or_150_lines() -> None:
    users, deferred = _users()
    small = {
        name
        for name, path in modules().items()
        if path.name != "__init__.py"
        and source_of(path).count("\n") < LEAST_LINES
        and len(users[name]) < 2
        and name not in deferred
        and not _is_offered(name, users[name])
        and not any(re.fullmatch(pattern, name) for pattern in OF_A_KIND)
    }
    assert small - set(EXCEPTIONS) == set(), "put each into its user, or give it another"
    assert set(EXCEPTIONS) - small == set(), "no exceptions any more"


_REFERENCE = re.compile(r":\w+:`~?((?:logdump|trailformat)\.[\w.]+)`")
_OF_DOCUMENT = re.compile(r"`((?:\w+\.)+\w+)`")


def test_what_docstrings_and_the_architecture_name_is_there() -> None:
    rooms = {name.split(".")[1] for name in modules() if "." in name}
    named = {(name, path.name) for path in modules().values() for name in _REFERENCE.findall(source_of(path))}
    page = (ROOT / "docs" / "architecture.md").read_text("utf-8")
    named |= {
        (name, "architecture.md") for name in _OF_DOCUMENT.findall(page) if name.split(".")[0] in rooms - {"spark"}
    }
    assert [pair for pair in sorted(named) if not _is_there(pair[0])] == []


def _is_there(name: str) -> bool:
    """Whether this is a module, or a name at its top; ``logdump`` or ``trailformat`` may be left out."""
    known = {each: path for module, path in modules().items() for each in (module, module.partition(".")[2]) if each}
    module = next((begun for begun in _beginnings(name) if begun in known), None)
    if module in (None, name):
        return module == name
    inner = name.removeprefix(f"{module}.").partition(".")[0]
    text = source_of(known[module])
    return re.search(rf'^(def |class )?{inner}\b|"{inner}"', text, re.MULTILINE) is not None


def _beginnings(name: str) -> Iterator[str]:
    """A dotted name, and what is left of it without its last parts."""
    while name:
        yield name
        name = name.rpartition(".")[0]
