"""What may stand in place of the last word of the prompt: the registry's offers, and what this trail holds."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from logdump.filters.criteria import OPTIONS
from logdump.language.completion import complete
from logdump.language.registry import Registry
from logdump.language.words import first_word, plain
from logdump.session import CommandError
from trailformat import IO_TYPES

_TABLE_OPTIONS = frozenset({"FILENAME", "FILE", "GGSFILE"})
_TYPE_OPTIONS = frozenset({"RECTYPE", "IOTYPE"})
_SETS = ("INCLUDE", "EXCLUDE", "INC", "EXC")


def offers(registry: Registry, text: str, tables: Iterable[str]) -> list[str]:
    """The words that fit; those of the trail in front."""
    command_text = text.rsplit(";", 1)[-1].lstrip()
    word, rest = first_word(command_text)
    if not rest and not command_text.endswith(" "):
        return complete(registry, text)
    last = "" if command_text.endswith(" ") else rest.rsplit(" ", 1)[-1]
    before = rest.upper().split() if not last else rest.upper().split()[:-1]
    try:
        name = registry.find(word).name
    except CommandError:
        return []
    own = _of_trail(name, before, tables)
    fitting = sorted({one for one in own if one.upper().startswith(last.upper())})
    return fitting + [one for one in complete(registry, text) if one not in fitting]


def _of_trail(command: str, before: Sequence[str], tables: Iterable[str]) -> Iterable[str]:
    option = before[-1] if before else ""
    if option in _TABLE_OPTIONS or (command == "SCANFORTYPE" and option.endswith(",")):
        return [one for one in tables if one and " " not in one]
    if option in _TYPE_OPTIONS or (command == "SCANFORTYPE" and not before):
        return [name for name in IO_TYPES.values() if " " not in name]
    if command == "FILTER" and option in ("", *_SETS):
        return [plain(one.keyword) for one in OPTIONS]
    return ()


def completed(text: str, found: Sequence[str]) -> str:
    """The line with its last word replaced by what all offers begin with, or by the only one."""
    if not found:
        return text
    start = text[: len(text) - len(_last_word(text))]
    if len(found) == 1:
        return start + found[0] + ("" if found[0].endswith("/") else " ")
    common = 0
    while len({one[: common + 1].upper() for one in found}) == 1 and common < len(found[0]):
        common += 1
    return start + found[0][:common] if common > len(_last_word(text)) else text


def _last_word(text: str) -> str:
    last = text.rsplit(";", 1)[-1]
    return "" if last.endswith(" ") else last.rsplit(" ", 1)[-1]


def suggestion(text: str, history: Sequence[str], found: Sequence[str]) -> str | None:
    """The line that the grey text goes on to: the newest one of the history that begins so, else the first offer."""
    if not text.strip():
        return None
    earlier = next((one for one in reversed(history) if one.startswith(text) and one != text), None)
    if earlier is not None:
        return earlier
    last = _last_word(text)
    if found and last and found[0].upper().startswith(last.upper()) and len(found[0]) > len(last):
        return text + found[0][len(last) :]
    return None
