"""The tokens of an SQL statement of any database: no statement is refused, and together they are the whole text.

A quote or comment that is not closed extends to the end. Databases differ in the meaning of a backslash and a ``#``:
``STANDARD`` reads Oracle's and PostgreSQL's statements, ``MYSQL`` those of MySQL and MariaDB.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import NamedTuple

_MARKS_OF_MYSQL = ("`", "/*!", "/*M!")
_MOST_LOOKED_AT = 4096
_NUMBER = r"\d[\w.]*+"


class SqlTokenKind(enum.Enum):
    """The kind of a token; ``NAME`` is a quoted name."""

    BLANK = "blank"
    COMMENT = "comment"
    STRING = "string"
    NAME = "name"
    WORD = "word"
    NUMBER = "number"
    PUNCTUATION = "punctuation"


_KINDS = {kind.value: kind for kind in SqlTokenKind}


class SqlToken(NamedTuple):
    """A token, and its offset."""

    kind: SqlTokenKind
    text: str
    begin: int

    @property
    def end(self) -> int:
        """Offset after the token."""
        return self.begin + len(self.text)

    @property
    def plain(self) -> str:
        """The text of the token; of a quoted name the text between the quotes."""
        if self.kind is not SqlTokenKind.NAME:
            return self.text
        quote = self.text[0]
        inside = self.text[1:-1] if len(self.text) > 1 and self.text.endswith(quote) else self.text[1:]
        return inside.replace(2 * quote, quote)


class SqlLexis(NamedTuple):
    """The expressions that differ between databases; ``quote`` is that of a name that needs one.

    ``comment`` matches comments that no server interprets, ``versioned`` those that some do, and ``bounds`` the
    beginning and end of the latter. ``plain`` are characters that begin only blanks or signs, ``opening`` begins a
    quoted text; every statement with comments contains one of ``signs``.
    """

    comment: str
    string: str
    name: str
    word: str
    plain: str
    opening: str
    signs: tuple[str, ...]
    quote: str = '"'
    versioned: str = "(?!)"
    bounds: str = "(?!)"


class SqlTokenizer:
    """Finds the tokens, comments and names of statements of one lexis, each in one pass over the text."""

    def __init__(self, lexis: SqlLexis) -> None:
        self._lexis = lexis
        self._part = f"(?:{lexis.name}|{lexis.word})"
        gap = rf"(?:\s++|{lexis.bounds}|{lexis.comment})*+"
        self._next_part = rf"(?:{gap}\.{gap}{self._part})"

    @cached_property
    def _tokens(self) -> re.Pattern[str]:
        lexis = self._lexis
        kinds = (
            ("blank", rf"\s++|{lexis.bounds}"),
            ("comment", lexis.comment),
            ("string", lexis.string),
            ("name", lexis.name),
            ("word", lexis.word),
            ("number", _NUMBER),
            ("punctuation", "."),
        )
        return re.compile("|".join(f"(?P<{name}>{text})" for name, text in kinds), re.DOTALL)

    @cached_property
    def _comments(self) -> re.Pattern[str]:
        """Pattern of comments, texts in quotes, and runs of all else; no group captures inside of a repetition."""
        lexis = self._lexis
        comment = f"{lexis.versioned}|{lexis.comment}"
        run = rf"(?:{lexis.plain}++|(?!{lexis.opening})(?:{self._part}|{_NUMBER}|(?!{comment}).))++"
        return re.compile(rf"{run}|(?P<comment>{comment})|{lexis.string}|{self._part}|.", re.DOTALL)

    @property
    def quote(self) -> str:
        """The quote of a name that needs one."""
        return self._lexis.quote

    def tokens_of(self, statement: str, begin: int = 0) -> Iterator[SqlToken]:
        """Yield all tokens from an offset on, in order."""
        for match in self._tokens.finditer(statement, begin):
            yield SqlToken(_KINDS[match.lastgroup or ""], match[0], match.start())

    def outside_texts(self, statement: str) -> str:
        """Return the statement with a blank in place of each text in quotes and each comment."""
        hidden = (SqlTokenKind.STRING, SqlTokenKind.COMMENT)
        return "".join(" " if token.kind in hidden else token.text for token in self.tokens_of(statement))

    def split_comments(self, statement: str) -> tuple[str, list[str]]:
        """Return the statement with a blank in place of each inner comment, and the comments, unchanged.

        Comments that some servers interpret are included.
        """
        if not any(sign in statement for sign in self._lexis.signs):
            return statement, []
        places = [match.span() for match in self._comments.finditer(statement) if match.lastgroup == "comment"]
        if not places:
            return statement, []
        begins = [0, *(end for _, end in places)]
        ends = [*(begin for begin, _ in places), len(statement)]
        pieces = (statement[begin:end] for begin, end in zip(begins, ends, strict=True))
        return " ".join(pieces).strip(), [statement[begin:end] for begin, end in places]

    def names_of(self, statement: str, schema: str) -> Iterator[str]:
        """Yield the names that begin with a schema, cut after four parts; identical ones once."""
        lexis, part, next_part = self._lexis, self._part, self._next_part
        text = f"(?i:{re.escape(schema)})"
        wanted = rf"(?:{text}(?![\w$\#])|\"{text}\"|`{text}`){next_part}"
        other = f"{lexis.plain}++|{lexis.bounds}|{lexis.comment}"
        run = rf"(?:{other}|(?!{lexis.opening}|{wanted})(?:{part}{next_part}*+|{_NUMBER}|.))++"
        name = rf"(?P<name>{wanted}{next_part}{{0,2}}+){next_part}*+"
        names = re.compile(rf"{run}|{name}|{lexis.string}|{part}{next_part}*+|.", re.DOTALL)
        seen: set[str | None] = {None}
        for match in names.finditer(statement):
            if match["name"] not in seen:
                seen.add(match["name"])
                yield "".join(token.text for token in meaningful(self.tokens_of(match["name"])))


_LINE_OR_BLOCK = r"--[^\n]*+|/\*.*?(?:\*/|\Z)"
_PLAIN_NAME = r"\"(?:[^\"]|\"\")*+(?:\"|\Z)|`(?:[^`]|``)*+(?:`|\Z)"
STANDARD = SqlTokenizer(
    SqlLexis(
        comment=_LINE_OR_BLOCK,
        string=(
            r"[nN]?[qQ]'(?:\[.*?(?:\]'|\Z)|\{.*?(?:\}'|\Z)|\(.*?(?:\)'|\Z)|<.*?(?:>'|\Z)"
            r"|(?P<mark>[^\s\[{(<]).*?(?:(?P=mark)'|\Z))"
            r"|\$(?P<tag>(?:[A-Za-z_]\w*+)?)\$.*?(?:\$(?P=tag)\$|\Z)"
            r"|[eE]'(?:[^'\\]++|\\(?:.|\Z)|'')*+(?:'|\Z)"
            r"|'(?:[^']++|'')*+(?:'|\Z)"
        ),
        name=_PLAIN_NAME,
        word=r"[^\W\d][\w$\#]*+",
        plain=r"[^\w'\"`$/\-]",
        opening=r"[nN]?[qQ]'|[eE]'|\$(?:[A-Za-z_]\w*+)?\$|'",
        signs=("--", "/*"),
    )
)
"""Statements of Oracle and PostgreSQL: ``q'[…]'``, ``$tag$…$tag$``, and backslashes in ``E'…'`` only."""
_ESCAPING = r"{0}(?:[^{0}\\]++|\\(?:.|\Z)|{0}{0})*+(?:{0}|\Z)"
_MYSQL_STRING = _ESCAPING.format("'")
_MYSQL_NAME = _ESCAPING.format('"') + r"|`(?:[^`]|``)*+(?:`|\Z)"
_MYSQL_COMMENT = r"--(?![^\s\x00-\x1f])[^\n]*+|\#[^\n]*+|/\*(?!M?!).*?(?:\*/|\Z)"
MYSQL = SqlTokenizer(
    SqlLexis(
        comment=_MYSQL_COMMENT,
        string=_MYSQL_STRING,
        name=_MYSQL_NAME,
        word=r"\d*+(?:[^\W\d]|\$)[\w$]*+",
        plain=r"[^\w'\"`$/\-\#*]",
        opening="'",
        signs=("--", "/*", "#"),
        quote="`",
        versioned=rf"/\*M?!(?:[^*'\"`/\-\#]++|{_MYSQL_STRING}|{_MYSQL_NAME}|{_MYSQL_COMMENT}|(?!\*/).)*+(?:\*/|\Z)",
        bounds=r"/\*M?!\d*+|\*/",
    )
)
"""Statements of MySQL and MariaDB: backslashes in every text, ``#`` and ``-- `` comments, ``/*! … */`` read as text."""


def tokenizer_of(statement: str) -> SqlTokenizer:
    """Return the tokenizer of a statement of an unknown database: MySQL's if the text begins with marks of MySQL."""
    tokens = STANDARD.tokens_of(statement[:_MOST_LOOKED_AT])
    return MYSQL if any(token.text.startswith(_MARKS_OF_MYSQL) for token in tokens) else STANDARD


def meaningful(tokens: Iterable[SqlToken]) -> Iterator[SqlToken]:
    """Yield the tokens that are neither blanks nor comments."""
    return (token for token in tokens if token.kind not in (SqlTokenKind.BLANK, SqlTokenKind.COMMENT))
