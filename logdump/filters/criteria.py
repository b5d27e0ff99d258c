"""Every option of FILTER, in the order of SHOW FILTER.

The documented examples print Rectypes before Filename and Filename before HEX; the order of the others is ours. A new
option is a module with its criterion and its ``OPTIONS``, and a line here.
"""

from __future__ import annotations

from logdump.filters import (
    csn_criteria,
    integer_criteria,
    name_criteria,
    nonstop_options,
    number_criteria,
    text_criteria,
    time_criteria,
    token_criteria,
    type_criteria,
    value_criteria,
)
from logdump.filters.criterion import Option

OPTIONS: tuple[Option, ...] = (
    *type_criteria.OPTIONS,
    *name_criteria.OPTIONS,
    *text_criteria.OPTIONS,
    *integer_criteria.OPTIONS,
    *time_criteria.OPTIONS,
    *csn_criteria.OPTIONS,
    *token_criteria.OPTIONS,
    *number_criteria.OPTIONS,
    *value_criteria.OPTIONS,
    *nonstop_options.OPTIONS,
)

_BY_WORD = {word: option for option in OPTIONS for word in option.words}


def option_named(word: str) -> Option | None:
    """The option with this keyword or alias, case aside."""
    return _BY_WORD.get(word.upper())


def option_words() -> tuple[str, ...]:
    """Return every keyword and alias."""
    return tuple(_BY_WORD)
