"""Completion of an unfinished command line: words of the registry, files, and names in the open trail."""

from __future__ import annotations

from collections.abc import Sequence

from logdump.language.command import Registry
from logdump.language.reader import Context, Validity, parse_partial
from logdump.language.words import first_word, last_command, last_word, split_calls
from logdump.session.errors import CommandError


def complete(registry: Registry, line: str, context: Context = Context()) -> list[str]:  # noqa: B008 - it is a constant
    """Return the words that can replace the last word of ``line``.

    A path with blanks is in double quotes, which stay open after a folder.
    """
    command_text = line[last_command(line) :].lstrip()
    word, rest = first_word(command_text)
    if not rest and not command_text.endswith(" "):
        return [name for name in registry.words() if name.startswith(word.upper())]
    try:
        command = registry.find(word)
    except CommandError:
        return []
    last, offers = line[last_word(line) :], list[str]()
    for parameter, typed in parse_partial(command.form, rest, context).expected:
        before = last[: len(last) - len(typed[last_word(typed) :])]
        offers += [before + offer for offer in parameter.offers(typed, context)]
    return list(dict.fromkeys(offers))


def completed(line: str, offers: Sequence[str]) -> str:
    """The line with its last word replaced by what all offers begin with, or by the only one."""
    if not offers:
        return line
    start = last_word(line)
    if len(offers) == 1:
        return line[:start] + offers[0] + ("" if offers[0].endswith("/") else " ")
    common = 0
    while len({offer[: common + 1].upper() for offer in offers}) == 1 and common < len(offers[0]):
        common += 1
    return line[:start] + offers[0][:common] if common > len(line) - start else line


def validity(registry: Registry, line: str, context: Context = Context()) -> Validity:  # noqa: B008 - it is a constant
    """The validity of the worst command of a line."""
    validities = {_of_command(registry, word, rest, context) for word, rest in split_calls(line)}
    return next((worst for worst in (Validity.ERROR, Validity.INCOMPLETE) if worst in validities), Validity.VALID)


def _of_command(registry: Registry, word: str, rest: str, context: Context) -> Validity:
    try:
        command = registry.find(word)
    except CommandError:
        begins = any(name.startswith(word.upper()) for name in registry.words())
        return Validity.INCOMPLETE if begins and not rest else Validity.ERROR
    return parse_partial(command.form, rest, context).validity
