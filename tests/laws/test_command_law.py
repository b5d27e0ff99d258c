"""Commands are entries of the registry: nothing beside it knows one by its name, and their modules hold no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from logdump.commands import REGISTRY
from tests.laws.imports import modules

A_KEY_TOO = "?"
NAMES = {word for command in REGISTRY.commands for word in (command.name, *command.aliases)} - {A_KEY_TOO}
KEYS = "logdump.tui.keys.keys"
"""The table that maps keys to the lines they enter."""
ENTERING = {"enter", "run_commands"}
"""The functions that take a line, as it is typed."""


def _parts_of_lines_and_texts(tree: ast.AST) -> Iterator[ast.AST]:
    """What stands in the arguments of functions that take a line, or within a longer text."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            yield from node.values
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in ENTERING:
            for argument in node.args:
                yield from ast.walk(argument)


def _names_of_commands(source: str) -> set[str]:
    tree = ast.parse(source)
    others = {id(node) for node in _parts_of_lines_and_texts(tree)}
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in others)
    return {text for text in found if isinstance(text, str) and text in NAMES}


def test_neither_the_language_nor_the_screen_knows_a_command_by_its_name() -> None:
    some = {one: path for one, path in modules().items() if one.startswith(("logdump.tui", "logdump.language"))}
    found = {one: _names_of_commands(path.read_text(encoding="utf-8")) for one, path in some.items() if one != KEYS}
    assert {one: names for one, names in found.items() if names} == {}


def test_every_module_of_commands_holds_some() -> None:
    of_features = {name for name in modules() if re.fullmatch(r"logdump\.features\.\w+\.command", name)}
    names = {name for name in modules() if re.fullmatch(r"logdump\.commands\.(?!records)\w+", name)} | of_features
    assert names == set(REGISTRY._homes.values())


def test_a_module_of_commands_defines_the_names_that_it_is_loaded_for() -> None:
    words = [(word, command.name) for command in REGISTRY.commands for word in (command.name, *command.aliases)]
    assert [word for word, name in words if REGISTRY.find(word).name != name] == []
