"""FILTER: parses and runs one statement.

    FILTER                                        show the filter
    FILTER SHOW
    FILTER {ENABLE | ON}, FILTER {DISABLE | OFF}   keep the criteria
    FILTER CLEAR [<filterid> | <option> | ALL]
    FILTER MATCH {ANY | ALL}
    FILTER [INClude | EXClude] <option>

Without INCLUDE or EXCLUDE, a criterion is added to the include set, and MATCH applies to it: the manual's examples show
``Include  Match ALL`` next to ``Exclude  Match ANY``. ``FILTER EXCLUDE MATCH ALL`` sets that of the exclude set, and
``FILTER EXCLUDE CLEAR ALL`` clears only this set (ours; the manual's grammar allows both and explains neither). CLEAR
without a word is CLEAR ALL, as in the manual's OBEY example. A refused statement changes nothing.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from logdump.filters.criteria import OPTIONS, option_named, option_words
from logdump.filters.criterion import Criterion
from logdump.filters.filter_set import CriterionSet, FilterSet, Match, show
from logdump.filters.words import MAX_TEXT, FilterError, first_word, quoted
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
"""Other names that users may try, and the options."""


def parse_criterion(text: str, offset: TimeOffset) -> Criterion:
    """Return the criterion of a text such as ``FILENAME hr.*`` or ``RECTYPE 5``.

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


def inclusion(keyword: str, values: str, offset: TimeOffset) -> Statement:
    """Return the statement that adds the criterion of an option with these values to the include set.

    Raises:
        FilterError: the values are wrong; the message does not name the option.
    """
    option = option_named(keyword)
    if option is None:
        raise FilterError(_no_option(keyword, keyword))
    return partial(_add, "", replace(option.parse(values, offset), source=f"{keyword} {values}"))


def condition(text: str) -> str:
    """Return a text as a statement of FILTER that selects: with VALUE before a condition on a column.

    The word FILTER may precede it. A word that shows, clears or switches the filter is taken as the name of a column.
    """
    word, rest = first_word(text)
    statement = rest if word == "FILTER" else text.strip()
    selects = first_word(statement)[0] not in STATEMENTS[STATEMENTS.index("CLEAR") :]
    return statement if statement and selects and begins_statement(statement) else f"VALUE {statement}"


def _no_option(word: str, text: str) -> str:
    known, shown = option_words(), word[:32]
    if word in _ELSEWHERE:
        return f"FILTER has no option {shown}; did you mean {_ELSEWHERE[word]}?"
    if near := difflib.get_close_matches(shown, (*known, *STATEMENTS), n=2):
        return f"FILTER has no option {shown}; did you mean {' or '.join(near)}?"
    return f"FILTER has no option {shown or quoted(text)}; there are {', '.join(known)}"


def _holds_option(values: str) -> bool:
    return any(word.strip(";,").upper() in ("MATCH", *option_words()) for word in values.split()[1:])


_STATEMENT_EXAMPLES = {
    "MATCH": "MATCH ALL",
    "INCLUDE": "INCLUDE FILENAME hr.*",
    "EXCLUDE": "EXCLUDE FILENAME hr.*",
}


def misuse_hint(word: str) -> str | None:
    """Return how to write a command word that belongs after FILTER; None for any other word."""
    word = word.upper()
    option = option_named(word)
    example = option.example if option else _STATEMENT_EXAMPLES.get(word)
    if example is None:
        return None
    return f"{word} is an option of FILTER: write FILTER {example} ({OWN_FILTER})"


MAX_CRITERIA = 256
_SET_WORDS = {word[:length]: word for word in ("INCLUDE", "EXCLUDE") for length in range(3, 8)}
"""INC to INCLUDE and EXC to EXCLUDE ([manual] and [HELP] abbreviate to both lengths)."""


Statement = Callable[[FilterSet], list[str]]
"""Executes a statement; returns the lines to print, usually none, or raises FilterError and changes nothing."""


def apply(filters: FilterSet, arguments: str, offset: TimeOffset) -> list[str]:
    """Execute the text after the word FILTER; returns the lines to print, usually none.

    Raises:
        FilterError: the statement is refused; ``filters`` is unchanged.
    """
    return parse_statement(arguments, offset)(filters)


def parse_statement(arguments: str, offset: TimeOffset) -> Statement:
    """Parse the text after the word FILTER.

    Raises:
        FilterError: it is not a statement.
    """
    if len(arguments) > MAX_TEXT:
        raise FilterError(f"a FILTER of {len(arguments)} characters, at most {MAX_TEXT} are allowed")
    word, rest = first_word(arguments)
    which = _SET_WORDS.get(word, "")
    text = rest if which else arguments.strip()
    if not text:
        if which:
            raise FilterError(f"{which} needs an option, as in FILTER {which} FILENAME hr.*")
        return show
    word, rest = first_word(text)
    if word in _SET_WORDS:
        raise FilterError("a FILTER is INCLUDE or EXCLUDE, not both")
    if word in _STATEMENTS:
        return _STATEMENTS[word](which, rest)
    return partial(_add, which, parse_criterion(text, offset))


def clears_all(statement: Statement) -> bool:
    """Return True if a statement is CLEAR ALL, of both sets."""
    return isinstance(statement, partial) and statement.func is _clear_all and statement.args == ("",)


def begins_statement(text: str) -> bool:
    """Return True if the first words of an invalid text are those of a statement."""
    words = text.upper().split()
    if words and words[0] in _SET_WORDS:
        del words[0]
    known = (*option_words(), *_STATEMENTS, *_SET_WORDS)
    return words[0] in known if len(words) > 1 else any(word.startswith(tuple(words) or "") for word in known)


def words_after(words: Sequence[str]) -> tuple[str, ...]:
    """Return the words that may follow others, in capitals; none if a value must follow."""
    keywords = tuple(option.keyword for option in OPTIONS)
    of_one_set = bool(words) and words[0] in _SET_WORDS
    rest = words[1:] if of_one_set else words
    if not rest:
        return (*keywords, *(("MATCH", "CLEAR") if of_one_set else STATEMENTS))
    following = {"CLEAR": (*keywords, "ALL"), "MATCH": tuple(Match.__members__)}
    return following.get(rest[0], ()) if len(rest) == 1 else ()


def _add(which: str, criterion: Criterion, filters: FilterSet) -> list[str]:
    target = _target(filters, which)
    if len(target.criteria) >= MAX_CRITERIA:
        raise FilterError(f"there are {MAX_CRITERIA} criteria already; FILTER CLEAR removes them")
    target.criteria.append(criterion)
    return []


def _target(filters: FilterSet, which: str) -> CriterionSet:
    return filters.exclude if which == "EXCLUDE" else filters.include


def _sets(filters: FilterSet, which: str) -> list[CriterionSet]:
    return [_target(filters, which)] if which else [filters.include, filters.exclude]


def _alone(word: str, which: str, rest: str) -> None:
    if which:
        raise FilterError(f"{word} is for the whole filter; write FILTER {word}")
    if rest:
        raise FilterError(f"{word} takes no value, found {quoted(rest)}")


def _show(which: str, rest: str) -> Statement:
    _alone("SHOW", which, rest)
    return show


def _switch(word: str, enabled: bool, which: str, rest: str) -> Statement:  # noqa: FBT001 - bound in a table
    _alone(word, which, rest)
    return partial(_enable, enabled)


def _enable(enabled: bool, filters: FilterSet) -> list[str]:  # noqa: FBT001 - bound by _switch
    filters.enabled = enabled
    return []


def _match(which: str, rest: str) -> Statement:
    if rest.upper() not in Match.__members__:
        raise FilterError(f"MATCH takes ANY or ALL, found {quoted(rest)}")
    return partial(_set_match, which, Match[rest.upper()])


def _set_match(which: str, match: Match, filters: FilterSet) -> list[str]:
    _target(filters, which).match = match
    return []


def _clear(which: str, rest: str) -> Statement:
    word, *values = rest.split(None, 1) or ["ALL"]
    option = option_named(word)
    if values:
        form = option.keyword if option else "<option>, FILTER CLEAR <filterid> or FILTER CLEAR ALL"
        raise FilterError(f"CLEAR allows no value, found {quoted(values[0])}; write FILTER CLEAR {form}")
    if word.upper() == "ALL":
        return partial(_clear_all, which)
    return partial(_clear_option, which, option.keyword) if option else partial(_clear_entry, which, word)


def _clear_all(which: str, filters: FilterSet) -> list[str]:
    for criterion_set in _sets(filters, which):
        criterion_set.criteria.clear()
        criterion_set.match = Match.ANY
    return []


def _clear_option(which: str, keyword: str, filters: FilterSet) -> list[str]:
    for criterion_set in _sets(filters, which):
        criterion_set.criteria[:] = [criterion for criterion in criterion_set.criteria if criterion.keyword != keyword]
    return []


def _clear_entry(which: str, word: str, filters: FilterSet) -> list[str]:
    for entry in filters.entries():
        if entry.id.upper() == word.upper() and any(
            entry.owner is criterion_set for criterion_set in _sets(filters, which)
        ):
            index = next(index for index, criterion in enumerate(entry.owner.criteria) if criterion is entry.criterion)
            del entry.owner.criteria[index]
            return []
    raise FilterError(f"no criterion {quoted(word)}; SHOW FILTER lists them, FILTER CLEAR ALL removes all")


_STATEMENTS: dict[str, Callable[[str, str], Statement]] = {
    "SHOW": _show,
    "ENABLE": partial(_switch, "ENABLE", True),  # noqa: FBT003
    "ON": partial(_switch, "ENABLE", True),  # noqa: FBT003
    "DISABLE": partial(_switch, "DISABLE", False),  # noqa: FBT003
    "OFF": partial(_switch, "DISABLE", False),  # noqa: FBT003
    "MATCH": _match,
    "CLEAR": _clear,
}
