"""What may come next on an unfinished command line: words of the registry, files, and what the open trail holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from logdump.language.command import Command
from logdump.language.registry import Registry
from logdump.language.words import first_word, last_command, last_word, plain
from logdump.session.errors import CommandError

_TAKES_A_FILE = frozenset(
    {"OPEN", "OBEY", "LOG", "CD", "FILES", "SAVE", "CHECK", "LOB", "SOURCEDEFS", "TUI", "EXPORT", "PARAMS"}
)
_TABLE_OPTIONS = frozenset({"FILENAME", "FILE", "GGSFILE"})
_TYPE_OPTIONS = frozenset({"RECTYPE", "IOTYPE"})
_BEFORE_A_TERM = frozenset({"", "INCLUDE", "EXCLUDE", "INC", "EXC", "CLEAR"})
_QUOTE = '"'


def complete(registry: Registry, line: str, tables: Iterable[str] = ()) -> list[str]:
    """The words that can stand in place of the last word of ``line``; ``tables`` are names in the open trail.

    A path with blanks is in double quotes, which stay open behind a folder.
    """
    command_text = line[last_command(line) :].lstrip()
    word, rest = first_word(command_text)
    last = line[last_word(line) :]
    if not rest and not command_text.endswith(" "):
        return [name for name in registry.words() if name.startswith(word.upper())]
    try:
        command = registry.find(word)
    except CommandError:
        return []
    before = rest[: len(rest) - len(last)].upper().split() if last else rest.upper().split()
    named = sorted({one for one in _names(command, before, tables) if one.upper().startswith(last.upper())})
    words = [plain(one) for one in command.options] if command.name != "HELP" else list(_of_help(registry, before))
    fitting = [one for one in words if one.startswith(last.upper()) and one not in named]
    return [*named, *fitting, *(_files(last) if command.name in _TAKES_A_FILE else ())]


def _names(command: Command, before: Sequence[str], tables: Iterable[str]) -> Iterable[str]:
    """Tables, record types and terms, where the words before ask for one."""
    option = before[-1] if before else ""
    if option in _TABLE_OPTIONS or (command.name == "SCANFORTYPE" and option.endswith(",")):
        return [one for one in tables if one and " " not in one]
    if option in _TYPE_OPTIONS or (command.name == "SCANFORTYPE" and not before):
        from trailformat import IO_TYPES  # noqa: PLC0415 - needed for types only

        return [name for name in IO_TYPES.values() if " " not in name]
    return [one.keyword for one in command.terms()] if option in _BEFORE_A_TERM else ()


def _of_help(registry: Registry, before: Sequence[str]) -> Iterator[str]:
    """The terms of the command that HELP has been given, or every command."""
    if before and registry.knows(before[0]):
        yield from (one.keyword for one in registry.find(before[0]).terms())
    else:
        yield from registry.words()


def _files(word: str) -> Iterator[str]:
    """The files whose path begins with a word, which may have its opening quote; not those that no word can spell."""
    quote = word[:1] if word.startswith(_QUOTE) else ""
    beginning = word[len(quote) :]
    if _QUOTE in beginning:
        return
    at = beginning.rfind("/") + 1
    folder, name = beginning[:at], beginning[at:]
    try:
        entries = sorted(Path(folder).expanduser().iterdir())
        paths = [(folder + one.name, one.is_dir()) for one in entries if one.name.startswith(name)]
    except (OSError, RuntimeError):
        return
    for path, is_folder in paths:
        is_home = str(Path(path)).startswith("~") and not folder.startswith("~")
        if path.isprintable() and _QUOTE not in path and not is_home:
            yield _spelled(path, quote, is_folder=is_folder)


def _spelled(path: str, quote: str, *, is_folder: bool) -> str:
    """A path as a word, quoted if it was or must be; a folder may go on."""
    quote = quote or (_QUOTE if any(one.isspace() or one in ";," for one in path) else "")
    return f"{quote}{path}/" if is_folder else f"{quote}{path}{quote}"


def completed(line: str, found: Sequence[str]) -> str:
    """The line with its last word replaced by what all offers begin with, or by the only one."""
    if not found:
        return line
    start = last_word(line)
    if len(found) == 1:
        return line[:start] + found[0] + ("" if found[0].endswith("/") else " ")
    common = 0
    while len({one[: common + 1].upper() for one in found}) == 1 and common < len(found[0]):
        common += 1
    return line[:start] + found[0][:common] if common > len(line) - start else line
