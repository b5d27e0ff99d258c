"""The tokens of an SQL statement of any database: no statement is refused, and together they are the whole text.

A quote or comment that is not closed reaches to the end. Backslashes escape nothing: Oracle and PostgreSQL have none,
and names stand before the first text that could hold one.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

_TOKENS = re.compile(
    r"""
    (?P<blank>\s++)
    | (?P<comment>--[^\n]*+|/\*.*?(?:\*/|\Z))
    | (?P<string>[nN]?[qQ]'(?:\[.*?\]'|\{.*?\}'|\(.*?\)'|<.*?>'|(?P<mark>[^\s\[{(<]).*?(?P=mark)')
        | \$(?P<tag>(?:[A-Za-z_]\w*+)?)\$.*?(?:\$(?P=tag)\$|\Z)
        | '(?:[^']|'')*+(?:'|\Z))
    | (?P<name>"(?:[^"]|"")*+(?:"|\Z)|`(?:[^`]|``)*+(?:`|\Z))
    | (?P<word>[^\W\d][\w$\#]*+)
    | (?P<number>\d[\w.]*+)
    | (?P<punctuation>.)
    """,
    re.VERBOSE | re.DOTALL,
)


class Kind(enum.Enum):
    """What a token is; ``NAME`` is one in quotes."""

    BLANK = "blank"
    COMMENT = "comment"
    STRING = "string"
    NAME = "name"
    WORD = "word"
    NUMBER = "number"
    PUNCTUATION = "punctuation"


class Token(NamedTuple):
    """A token, and where it begins."""

    kind: Kind
    text: str
    begin: int

    @property
    def end(self) -> int:
        """Where the next one begins."""
        return self.begin + len(self.text)

    @property
    def plain(self) -> str:
        """The name that a word is, or a text in the quotes of names."""
        if self.kind is not Kind.NAME:
            return self.text
        quote = self.text[0]
        inside = self.text[1:-1] if len(self.text) > 1 and self.text.endswith(quote) else self.text[1:]
        return inside.replace(2 * quote, quote)


_KINDS = {kind.value: kind for kind in Kind}


def tokens_of(statement: str) -> Iterator[Token]:
    """All tokens in order."""
    for found in _TOKENS.finditer(statement):
        yield Token(_KINDS[found.lastgroup or ""], found[0], found.start())


def meaningful(tokens: Iterable[Token]) -> Iterator[Token]:
    """Those that are neither blanks nor comments."""
    return (one for one in tokens if one.kind not in (Kind.BLANK, Kind.COMMENT))


def split_comments(statement: str) -> tuple[str, list[str]]:
    """The statement without its comments, a blank in place of each in its middle; and the comments as they stand."""
    comments, pieces = list[str](), list[str]()
    for one in tokens_of(statement):
        if one.kind is Kind.COMMENT:
            comments.append(one.text)
        pieces.append(" " if one.kind is Kind.COMMENT else one.text)
    return ("".join(pieces).strip() if comments else statement), comments
