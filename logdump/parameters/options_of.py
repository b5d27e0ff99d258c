"""Options of parameters that are kept as text: BRINTERVAL of BR, TCPFLUSHBYTES of RMTHOST."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from logdump.parameters.model import Rule
from logdump.parameters.tree import Other, ParameterFile


class OptionValue(NamedTuple):
    """The word after an option, empty without one, and the statement of the option."""

    word: str
    rule: Rule


def options_of(file: ParameterFile | None, keyword: str, *options: str) -> Iterator[OptionValue | None]:
    """Yield the value of each option in the last statement of a keyword; None if the option is missing."""
    rules = [node.rule for node in file.of(Other) if node.keyword == keyword] if file is not None else []
    yield from options_in(rules[-1], *options) if rules else (None for _ in options)


def options_in(rule: Rule, *options: str) -> Iterator[OptionValue | None]:
    """Yield the value of each option in one statement; None if the option is missing."""
    for option in options:
        found = re.search(rf"\b{option}\b[\s=]*([^\s,;]*)", rule.text, re.IGNORECASE)
        yield OptionValue(found[1], rule) if found is not None else None
