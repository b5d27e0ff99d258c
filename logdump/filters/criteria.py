"""Every option of FILTER, in the order of SHOW FILTER.

The documented examples print Rectypes before Filename and Filename before HEX; the order of the others is ours. A new
option is a module with its criterion and its ``OPTIONS``, and a line here.
"""

from __future__ import annotations

from typing import NoReturn

from logdump.filters import (
    conditions,
    csn_criteria,
    integer_criteria,
    name_criteria,
    number_criteria,
    text_criteria,
    time_criteria,
    token_criteria,
    type_criteria,
)
from logdump.filters.criterion import Needs, Option
from logdump.filters.words import FilterError
from logdump.notation.times import TimeOffset


def _refuse(_text: str, _offset: TimeOffset) -> NoReturn:
    raise FilterError("a NonStop option, not available here; the bytes it looks at are not documented")


NONSTOP = (
    Option(
        "PROCESS",
        "PROCESS <processname template>",
        "NonStop process name (not available)",
        "PROCESS $EXT1",
        _refuse,
        Needs.NOTHING,
    ),
    Option(
        "TRANSID",
        "TRANSID <TMF transaction identifier>",
        "TMF transaction (not available); GGSTOKEN TRANID is the database's",
        "TRANSID 2.17",
        _refuse,
        Needs.NOTHING,
    ),
)
"""Options for NonStop trails. No source documents where such a trail has a process name or a TMF transaction."""


OPTIONS: tuple[Option, ...] = (
    *type_criteria.OPTIONS,
    *name_criteria.OPTIONS,
    *text_criteria.OPTIONS,
    *integer_criteria.OPTIONS,
    *time_criteria.OPTIONS,
    *csn_criteria.OPTIONS,
    *token_criteria.OPTIONS,
    *number_criteria.OPTIONS,
    *conditions.OPTIONS,
    *NONSTOP,
)

_BY_WORD = {word: option for option in OPTIONS for word in option.words}


def option_named(word: str) -> Option | None:
    """Return the option with this keyword or alias, in any case; None if there is none."""
    return _BY_WORD.get(word.upper())


def option_words() -> tuple[str, ...]:
    """Return every keyword and alias."""
    return tuple(_BY_WORD)
