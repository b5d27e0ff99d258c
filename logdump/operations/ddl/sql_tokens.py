"""The tokens of an SQL statement of any database: no statement is refused, and together they are the whole text.

A quote or comment that is not closed reaches to the end. Backslashes escape nothing: Oracle and PostgreSQL have none,
and names stand before the first text that could hold one.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_COMMENT = r"--[^\n]*+|/\*.*?(?:\*/|\Z)"
_STRING = r"""
    [nN]?[qQ]'(?:\[.*?(?:\]'|\Z)|\{.*?(?:\}'|\Z)|\(.*?(?:\)'|\Z)|<.*?(?:>'|\Z)
        |(?P<mark>[^\s\[{(<]).*?(?:(?P=mark)'|\Z))
    | \$(?P<tag>(?:[A-Za-z_]\w*+)?)\$.*?(?:\$(?P=tag)\$|\Z)
    | '(?:[^']|'')*+(?:'|\Z)
"""
_NAME = r"""\"(?:[^"]|"")*+(?:"|\Z)|`(?:[^`]|``)*+(?:`|\Z)"""
_WORD = r"[^\W\d][\w$\#]*+"
_TOKENS = re.compile(
    rf"""
    (?P<blank>\s++)
    | (?P<comment>{_COMMENT})
    | (?P<string>{_STRING})
    | (?P<name>{_NAME})
    | (?P<word>{_WORD})
    | (?P<number>\d[\w.]*+)
    | (?P<punctuation>.)
    """,
    re.VERBOSE | re.DOTALL,
)
_COMMENTS = re.compile(rf"(?P<comment>{_COMMENT})|{_STRING}|{_NAME}|{_WORD}|\d[\w.]*+", re.VERBOSE | re.DOTALL)


class SqlTokenKind(enum.Enum):
    """What a token is; ``NAME`` is one in quotes."""

    BLANK = "blank"
    COMMENT = "comment"
    STRING = "string"
    NAME = "name"
    WORD = "word"
    NUMBER = "number"
    PUNCTUATION = "punctuation"


class SqlToken(NamedTuple):
    """A token, and where it begins."""

    kind: SqlTokenKind
    text: str
    begin: int

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.begin + len(self.text)

    @property
    def plain(self) -> str:
        """The name that a word is, or a text in the quotes of names."""
        if self.kind is not SqlTokenKind.NAME:
            return self.text
        quote = self.text[0]
        inside = self.text[1:-1] if len(self.text) > 1 and self.text.endswith(quote) else self.text[1:]
        return inside.replace(2 * quote, quote)


_KINDS = {kind.value: kind for kind in SqlTokenKind}


def tokens_of(statement: str) -> Iterator[SqlToken]:
    """All tokens in order."""
    for found in _TOKENS.finditer(statement):
        yield SqlToken(_KINDS[found.lastgroup or ""], found[0], found.start())


def meaningful(tokens: Iterable[SqlToken]) -> Iterator[SqlToken]:
    """Those that are neither blanks nor comments."""
    return (one for one in tokens if one.kind not in (SqlTokenKind.BLANK, SqlTokenKind.COMMENT))


def split_comments(statement: str) -> tuple[str, list[str]]:
    """The statement without its comments, a blank in place of each in its middle; and the comments as they stand."""
    if "--" not in statement and "/*" not in statement:
        return statement, []
    places = [found.span() for found in _COMMENTS.finditer(statement) if found["comment"] is not None]
    if not places:
        return statement, []
    begins = [0, *(end for _, end in places)]
    ends = [*(begin for begin, _ in places), len(statement)]
    pieces = (statement[begin:end] for begin, end in zip(begins, ends, strict=True))
    return " ".join(pieces).strip(), [statement[begin:end] for begin, end in places]
