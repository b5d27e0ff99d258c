"""The tokens of an SQL statement of any database: no statement is refused, and together they are the whole text.

A quote or comment that is not closed reaches to the end. Backslashes escape nothing: Oracle and PostgreSQL have none, and
names stand before the first text that could hold one.
"""

from __future__ import annotations

import enum
import re
from typing import NamedTuple

_TOKENS = re.compile(
    r"""
    (?P<blank>\s++)
    | (?P<comment>--[^\n]*+|/\*(?s:.*?)(?:\*/|\Z))
    | (?P<string>[nN]?[qQ]'(?:\[(?s:.*?)\]'|\{(?s:.*?)\}'|\((?s:.*?)\)'|<(?s:.*?)>'|(?P<mark>[^\s\[{(<])(?s:.*?)(?P=mark)')
        | \$(?P<tag>(?:[A-Za-z_]\w*+)?)\$(?s:.*?)(?:\$(?P=tag)\$|\Z)
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


def tokens_of(statement: str) -> list[Token]:
    """All tokens in order."""
    return [
        Token(next(_KINDS[name] for name, text in found.groupdict().items() if text is not None and name in _KINDS), found[0], found.start())
        for found in _TOKENS.finditer(statement)
    ]


def meaningful(tokens: list[Token]) -> list[Token]:
    """Those that are neither blanks nor comments."""
    return [one for one in tokens if one.kind not in (Kind.BLANK, Kind.COMMENT)]


def split_comments(statement: str) -> tuple[str, list[str]]:
    """The statement without its comments, a blank in place of each in its middle; and the comments as they stand."""
    tokens = tokens_of(statement)
    comments = [one.text for one in tokens if one.kind is Kind.COMMENT]
    return "".join(" " if one.kind is Kind.COMMENT else one.text for one in tokens).strip(), comments
