"""What FIND looks for: text or bytes in the record data, or the value of a column."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from logdump.filters import Comparison, Criterion, CriterionSet, FilterError, FilterSet, Match, parse_criterion
from logdump.filters.comparison import OPERATORS
from logdump.filters.name_criteria import AnsiName
from logdump.filters.token_criteria import text_holds
from logdump.filters.words import is_quoted, unquote
from logdump.session import CommandError
from logdump.times import GMT
from trailformat import Column, Record, TableDefinition, TrailError, TrailFile, decode_value
from trailformat.values import Value

_HEX = re.compile(r"HEX\s+(?P<digits>.+)", re.IGNORECASE | re.DOTALL)
_COLUMN = re.compile(
    r"""(?P<table>(?:[\w$\#]+\.)*)(?P<column>[\w$\#]+)\s*(?P<operator><=|>=|<>|!=|==|=|<|>)\s*(?P<value>.+)""",
    re.VERBOSE | re.DOTALL,
)
_QUOTES = "\"'"
_ANY_CASE = re.compile(r"[Bb]\s*,\s*(?=[\"'])")


class Search(NamedTuple):
    """One search: as it was typed, the filter that finds candidates by columns, and the test on each of them."""

    text: str
    filters: FilterSet
    wanted: Callable[[Record], bool] | None = None


def parse_search(trail: TrailFile, text: str) -> Search:
    """The search that ``text`` asks for in this trail.

    Raises:
        CommandError: it is no search, or asks for a column that no table of the trail has.
    """
    if found := _HEX.fullmatch(text):
        return Search(text, _one(_criterion(f'HEX "{found["digits"].strip().strip(_QUOTES)}"')))
    if found := _COLUMN.fullmatch(text):
        return _column_search(trail, text, found)
    value = _ANY_CASE.sub("", text)
    mark = "B," if value != text else ""
    wanted = unquote(value).replace('"', '""')
    return Search(text, _one(_criterion(f'STRING {mark}"{wanted}"')))


def _criterion(statement: str) -> Criterion:
    try:
        return parse_criterion(statement, GMT)
    except FilterError as error:
        raise CommandError(f"FIND: {error}") from error


def _one(criterion: Criterion) -> FilterSet:
    return FilterSet(include=CriterionSet([criterion], Match.ALL))


def _column_search(trail: TrailFile, text: str, found: re.Match[str]) -> Search:
    name, table = found["column"].upper(), found["table"].rstrip(".").upper()
    tables = tuple(one for one in _tables_with(trail, name) if _fits(one, table))
    if not tables:
        where = f" {table}" if table else ""
        raise CommandError(
            f"No table{where} with a column {name} is defined in this trail.",
            f'FIND "{text}" looks for the text itself.',
        )
    condition = Condition(trail, name, OPERATORS[found["operator"]], found["value"].strip())
    return Search(text, _one(AnsiName(tables)), condition.is_met_by)


def _tables_with(trail: TrailFile, column: str) -> set[str]:
    """The tables that any definition in the trail gives a column of this name."""
    defined = [(entry.name, trail.tables.columns(entry)) for entry in trail.tables.entries()]
    return {name for name, one in defined if one is not None and _index_of(one, column) is not None}


def _fits(name: str, table: str) -> bool:
    """Whether ``SCHEMA.TABLE`` or ``TABLE`` is the end of a name."""
    return not table or f".{name.upper()}".endswith(f".{table}")


def _index_of(definition: TableDefinition, column: str) -> int | None:
    return next((at for at, one in enumerate(definition.columns) if one.name.upper() == column), None)


class Condition:
    """A column that compares with a value, before or after a change.

    NULL is written NULL; a value in quotes is text; numbers compare as numbers, everything else as text.
    """

    def __init__(self, trail: TrailFile, column: str, comparison: Comparison, value: str) -> None:
        self._trail = trail
        self._column = column
        self._comparison = comparison
        self._wants_null = value.upper() == "NULL"
        self._value = unquote(value) if is_quoted(value) else value

    def is_met_by(self, record: Record) -> bool:
        """Whether one of the record's images holds such a value; one that does not decode never does."""
        try:
            images = record.images
        except TrailError:
            return False
        entry = self._trail.table_of(record)
        definition = self._trail.tables.columns(entry) if entry is not None else None
        index = _index_of(definition, self._column) if definition is not None else None
        if images is None or definition is None or index is None:
            return False
        columns = [one for one in (*(images.before or ()), *(images.after or ())) if one.index == index]
        return any(self._holds(record, definition, one) for one in columns)

    def _holds(self, record: Record, definition: TableDefinition, column: Column) -> bool:
        value = decode_value(column, definition.columns[column.index], record.order)
        if self._wants_null:
            is_wanted = {Comparison.EQUAL: value is None, Comparison.NOT_EQUAL: value is not None}
            return is_wanted.get(self._comparison, False)
        if value is None:
            return False
        return text_holds(self._comparison, _text(value), self._value)


def _text(value: Value) -> str:
    return value.hex() if isinstance(value, bytes) else f"{value}".rstrip()
