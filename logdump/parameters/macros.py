"""Macros: their definitions, and the text that a call expands to.

Names ignore case and are not recognized in quotes. A body is text: parameters in it are replaced everywhere,
then the calls in it are expanded. The values of a call are expanded first.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from logdump.parameters.model import ParameterError, ParameterPlace

MOST_PARAMETERS = 30
DEEPEST = 32
_MOST_CALLS = 10_000
_MOST_WORK = 1 << 23
"""Characters gone over while calls are expanded; what macros double over and over ends here."""
_IN_A_VALUE = ""
"""Marks the values of a call among the macros being expanded: a macro may be called again there."""
_OPAQUE = r"""'[^'\n]*'|"[^"\n]*"|--[^\n]*"""
_NAME = r"[\w$-]+"
_BRACKETS = {"(": 1, "{": 1, ")": -1, "}": -1}
_BEFORE_A_WORD = " \t\n,;(){}="
_IN_ARGUMENTS = re.compile(rf"(?P<opaque>{_OPAQUE})|(?P<mark>[(){{}},])")


class Macro(NamedTuple):
    """A definition: the names of its parameters in capitals without the macro character, and its body."""

    name: str
    parameters: tuple[str, ...]
    body: str
    place: ParameterPlace


class Macros:
    """The macros of a parameter file defined so far.

    Attributes:
        character: the first character of macro and parameter names; MACROCHAR changes it.
    """

    def __init__(self) -> None:
        self.character = "#"
        self._macros: dict[str, Macro] = {}
        self._calls = self._work = 0

    def define(self, macro: Macro) -> None:
        """Define a macro.

        Raises:
            ParameterError: a macro of this name is defined already.
        """
        if macro.name in self._macros:
            there = self._macros[macro.name].place
            raise ParameterError(macro.place, f"macro {self.character}{macro.name} is defined at {there} already")
        self._macros[macro.name] = macro

    def inside(self, word: str) -> int | None:
        """Return the offset at which a word, after its beginning, calls a known macro; None if it does not."""
        found = (one.start() for one in self._references().finditer(word, 1) if one["name"].upper() in self._macros)
        return next(found, None)

    def _references(self) -> re.Pattern[str]:
        character = re.escape(self.character)
        return re.compile(rf"(?<![\w$])(?<!{character}){character}(?P<name>{_NAME})")

    def call(self, text: str, at: int, place: ParameterPlace) -> tuple[str, int]:
        """Return the expansion of the call whose name begins at ``at``, and the offset after the call.

        Raises:
            ParameterError: there is no such macro, its values do not fit, it calls itself, or it grows without end.
        """
        return self._call(text, at, place, ())

    def _call(self, text: str, at: int, place: ParameterPlace, active: tuple[str, ...]) -> tuple[str, int]:
        found = self._references().match(text, at)
        macro = self._macros.get(found["name"].upper()) if found else None
        if found is None or macro is None:
            word = (re.compile(r"[^\s,;(){}]*").match(text, at) or [""])[0]
            raise ParameterError(place, f"macro {word} is not defined")
        name = f"{self.character}{macro.name}"
        if macro.name in active:
            chain = " -> ".join([*filter(None, active), macro.name])
            raise ParameterError(place, f"macro {name} calls itself: {chain}")
        self._calls += 1
        if len(active) >= DEEPEST or self._calls > _MOST_CALLS:
            raise ParameterError(place, f"macro {name}: too many calls in calls")
        values, end = _arguments(text, found.end(), place)
        if len(values) != len(macro.parameters):
            raise ParameterError(place, f"macro {name} takes {len(macro.parameters)} values, but got {len(values)}")
        expanded = [self._expanded(value, place, (*active, _IN_A_VALUE)) for value in values]
        body = self._substituted(macro, expanded, place)
        return self._expanded(body, place, (*active, macro.name)), end

    def _substituted(self, macro: Macro, values: list[str], place: ParameterPlace) -> str:
        """The body with the values in place of the parameters; the longest name that is a parameter counts."""
        self._count(macro.body, place)
        if not macro.parameters:
            return macro.body
        value_of = dict(zip(macro.parameters, values, strict=True))
        names = "|".join(re.escape(one) for one in sorted(macro.parameters, key=len, reverse=True))
        character = re.escape(self.character)
        pattern = re.compile(rf"{_OPAQUE}|(?<!{character}){character}(?P<name>{names})(?![\w$])", re.IGNORECASE)
        return pattern.sub(lambda found: value_of[found["name"].upper()] if found["name"] else found[0], macro.body)

    def _expanded(self, text: str, place: ParameterPlace, active: tuple[str, ...]) -> str:
        self._count(text, place)
        pieces, at = list[str](), 0
        pattern = re.compile(rf"(?P<opaque>{_OPAQUE})|{self._references().pattern}")
        while found := pattern.search(text, at):
            pieces.append(text[at : found.start()])
            if found["opaque"] is not None or not self._is_call(found, text):
                pieces.append(found[0])
                at = found.end()
                continue
            piece, at = self._call(text, found.start(), place, active)
            pieces.append(piece)
        pieces.append(text[at:])
        return "".join(pieces)

    def _is_call(self, found: re.Match[str], text: str) -> bool:
        """Return True if a name must be a call: at the beginning of a word, or inside it if the macro is known."""
        before = text[found.start() - 1 : found.start()]
        return found["name"].upper() in self._macros or not before or before in _BEFORE_A_WORD

    def _count(self, text: str, place: ParameterPlace) -> None:
        self._work += len(text)
        if self._work > _MOST_WORK:
            raise ParameterError(place, "macros expand to more than 8 MB")


def _arguments(text: str, at: int, place: ParameterPlace) -> tuple[list[str], int]:
    """Return the values in the parentheses after a macro's name, without braces; empty without parentheses."""
    opening = re.compile(r"[ \t]*\(").match(text, at)
    if opening is None:
        return [], at
    values, depth, begin = list[str](), 0, opening.end()
    for found in _IN_ARGUMENTS.finditer(text, begin):
        mark = found["mark"]
        if mark == ")" and depth == 0:
            last = text[begin : found.start()].strip()
            return [*map(_bare, [*values, last])] if values or last else [], found.end()
        if mark == "," and depth == 0:
            values.append(text[begin : found.start()].strip())
            begin = found.end()
        depth += _BRACKETS.get(mark or "", 0)
    raise ParameterError(place, "the values of a macro are not closed by )")


def _bare(value: str) -> str:
    return value[1:-1].strip() if value.startswith("{") and value.endswith("}") else value
