"""The search of a line of FIND: text or bytes in the record data, or the value of a column."""

from __future__ import annotations

import re

from logdump.filters import Criterion, CriterionSet, FilterError, FilterSet, Match, parse_criterion
from logdump.filters.header_values import HeaderValue
from logdump.filters.name_criteria import FileName
from logdump.filters.words import unquote
from logdump.notation.times import GMT
from logdump.session.defined_names import undefined_column
from logdump.session.errors import CommandError
from logdump.session.marks import Search
from logdump.session.session import Session

_HEX = re.compile(r"HEX\s+(?P<digits>.+)", re.IGNORECASE | re.DOTALL)
_COLUMN = re.compile(
    r"""(?P<table>(?:[\w$\#]+\.)*)(?P<column>[\w$\#]+)(?P<condition>\s*(?:<=|>=|<>|!=|==|=|<|>)\s*.+)""",
    re.VERBOSE | re.DOTALL,
)
_QUOTES = "\"'"
_ANY_CASE = re.compile(r"[Bb]\s*,\s*(?=[\"'])")


def parse_search(session: Session, text: str) -> Search:
    """The search that ``text`` describes, in the open trail.

    Raises:
        CommandError: it is no search, or names a column that no table of the trail has.
    """
    if match := _HEX.fullmatch(text):
        return Search(text, _all(_criterion(f'HEX "{match["digits"].strip().strip(_QUOTES)}"')))
    if match := _COLUMN.fullmatch(text):
        compared = _criterion(f"VALUE {match['column']} {match['condition']}")
        if isinstance(compared, HeaderValue):
            return Search(text, _all(compared))
        return Search(text, _all(*_on_tables(session, match), compared))
    value = _ANY_CASE.sub("", text)
    mark = "B," if value != text else ""
    wanted = unquote(value).replace('"', '""')
    return Search(text, _all(_criterion(f'STRING {mark}"{wanted}"')))


def _criterion(statement: str) -> Criterion:
    try:
        return parse_criterion(statement, GMT)
    except FilterError as error:
        raise CommandError(f"FIND: {error}") from error


def _all(*criteria: Criterion) -> FilterSet:
    return FilterSet(include=CriterionSet(list(criteria), Match.ALL))


def _on_tables(session: Session, match: re.Match[str]) -> list[Criterion]:
    """The tables that are meant, where some are named.

    Raises:
        CommandError: none of them is defined with such a column.
    """
    table = match["table"].rstrip(".").upper()
    if (undefined := undefined_column(session, match["column"], table)) is not None:
        raise CommandError(undefined, f'FIND "{match[0]}" looks for the text itself.')
    return [FileName((table, f"*.{table}"))] if table else []
