"""An option and its values, as text, to a criterion."""

from __future__ import annotations

import difflib
from dataclasses import replace

from logdump.filters.criteria import option_named, option_words
from logdump.filters.criterion import Criterion
from logdump.filters.errors import FilterError
from logdump.filters.words import first_word, quoted
from logdump.notation.times import TimeOffset

OWN_FILTER = "each criterion needs its own FILTER"
STATEMENTS = ("INCLUDE", "EXCLUDE", "MATCH", "CLEAR", "SHOW", "ENABLE", "DISABLE", "ON", "OFF")
"""Words allowed after FILTER besides an option."""

_ELSEWHERE = {
    "TABLE": "FILENAME",
    "TABLES": "FILENAME",
    "SCHEMA": "FILENAME <schema>.*",
    "OBJECT": "FILENAME",
    "NAME": "FILENAME",
    "OP": "RECTYPE",
    "OPERATION": "RECTYPE",
    "TYPE": "RECTYPE",
    "TEXT": "STRING",
    "TIME": "STARTTIME or ENDTIME",
    "COLUMN": "VALUE",
    "SCN": "CSN",
    "XID": "TRANSID",
}
"""What others call an option, and its name here."""


def parse_criterion(text: str, offset: TimeOffset) -> Criterion:
    """The criterion of ``FILENAME hr.*``, ``RECTYPE 5`` and the like.

    Raises:
        FilterError: no such option, or its values are wrong; the message gives the syntax.
    """
    word, values = first_word(text)
    option = option_named(word)
    if option is None:
        raise FilterError(_no_option(word, text))
    try:
        return replace(option.parse(values, offset), source=text)
    except FilterError as error:
        hint = f"; {OWN_FILTER}" if _holds_option(values) else ""
        raise FilterError(f"{option.keyword}: {error}{hint}. Syntax: FILTER {option.syntax}") from None


def _no_option(word: str, text: str) -> str:
    known, shown = option_words(), word[:32]
    if word in _ELSEWHERE:
        return f"FILTER has no option {shown}; did you mean {_ELSEWHERE[word]}?"
    if near := difflib.get_close_matches(shown, (*known, *STATEMENTS), n=2):
        return f"FILTER has no option {shown}; did you mean {' or '.join(near)}?"
    return f"FILTER has no option {shown or quoted(text)}; there are {', '.join(known)}"


def _holds_option(values: str) -> bool:
    return any(word.strip(";,").upper() in ("MATCH", *option_words()) for word in values.split()[1:])
