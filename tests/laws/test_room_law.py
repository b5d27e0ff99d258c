"""The rooms of the house: few in each root, and each uses only those that stand before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from tests.laws.imports import ROOT, circles, edges, modules, room_of, source_of, statements, tree_of

ROOMS = {
    "trailformat": (
        "errors spec codec definitions records native values trail".split()  # noqa: SIM905
        + "changes scan transactions totals index arrays".split()  # noqa: SIM905
    ),
    "logdump": (
        "notation filters arrow session language display parameters tables features targets spark commands".split()  # noqa: SIM905
        + "line agents tui cli __main__".split()  # noqa: SIM905
    ),
}
"""From the ground up: a room may use those before it in the list."""
MOST = 16


def _names(package: str) -> set[str]:
    modules = (path.relative_to(ROOT / package) for path in (ROOT / package).rglob("*.py"))
    return {path.parts[0].removesuffix(".py") for path in modules if path.parts[0][0].isalpha()}


@pytest.mark.parametrize("package", ROOMS)
def test_a_root_has_at_most_sixteen_names_and_all_are_in_the_list(package: str) -> None:
    assert len(_names(package)) <= MOST
    assert _names(package) == {name for name in ROOMS[package] if name[0].isalpha()}


def test_the_page_on_the_architecture_lists_the_rooms_from_the_top() -> None:
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = re.findall(r"^    (?:logdump|trailformat)? +([a-z]+)  +\S", page, re.MULTILINE)
    above = [name for package in ("logdump", "trailformat") for name in reversed(ROOMS[package]) if name[0].isalpha()]
    assert listed == above


def _looks_up(module: str, other: str) -> bool:
    (package, room), (other_package, other_room) = room_of(module).split("."), room_of(other).split(".")
    if package != other_package:
        return package == "trailformat"
    return ROOMS[package].index(other_room) > ROOMS[package].index(room)


def test_arrows_lead_to_rooms_before() -> None:
    found = {(module, room_of(other)) for module, used in edges().items() for other in used if _looks_up(module, other)}
    assert found == set()


def _hooks(tree: ast.Module) -> Iterator[str]:
    """What a module assigns when it is imported, or while a function runs, that another module or class owns."""
    nodes = [*statements(tree)][::-1]
    names = [name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    foreign = {(name.asname or name.name).split(".")[0] for name in names if name.name.split(".")[0] in ROOMS}
    sources = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    foreign |= {n.asname or n.name for node in sources if str(node.module).split(".")[0] in ROOMS for n in node.names}
    for node in nodes:
        targets = node.targets if isinstance(node, ast.Assign | ast.Delete) else [getattr(node, "target", None)]
        for target in targets if isinstance(node, ast.Assign | ast.Delete | ast.AnnAssign | ast.AugAssign) else []:
            owner = target
            while isinstance(owner, ast.Attribute | ast.Subscript):
                owner = owner.value
            if owner is not target and isinstance(owner, ast.Name) and owner.id in foreign:
                yield ast.unparse(node)


def test_no_module_puts_anything_into_another() -> None:
    """A room that needs what a higher one knows is given it by argument, not by an assignment into it."""
    ours = "import logdump.b as c\nfrom trailformat.d import Table\nown = c.search\n"
    source = ours + "c.search = len\nTable['x'] = 1\nTable.size: int = 2\n"
    assert [*_hooks(ast.parse(source))] == ["c.search = len", "Table['x'] = 1", "Table.size: int = 2"]
    found = {name: [*_hooks(tree_of(path))] for name, path in modules().items()}
    assert {name: hooks for name, hooks in found.items() if hooks} == {}


SCREEN = ("keys", "text", "reading", "model", "panes", "navigation", "app", "start")
"""The rooms of the full screen, from the ground up."""


def test_arrows_inside_the_screen_lead_to_rooms_before() -> None:
    inside = "logdump.tui."
    rooms = {
        (module.removeprefix(inside).split(".")[0], other.removeprefix(inside).split(".")[0])
        for module, used in edges().items()
        for other in used
        if module.startswith(inside) and other.startswith(inside)
    }
    assert [pair for pair in sorted(rooms) if SCREEN.index(pair[1]) > SCREEN.index(pair[0])] == []


FINDINGS_OF_OTHERS = {
    "bounded_recovery": {"heartbeat": "the restart position that a beat holds", "recovery": "lists that are cut"},
    "check": {"recovery": "versions of the files"},
    "doctor": {
        "check": "damage",
        "count": "records by table and hour",
        "explain": "what has become of the processes",
        "heartbeat": "the lag of each path",
        "recovery": "restarts, cut transactions, files to keep",
        "transactions": "the largest ones",
    },
    "explain": {
        "bounded_recovery": "how far back a restart of Extract reads",
        "check": "damage at the place that a message names",
        "ddl": "what the processes make of a statement",
        "heartbeat": "the lag of each hop",
        "recovery": "what a restart has left",
        "safe": "where the process of a message can be restarted",
    },
    "export": {"heartbeat": "EXPORT HEARTBEAT", "redo": "EXPORT SQL"},
    "parameters": {"count": "records by table", "ddl": "the mapping of tables"},
    "redo": {"export": "work side by side"},
    "redact": {"ddl": "names in a statement"},
    "repair": {
        "diff": "the proof that no sound record is lost",
        "recovery": "transactions that damage cuts",
        "save": "a file header",
    },
    "row": {"redo": "the SQL that takes changes back"},
    "report": {
        "explain": "the meaning of a message",
        "row": "the story of a row",
        "check": "damage",
        "count": "names of record types",
        "doctor": "the answers of commands about a trail",
        "export": "a file that appears when it is complete",
        "list": "the records of a transaction",
        "recovery": "what a restart has left",
        "safe": "where a Replicat can be restarted",
        "timeline": "volume and lags",
        "transactions": "the largest ones",
    },
    "sql": {"export": "files of a result"},
    "timeline": {"bounded_recovery": "open transactions", "heartbeat": "lags"},
    "watch": {"doctor": "when the disk is full", "heartbeat": "lags"},
}
"""Features that put together what others have found, and what that is."""


def _feature(module: str) -> str | None:
    parts = module.split(".")
    return parts[2] if parts[:2] == ["logdump", "features"] and len(parts) > 2 else None


def test_a_feature_uses_no_other_but_for_what_that_has_found() -> None:
    found: dict[str, set[str]] = {}
    for module, used in edges().items():
        own = _feature(module)
        others = {name for name in map(_feature, used) if name} - {own}
        if own and others:
            found.setdefault(own, set()).update(others)
    assert found == {name: set(uses) for name, uses in FINDINGS_OF_OTHERS.items()}


def test_no_modules_lead_to_each_other() -> None:
    assert circles(edges()) == []


def test_no_public_class_name_stands_twice() -> None:
    homes: dict[str, list[str]] = {}
    for module, path in modules().items():
        for name in re.findall(r"^class ([A-Za-z]\w*)", source_of(path), re.MULTILINE):
            homes.setdefault(name, []).append(module)
    assert {name: found for name, found in homes.items() if len(found) > 1} == {}
