"""VALUE: a column's value, compared by its type (ours).

    VALUE PRODUCT_PRICE > 15000
    VALUE ORDER_DATE >= '1995-01-01 12:00:00'
    VALUE STATE = WA          VALUE "Mixed Case" <> 'it''s'          VALUE NOTE = NULL

A record meets it when its before or its after image has the column and the value compares so. Numbers are compared as
numbers, dates as dates, text without the blanks at its end, binary data by its hex digits. NULL, and what does not
decode, meets no comparison but that with NULL. Column names ignore case unless quoted. Names that
GoldenGate has for fields of the header: :mod:`logdump.filters.header_values`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.comparison import Comparison, comparison_named
from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.errors import FilterError
from logdump.filters.header_values import FIELDS, HeaderValue, header_value
from logdump.filters.value_comparison import ValueComparison
from logdump.filters.words import QUOTES, is_quoted, quoted, unquote
from logdump.notation.times import TimeOffset
from trailformat import Record

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask

_MAX_NAME = 1024
_NAME = r'"(?:[^"]|"")+"|[^\s<>=!"]+'
_SIGN = "[<>=!]+|(?<=\\s)(?:EQ|NE|LT|LE|GT|GE)(?=\\s)"
_PARTS = re.compile(rf"({_NAME})\s*({_SIGN})\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class ColumnValue(Criterion):
    """FILTER VALUE: compares a column's value; ``wanted`` is the text after the operator, None for NULL."""

    column: str
    is_exact: bool
    comparison: Comparison
    wanted: str | None
    keyword: ClassVar[str] = "VALUE"
    label: ClassVar[str] = "Value"
    uses: ClassVar[Needs] = Needs.NAME | Needs.DATA | Needs.VALUES
    is_slow: ClassVar[bool] = True

    def mask(self, rows: FilterRows) -> Mask:
        """The rows one of whose images has such a value."""
        from logdump.filters.value_masks import ValueSearch  # noqa: PLC0415 - it needs numpy

        source, comparison = rows.source, ValueComparison(self.comparison, self.wanted)
        search = source.kept.get(self)
        if search is None:
            search = source.kept[self] = ValueSearch(self.fits, comparison, source.definition_at)
        found = search.values(rows.batch, source.trail.buffer, rows.among)

        def holds(record: Record) -> bool:
            for column in source.columns(record):
                if self.fits(column.name):
                    return any(comparison.holds(value) for value in (column.before, column.after) if value is not None)
            return False

        return found.held | rows.by_record(holds, found.undecided)

    def fits(self, name: str) -> bool:
        """Return True if a column name matches."""
        return name == self.column or (not self.is_exact and name.upper() == self.column.upper())

    def describe(self) -> list[tuple[str, ...]]:
        """Return column, operator and value as they may be entered."""
        name = '"' + self.column.replace('"', '""') + '"' if self.is_exact else self.column
        wanted = "NULL" if self.wanted is None else "'" + self.wanted.replace("'", "''") + "'"
        return [(f"{name} {self.comparison.value} {wanted}",)]


def _parse(text: str, offset: TimeOffset) -> Criterion:
    parts = _PARTS.fullmatch(text.strip())
    if parts is None:
        raise FilterError(f"{quoted(text)} is not a comparison of a column")
    name, sign, value = parts.groups()
    if not value:
        raise FilterError("a value is missing")
    if not 0 < len(name) <= _MAX_NAME:
        raise FilterError(f"a name has 1 to {_MAX_NAME} characters")
    if value[0] in QUOTES and not is_quoted(value):
        raise FilterError(f"{quoted(value)} is not closed by the quote it begins with; a quote inside is doubled")
    comparison = comparison_named(sign)
    is_null = value.upper() == "NULL"
    if is_null and comparison not in (Comparison.EQUAL, Comparison.NOT_EQUAL):
        raise FilterError("NULL is compared by = and <> only")
    wanted = None if is_null else unquote(value)
    if name.upper() in FIELDS:
        return header_value(name.upper(), comparison, wanted, offset)
    return ColumnValue(unquote(name), is_quoted(name), comparison, wanted)


OPTIONS = (
    Option(
        "VALUE",
        "VALUE <column> {= | <> | < | <= | > | >=} {<value> | NULL}",
        "a column's value before or after, compared by its type (not in Oracle's Logdump)",
        "VALUE PRODUCT_PRICE > 15000",
        _parse,
        ColumnValue.uses | HeaderValue.uses,
    ),
)
