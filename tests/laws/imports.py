"""The sources of our modules, read and parsed once for all laws, and who knows whom.

Every import counts, those inside functions and for type checkers alone included.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import trailformat

ROOT = Path(__file__).parents[2]
PACKAGES = ("trailformat", "logdump")


@cache
def modules() -> dict[str, Path]:
    """The file of each module, by its dotted name."""
    found = {}
    for package in PACKAGES:
        for path in sorted((ROOT / package).rglob("*.py")):
            name = ".".join(path.relative_to(ROOT).with_suffix("").parts)
            found[name.removesuffix(".__init__")] = path
    return found


@cache
def source_of(path: Path) -> str:
    """The text of a module."""
    return path.read_text(encoding="utf-8")


@cache
def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a module, which no law changes."""
    return ast.parse(source_of(path))


@cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    """All nodes of the syntax tree of a module."""
    return (*ast.walk(tree_of(path)),)


_BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    """The statements of a module, also those in others; expressions, which are most of it, hold none."""
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        yield node
        waiting += (inner for block in _BLOCKS for inner in getattr(node, block, ()) if isinstance(inner, ast.AST))


def imported(tree: ast.AST) -> Iterator[str]:
    """What the statements of a module import."""
    for node in statements(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names if node.module is not None)


def home_of(name: str) -> str | None:
    """The module that an imported name leads to; None where it is not ours."""
    package, _, last = name.rpartition(".")
    if package == "trailformat" and last in trailformat._HOMES:
        return f"trailformat.{trailformat._HOMES[last]}"
    return next((module for module in (name, package) if module in modules()), None)


@cache
def edges() -> dict[str, frozenset[str]]:
    """The modules that each module imports."""
    found = {}
    for name, path in modules().items():
        if name in PACKAGES:
            continue  # the names of the package itself are offered, not used
        homes = map(home_of, imported(tree_of(path)))
        found[name] = frozenset(home for home in homes if home is not None and home not in (*PACKAGES, name))
    return found


def room_of(module: str) -> str:
    """The name in the root of the package that a module lies in, such as ``logdump.display``."""
    return ".".join(module.split(".")[:2])


def circles(graph: Mapping[str, frozenset[str]]) -> list[list[str]]:
    """The sets of names that lead to each other, sorted."""
    reached: dict[str, set[str]] = {}
    for start in graph:
        seen, waiting = set[str](), [start]
        while waiting:
            for module in graph.get(waiting.pop(), ()):
                if module not in seen:
                    seen.add(module)
                    waiting.append(module)
        reached[start] = seen
    groups = {
        frozenset(reached_module for reached_module in reached[name] if name in reached.get(reached_module, ()))
        for name in graph
        if name in reached[name]
    }
    return sorted(map(sorted, groups))
