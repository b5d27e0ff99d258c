"""What begins a statement of the command SQL: a query, or words about how it is run before one."""

from __future__ import annotations

from itertools import dropwhile

from logdump.notation.sql_tokens import STANDARD, SqlToken, SqlTokenKind, meaningful

QUERY_WORDS = ("SELECT", "WITH", "DESCRIBE", "SUMMARIZE", "EXPLAIN", "FROM", "VALUES")
"""First words of queries."""
_WAYS = frozenset({"OVER", "EFFECTIVE", "MODE", "MEMORY"})
"""Words before a query; one that is alone may be the name of a file."""
_ENDING_WORDS = frozenset({SqlTokenKind.BLANK, SqlTokenKind.COMMENT, SqlTokenKind.STRING, SqlTokenKind.NAME})
_SIGNS = frozenset("(*")
"""Signs after a word that are no part of the name of a file."""


def begins_statement(text: str) -> bool:
    """Return whether a text is a statement of SQL, or the beginning of one, not the name of a file.

    Comments and brackets before it do not matter; ``with-dash`` and ``values.gz`` are names.
    """
    tokens = dropwhile(_is_before_query, STANDARD.tokens_of(text))
    first, after = next(tokens, None), next(tokens, None)
    if first is None or first.kind is not SqlTokenKind.WORD:
        return False
    if after is not None and after.kind not in _ENDING_WORDS and after.text not in _SIGNS:
        return False
    word = first.text.upper()
    return word in QUERY_WORDS or (word in _WAYS and any(meaningful(tokens)))


def _is_before_query(token: SqlToken) -> bool:
    return token.kind in (SqlTokenKind.BLANK, SqlTokenKind.COMMENT) or token.text == "("
