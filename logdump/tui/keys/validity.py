"""Whether a line being typed would run: by the registry's spellings and by the filter's own parser, nothing is run."""

from __future__ import annotations

import enum
import re

from logdump.filters import FilterSet
from logdump.filters.criteria import OPTIONS
from logdump.filters.errors import FilterError
from logdump.filters.statement import apply
from logdump.language.command import Command, Origin
from logdump.language.registry import Registry
from logdump.language.words import first_word, is_keyword, plain, split_commands
from logdump.notation.times import GMT
from logdump.session.errors import CommandError
from trailformat import io_type_number

_CHOICE = re.compile(r"\{([A-Z0-9. |]+)\}")
_NUMBER = re.compile(r"[0-9]{1,20}|0[xX][0-9a-fA-F]*")


class Validity(enum.Enum):
    """What would become of a line; INCOMPLETE: something is still missing."""

    VALID = "valid"
    INCOMPLETE = "incomplete"
    ERROR = "error"


def validity(registry: Registry, text: str) -> Validity:
    """The validity of the worst command of a line."""
    found = [_of_command(registry, one) for one in split_commands(text)]
    return next((one for one in (Validity.ERROR, Validity.INCOMPLETE) if one in found), Validity.VALID)


def _of_command(registry: Registry, text: str) -> Validity:
    word, rest = first_word(text)
    try:
        command = registry.find(word)
    except CommandError:
        begins = any(name.startswith(word.upper()) for name in registry.words())
        return Validity.INCOMPLETE if begins and not rest else Validity.ERROR
    if command.name == "FILTER":
        return _of_filter(rest)
    if command.name == "SCANFORTYPE":
        return _of_type(rest)
    return _of_words(command, rest)


def _of_filter(rest: str) -> Validity:
    try:
        apply(FilterSet(), rest, GMT)
    except FilterError:
        words = rest.upper().split()
        known = {plain(one.keyword) for one in OPTIONS} | {"INCLUDE", "EXCLUDE", "INC", "EXC", "CLEAR", "MATCH", "SHOW"}
        known |= {"ENABLE", "DISABLE", "ON", "OFF"}
        first = [word for word in words if word not in {"INCLUDE", "EXCLUDE", "INC", "EXC"}][:1]
        could_be = not first or any(name.startswith(first[0]) for name in known)
        return Validity.INCOMPLETE if could_be else Validity.ERROR
    return Validity.VALID


def _of_type(rest: str) -> Validity:
    name = rest.partition(",")[0].strip().strip('"')
    if not name:
        return Validity.INCOMPLETE
    return Validity.VALID if io_type_number(name) is not None else Validity.INCOMPLETE


def _of_words(command: Command, rest: str) -> Validity:
    """By the syntax: one of the words in braces, a number, or whatever the command makes of it."""
    choice = _CHOICE.fullmatch(command.syntax.removeprefix(command.name).strip())
    words = rest.split()
    if choice is not None:
        return _of_choice(words, [word.strip() for word in choice[1].split("|")])
    if command.name == "POSITION" and command.origin is Origin.LOGDUMP:
        spellings = command.options
        bad = [
            one for one in words[:1] if not _NUMBER.fullmatch(one) and not any(is_keyword(one, s) for s in spellings)
        ]
        if bad:
            begins = any(plain(spelling).startswith(bad[0].upper()) for spelling in spellings)
            return Validity.INCOMPLETE if begins else Validity.ERROR
    if command.name == "NEXT":
        return Validity.VALID if all(_NUMBER.fullmatch(one) for one in words[:1]) else Validity.ERROR
    return Validity.VALID


def _of_choice(words: list[str], choices: list[str]) -> Validity:
    if not words:
        return Validity.VALID
    word = " ".join(words).upper()
    if word in choices:
        return Validity.VALID
    return Validity.INCOMPLETE if any(one.startswith(word) for one in choices) else Validity.ERROR
