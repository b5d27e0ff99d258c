"""Options of parameters that are kept as they stand: BRINTERVAL of BR, TCPFLUSHBYTES of RMTHOST."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from logdump.parameters.model import Rule
from logdump.parameters.tree import Other, ParameterFile


class OptionValue(NamedTuple):
    """The word behind an option, empty where there is none, and the statement in which it stands."""

    word: str
    rule: Rule


def options_of(file: ParameterFile | None, keyword: str, *options: str) -> Iterator[OptionValue | None]:
    """The value of each of these options in the last statement of a keyword; None of one that is not in it."""
    rules = [node.rule for node in file.of(Other) if node.keyword == keyword] if file is not None else []
    yield from options_in(rules[-1], *options) if rules else (None for _ in options)


def options_in(rule: Rule, *options: str) -> Iterator[OptionValue | None]:
    """The value of each of these options in one statement; None of one that is not in it."""
    for option in options:
        found = re.search(rf"\b{option}\b[\s=]*([^\s,;]*)", rule.text, re.IGNORECASE)
        yield OptionValue(found[1], rule) if found is not None else None
