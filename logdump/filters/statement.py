"""FILTER: one statement carried out.

    FILTER                                        show what is in effect
    FILTER SHOW
    FILTER {ENABLE | ON}, FILTER {DISABLE | OFF}   criteria are kept
    FILTER CLEAR [<filterid> | <option> | ALL]
    FILTER MATCH {ANY | ALL}
    FILTER [INClude | EXClude] <option>

Without INCLUDE or EXCLUDE a criterion is one to include, and MATCH is that of the include set: the manual's examples
show ``Include  Match ALL`` beside ``Exclude  Match ANY``. ``FILTER EXCLUDE MATCH ALL`` sets the other, and ``FILTER
EXCLUDE CLEAR ALL`` clears it alone (ours; the manual's grammar allows both and explains neither). CLEAR without a word
is CLEAR ALL: the manual's OBEY example uses it so. A statement that is refused changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable

from logdump.filters.criteria import option_named
from logdump.filters.errors import FilterError
from logdump.filters.filter_set import CriterionSet, FilterSet, Match
from logdump.filters.listing import show
from logdump.filters.parser import parse_criterion
from logdump.filters.words import MAX_TEXT, first_word, quoted
from logdump.notation.times import TimeOffset

MAX_CRITERIA = 256
_SET_WORDS = {word[:length]: word for word in ("INCLUDE", "EXCLUDE") for length in range(3, 8)}
"""INC to INCLUDE and EXC to EXCLUDE ([manual] and [HELP] abbreviate to both lengths)."""


def apply(filters: FilterSet, arguments: str, offset: TimeOffset) -> list[str]:
    """Carry out the text after the word FILTER; returns the lines to print, most often none.

    Raises:
        FilterError: it cannot be done; ``filters`` is as before.
    """
    if len(arguments) > MAX_TEXT:
        raise FilterError(f"a FILTER of {len(arguments)} characters, at most {MAX_TEXT} are allowed")
    word, rest = first_word(arguments)
    which = _SET_WORDS.get(word, "")
    text = rest if which else arguments.strip()
    if not text:
        if which:
            raise FilterError(f"{which} needs an option, as in FILTER {which} FILENAME hr.*")
        return show(filters)
    word, rest = first_word(text)
    if word in _SET_WORDS:
        raise FilterError("a FILTER is INCLUDE or EXCLUDE, not both")
    if word in _STATEMENTS:
        return _STATEMENTS[word](filters, which, rest)
    criterion = parse_criterion(text, offset)
    target = _target(filters, which)
    if len(target.criteria) >= MAX_CRITERIA:
        raise FilterError(f"there are {MAX_CRITERIA} criteria already; FILTER CLEAR removes them")
    target.criteria.append(criterion)
    return []


def _target(filters: FilterSet, which: str) -> CriterionSet:
    return filters.exclude if which == "EXCLUDE" else filters.include


def _alone(word: str, which: str, rest: str) -> None:
    if which:
        raise FilterError(f"{word} is for the whole filter; write FILTER {word}")
    if rest:
        raise FilterError(f"{word} takes no value, found {quoted(rest)}")


def _show(filters: FilterSet, which: str, rest: str) -> list[str]:
    _alone("SHOW", which, rest)
    return show(filters)


def _enable(filters: FilterSet, which: str, rest: str) -> list[str]:
    _alone("ENABLE", which, rest)
    filters.enabled = True
    return []


def _disable(filters: FilterSet, which: str, rest: str) -> list[str]:
    _alone("DISABLE", which, rest)
    filters.enabled = False
    return []


def _match(filters: FilterSet, which: str, rest: str) -> list[str]:
    if rest.upper() not in Match.__members__:
        raise FilterError(f"MATCH takes ANY or ALL, found {quoted(rest)}")
    _target(filters, which).match = Match[rest.upper()]
    return []


def _clear(filters: FilterSet, which: str, rest: str) -> list[str]:
    sets = [_target(filters, which)] if which else [filters.include, filters.exclude]
    word, *values = rest.split(None, 1) or ["ALL"]
    option = option_named(word)
    if values:
        form = option.keyword if option else "<option>, FILTER CLEAR <filterid> or FILTER CLEAR ALL"
        raise FilterError(f"CLEAR allows no value, found {quoted(values[0])}; write FILTER CLEAR {form}")
    if word.upper() == "ALL":
        for one in sets:
            one.criteria.clear()
            one.match = Match.ANY
    elif option:
        for one in sets:
            one.criteria[:] = [criterion for criterion in one.criteria if criterion.keyword != option.keyword]
    else:
        _clear_entry(filters, sets, word)
    return []


def _clear_entry(filters: FilterSet, sets: list[CriterionSet], word: str) -> None:
    for entry in filters.entries():
        if entry.id.upper() == word.upper() and any(entry.owner is one for one in sets):
            at = next(at for at, one in enumerate(entry.owner.criteria) if one is entry.criterion)
            del entry.owner.criteria[at]
            return
    raise FilterError(f"no criterion {quoted(word)}; SHOW FILTER lists them, FILTER CLEAR ALL removes all")


_STATEMENTS: dict[str, Callable[[FilterSet, str, str], list[str]]] = {
    "SHOW": _show,
    "ENABLE": _enable,
    "ON": _enable,
    "DISABLE": _disable,
    "OFF": _disable,
    "MATCH": _match,
    "CLEAR": _clear,
}
