"""What holds for every command: help, unique names, a transcript.

Commands are entries of the registry: nothing beside it knows one by its name, and their modules hold no other.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator

import pytest

from logdump.commands import REGISTRY
from logdump.display import json_lines, text
from logdump.language.command import Origin
from logdump.language.words import split_calls
from logdump.session.errors import CommandError
from tests.laws.imports import modules, tree_of
from tests.transcripts.play import SCRIPTS

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


def _names_of_commands(tree: ast.Module) -> set[str]:
    others = {id(node) for node in _parts_of_lines_and_texts(tree)}
    found = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in others)
    return {text for text in found if isinstance(text, str) and text in NAMES}


def test_neither_the_language_nor_the_screen_knows_a_command_by_its_name() -> None:
    some = {
        module: path for module, path in modules().items() if module.startswith(("logdump.tui", "logdump.language"))
    }
    found = {module: _names_of_commands(tree_of(path)) for module, path in some.items() if module != KEYS}
    assert {module: names for module, names in found.items() if names} == {}


def test_every_module_of_commands_holds_some() -> None:
    of_features = {name for name in modules() if re.fullmatch(r"logdump\.features\.\w+\.command", name)}
    names = {name for name in modules() if re.fullmatch(r"logdump\.commands\.(?!records)\w+", name)} | of_features
    assert names == set(REGISTRY._homes.values())


def test_a_module_of_commands_defines_the_names_that_it_is_loaded_for() -> None:
    words = [(word, command.name) for command in REGISTRY.commands for word in (command.name, *command.aliases)]
    assert [word for word, name in words if REGISTRY.find(word).name != name] == []


LOGDUMP_WORDS = set(
    """
    ARGETNONDATACHANGES ARSTOPNONDATACHANGES ASCIIDATA EBCDICDATA ASCIIDUMP EBCDICDUMP ASCIIHEADER EBCDICHEADER BEGIN
    BULKIOSTATS CALCTLFKEY CD COLUMNDATA COMPUTETIMESTAMP COUNT CTIME DATAFILE DEBUG DECRYPT DETAIL DET DUMP ENCRYPT ENV
    ESBLOCK EXIT QUIT FC FILEHEADER FILES FI DIR FILEINFO FILTER FLOAT GGSAUDITREAD GGSTOKEN GHDR HASHCLEAR HASHRESET
    HASHSTATS HEADERTOKEN HELP HISTORY HIST INTERPRETINTERVAL INTERPRETTIMESTAMP LOG OUT METADATA NEXT N RECORD REC
    NEXTTRAIL NT NOTIFY NOTIFYINTERVAL OBEY O SOURCE OPEN FROM LOGTRAIL POSITION POS RECLEN SAVE SCANFORENDTRANS SFET
    SCANFORHEADER SFH SCANFORMETADATA SFMD SCANFORRBA SFR SCANFORTIME SFTS SCANFORTYPE SFT SCANSCROLLING SHOW SH SHO
    SKIP TIME TIMEOFFSET TMFBEFOREIMAGE TMFGETRECADDR NOTMFGETRECADDR TMFIGNORERECCOUNT TRAILFORMAT TRANSBYTELIMIT
    TRANSHIST TRANSRECLIMIT USERTOKEN VOLUME VOL V WRITELOG X BIO SCANFORNEXTTRANS SFNT SAVEFILECOMMENT
    PRINTMXCOLUMNINFO WRITEREC
    """.split()  # noqa: SIM905 - a list of so many would fill a page
)
"""Names and aliases in Logdump's reference and in its HELP."""
COMMANDS = REGISTRY.commands
IDS = [command.name for command in COMMANDS]


@pytest.fixture(scope="module")
def in_transcripts() -> set[str]:
    """The names of the commands that some transcript runs."""
    found = set()
    for script in SCRIPTS:
        for line in script.read_text(encoding="utf-8").splitlines():
            for word, _ in split_calls(line):
                try:
                    found.add(REGISTRY.find(word).name)
                except CommandError:
                    continue
    return found


def test_a_command_has_help() -> None:
    for command in COMMANDS:
        assert re.match(rf"{command.name}\b", command.syntax)
        assert command.summary[0].isupper(), command.name
        assert not command.summary.endswith("."), command.name
        assert command.run.__doc__ or "<locals>" in command.run.__qualname__, command.name


def test_names_and_aliases_are_unique() -> None:
    words = Counter(word for command in COMMANDS for word in (command.name, *command.aliases))
    assert [word for word, times in words.items() if times > 1] == []
    assert all(word == word.upper() for word in words)


def test_our_commands_take_no_word_of_logdump() -> None:
    ours = [word for command in COMMANDS if command.origin is Origin.OURS for word in (command.name, *command.aliases)]
    assert [(word, known_word) for word in ours for known_word in LOGDUMP_WORDS if known_word.startswith(word)] == []


def test_every_word_of_logdump_is_a_command() -> None:
    assert [word for word in LOGDUMP_WORDS if REGISTRY.find(word).origin is not Origin.LOGDUMP] == []


def test_every_command_occurs_in_a_transcript(in_transcripts: set[str]) -> None:
    assert {command.name for command in COMMANDS} - in_transcripts == set()


@pytest.mark.parametrize("table", [json_lines._OF_THE_SESSION, text._OF_THE_SESSION], ids=["JSON", "text"])
def test_every_module_that_renders_events_of_the_session_is_there(table: tuple[str, ...]) -> None:
    assert {f"logdump.display.{name}" for name in table} <= set(modules())
