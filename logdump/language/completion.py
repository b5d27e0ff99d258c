"""Completion of an unfinished command line: words of the registry, files, and names in the open trail."""

from __future__ import annotations

from collections.abc import Sequence

from logdump.language.reader import Context, parse_partial
from logdump.language.registry import Registry
from logdump.language.words import first_word, last_command, last_word
from logdump.session.errors import CommandError


def complete(registry: Registry, line: str, context: Context = Context()) -> list[str]:  # noqa: B008 - it is a constant
    """The words that can stand in place of the last word of ``line``.

    A path with blanks is in double quotes, which stay open behind a folder.
    """
    command_text = line[last_command(line) :].lstrip()
    word, rest = first_word(command_text)
    if not rest and not command_text.endswith(" "):
        return [name for name in registry.words() if name.startswith(word.upper())]
    try:
        command = registry.find(word)
    except CommandError:
        return []
    last, found = line[last_word(line) :], list[str]()
    for parameter, typed in parse_partial(command.form, rest, context).expected:
        before = last[: len(last) - len(typed[last_word(typed) :])]
        found += [before + offer for offer in parameter.offers(typed, context)]
    return list(dict.fromkeys(found))


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
