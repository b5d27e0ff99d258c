"""Switches are set by commands and read where text is made: the facts about a record do not depend on them."""

from __future__ import annotations

import ast
import re
from functools import cache

from logdump.session.settings import Settings
from tests.laws.imports import modules, nodes_of, room_of, source_of

OF_THE_WORK = {
    *("notify", "trans_hist", "trans_rec_limit", "trans_byte_limit"),
    *("hash_stats", "save_file_comments", "engine", "across", "across_to"),
    "stops_at_failure",
}
"""Switches of what is done, not of how it is displayed."""
DISPLAY = {*Settings.__annotations__, "shows_everything"} - OF_THE_WORK
DISPLAYING = {"display", "language", "commands", "line", "tui", "cli"}
DISPLAYING_OF_FEATURES = re.compile(
    r"logdump\.features\.(?:\w+\.(?:command|text|json)|explain\.explained_message|sql\.\w+)"
)
READERS_BELOW = {
    "logdump.features.count.survey": {"detail"},  # Logdump's COUNT shows tables under DETAIL ON
    "logdump.features.export.sql_script": {"time_offset"},  # a script is text too
    "logdump.session.defined_names": {"time_offset"},  # a notice has the times of the trail
}


@cache
def _settings_members(module: str) -> tuple[tuple[str, type[ast.expr_context]], ...]:
    """The members of settings that a module uses, and whether it reads or assigns them."""
    path = modules()[module]
    nodes = nodes_of(path) if "settings" in source_of(path) else ()
    found = [node for node in nodes if isinstance(node, ast.Attribute)]
    return tuple((node.attr, type(node.ctx)) for node in found if _last_name(node.value) == "settings")


def _last_name(owner: ast.expr) -> str:
    return owner.attr if isinstance(owner, ast.Attribute) else getattr(owner, "id", "")


def _read(module: str) -> set[str]:
    return {name for name, context in _settings_members(module) if context is ast.Load}


def _set(module: str) -> set[str]:
    return {name for name, context in _settings_members(module) if context is ast.Store}


def test_format_is_set_by_its_command_and_at_the_start_alone() -> None:
    found = {module for module in modules() if "format" in _set(module)}
    assert found == {"logdump.commands.settings", "logdump.cli"}


def _sets_switches(module: str) -> str:
    return "logdump.commands" if DISPLAYING_OF_FEATURES.fullmatch(module) else room_of(module)


def test_only_commands_and_the_start_set_switches() -> None:
    setters = {_sets_switches(module) for module in modules() if _set(module)}
    assert setters == {"logdump.commands", "logdump.cli"}


def test_below_the_rooms_that_display_no_display_switch_is_read() -> None:
    found = {}
    for module in modules():
        package, room = (*module.split("."), "")[:2]
        displays = room in DISPLAYING or DISPLAYING_OF_FEATURES.fullmatch(module)
        if package == "logdump" and not displays and module != "logdump.session.settings":
            read = DISPLAY & _read(module)
            if read:
                found[module] = read
    assert found == READERS_BELOW
