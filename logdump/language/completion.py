"""What may come next on an unfinished command line."""

from __future__ import annotations

from pathlib import Path

from logdump.language.registry import Registry
from logdump.language.words import first_word, plain
from logdump.session import CommandError

_TAKES_A_FILE = frozenset({"OPEN", "OBEY", "LOG", "CD", "FILES", "SAVE", "CHECK", "LOB"})


def complete(registry: Registry, line: str) -> list[str]:
    """The words that can stand in place of the last word of ``line``."""
    command_text = line.rsplit(";", 1)[-1].lstrip()
    word, rest = first_word(command_text)
    if not rest and not command_text.endswith(" "):
        return [name for name in registry.words() if name.startswith(word.upper())]
    try:
        command = registry.find(word)
    except CommandError:
        return []
    last = "" if command_text.endswith(" ") else rest.rsplit(" ", 1)[-1]
    options = [plain(option) for option in command.options if plain(option).startswith(last.upper())]
    return options + (_files(last) if command.name in _TAKES_A_FILE else [])


def _files(beginning: str) -> list[str]:
    path = Path(beginning)
    directory = path if beginning.endswith("/") else path.parent
    shown = beginning if beginning.endswith("/") else beginning[: len(beginning) - len(path.name)]
    name = "" if beginning.endswith("/") else path.name
    try:
        entries = sorted(directory.iterdir())
    except OSError:
        return []
    return [shown + one.name + ("/" if one.is_dir() else "") for one in entries if one.name.startswith(name)]
