"""INCLUDE and EXCLUDE clauses, as DDL, DDLSUBST and DDLERROR have them."""

from __future__ import annotations

from collections.abc import Callable, Container

from logdump.parameters.errors import ParameterPlace
from logdump.parameters.model import Rule
from logdump.parameters.tree import Clause, ClauseOption
from logdump.parameters.words import Words

_BEGINNINGS = {"INCLUDE": True, "EXCLUDE": False}


def _plain(_words: Words, word: str) -> ClauseOption:
    return ClauseOption(word)


def _string(words: Words, word: str) -> ClauseOption:
    return ClauseOption(word, (words.string(word),))


def _choice(words: Words, word: str) -> ClauseOption:
    """A word or text, or several in parentheses, as MySQL has them."""
    return ClauseOption(word, words.group() or (words.word_or_string(word),))


def _name(words: Words, word: str) -> ClauseOption:
    return ClauseOption(word, names=words.names(word))


def _actions(words: Words, word: str) -> ClauseOption:
    return ClauseOption(word, words.group())


_OPTIONS: dict[str, Callable[[Words, str], ClauseOption]] = {
    **dict.fromkeys(
        ("MAPPED", "UNMAPPED", "OTHER", "ALL", "ALLCATALOGS", "ALLOWEMPTYOBJECT", "ALLOWEMPTYOWNER", "STAYMETADATA"),
        _plain,
    ),
    **dict.fromkeys(("INSTR", "INSTRWORDS", "INSTRCOMMENTS", "INSTRCOMMENTSWORDS"), _string),
    **dict.fromkeys(("OPTYPE", "OBJTYPE"), _choice),
    **dict.fromkeys(("OBJNAME", "SOURCECATALOG"), _name),
    **dict.fromkeys(("EVENTACTIONS", "EVENTACTION"), _actions),
}
"""What stands behind each option."""


def rule_at(place: ParameterPlace, text: str) -> Rule:
    """What stands at a place; a long text is cut."""
    return Rule(place.path, place.line, text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")


_LONGEST = 1000


def begins_clause(words: Words) -> bool:
    """Whether a clause begins here."""
    return words.peek() in _BEGINNINGS


def read_clause(words: Words, stops: Container[str] = ()) -> Clause:
    """The clause that begins here, up to the next, to one of ``stops``, or to the end.

    A word that is no option is kept as one that is not known, with what follows it.
    """
    place, begin = words.place, words.at
    includes = _BEGINNINGS[words.take().text.upper()]
    options = []
    while not words.is_at_end and not begins_clause(words) and words.peek() not in stops:
        word = words.peek()
        if word in _OPTIONS:
            words.take()
            options.append(_OPTIONS[word](words, word))
        else:
            lexeme = words.take()
            options.append(ClauseOption(lexeme.written, words.group(), is_known=False))
    return Clause(includes, tuple(options), rule_at(place, words.text_since(begin)))


def read_clauses(words: Words, stops: Container[str] = ()) -> tuple[Clause, ...]:
    """All clauses from here on."""
    found = []
    while begins_clause(words):
        found.append(read_clause(words, stops))
    return tuple(found)
