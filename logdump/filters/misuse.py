"""The documented trap: ``FILTER INCLUDE FILENAME fin.act*; RECTYPE 5; MATCH ALL``.

The manual warns of "unexpected results" and says no more; here RECTYPE and MATCH, which are no commands, say what is
meant.
"""

from __future__ import annotations

from logdump.filters.criteria import option_named
from logdump.filters.parser import OWN_FILTER

_STATEMENT_EXAMPLES = {
    "MATCH": "MATCH ALL",
    "INCLUDE": "INCLUDE FILENAME hr.*",
    "EXCLUDE": "EXCLUDE FILENAME hr.*",
}


def misuse_hint(word: str) -> str | None:
    """For a command word that belongs after FILTER, how to write it; None for any other word."""
    word = word.upper()
    option = option_named(word)
    example = option.example if option else _STATEMENT_EXAMPLES.get(word)
    if example is None:
        return None
    return f"{word} is an option of FILTER: write FILTER {example} ({OWN_FILTER})"
