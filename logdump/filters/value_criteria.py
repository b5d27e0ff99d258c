"""VALUE: a column's value, compared by its type (ours).

    VALUE PRODUCT_PRICE > 15000
    VALUE ORDER_DATE >= '1995-01-01 12:00:00'
    VALUE STATE = WA          VALUE "Mixed Case" <> 'it''s'          VALUE NOTE = NULL

A record satisfies it if its before or its after image has the column with a value that satisfies the comparison.
Numbers are compared as numbers, dates as dates, text without trailing blanks, binary data by its hex digits. NULL and
undecodable values satisfy only a comparison with NULL. Column names ignore case unless quoted. For GoldenGate's names
of header fields see :class:`HeaderValue`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.comparison import Comparison, ValueComparison, comparison_named
from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.words import QUOTES, FilterError, is_quoted, quoted, unquote, whole_number
from logdump.notation.times import GMT, TimeOffset, format_timestamp
from trailformat import Record
from trailformat.changes.row_changes import OPERATIONS

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask


_TIME, _PLACE, _OPERATION, _IMAGE = "GGS_TRANS_TIMESTAMP", "GGS_TRANS_RBA", "GGS_OP_TYPE", "GGS_BEFORE_AFTER_IND"
FIELDS = {_TIME: "io_time", _PLACE: "audit_pos", _OPERATION: "io_type", _IMAGE: "before_after"}
"""GoldenGate's name -> the name of the header field and of the column of a batch."""
_CODES: dict[str, Mapping[int, str]] = {_OPERATION: OPERATIONS, _IMAGE: {ord("B"): "BEFORE", ord("A"): "AFTER"}}
"""The fields whose numbers have names, and these names."""


@dataclass(frozen=True)
class HeaderValue(Criterion):
    """A field of the record header, under GoldenGate's name.

    ``numbers`` are the values that satisfy the comparison if the field has named values, else the one to compare with.
    """

    name: str
    comparison: Comparison
    wanted: str
    numbers: tuple[int, ...]
    keyword: ClassVar[str] = "VALUE"
    label: ClassVar[str] = "Value"
    uses: ClassVar[Needs] = Needs.HEADER

    @property
    def is_named(self) -> bool:
        """True if the field has a fixed set of values."""
        return self.name in _CODES

    @property
    def statement(self) -> str:
        """The option, with a moment in GMT, whatever the zone in which it was entered."""
        return f"{self.keyword} {self.describe()[0][0]}"

    def mask(self, rows: FilterRows) -> Mask:
        """Return the records whose field satisfies the comparison; a type without a name satisfies none of names."""
        if self.is_named:
            return rows.any_of(FIELDS[self.name], self.numbers)
        return self.comparison.holds(rows.column(FIELDS[self.name]), self.numbers[0]) & rows.is_record

    def describe(self) -> list[tuple[str, ...]]:
        """Return name, operator and value as they may be entered."""
        return [(f"{self.name} {self.comparison.value} '{self.wanted}'",)]


def header_value(name: str, comparison: Comparison, wanted: str | None, offset: TimeOffset) -> HeaderValue:
    """Return the criterion for one of FIELDS.

    Raises:
        FilterError: the field cannot have this value, or cannot be compared by this operator.
    """
    if wanted is None:
        raise FilterError(f"{name} is never NULL")
    if name in _CODES:
        return HeaderValue(name, comparison, wanted.upper(), _named(name, comparison, wanted))
    if name == _TIME:
        moment = _moment(wanted, offset, is_end=comparison in {Comparison.LESS_OR_EQUAL, Comparison.GREATER})
        return HeaderValue(name, comparison, format_timestamp(moment, GMT), (moment,))
    number = whole_number(wanted)
    return HeaderValue(name, comparison, str(number), (number,))


def _moment(text: str, offset: TimeOffset, *, is_end: bool) -> int:
    try:
        return offset.moment(text, is_end=is_end)
    except ValueError as error:
        raise FilterError(str(error)) from None


def _named(name: str, comparison: Comparison, wanted: str) -> tuple[int, ...]:
    """Return the numbers with this name; for <> those with another name."""
    codes, is_equal = _CODES[name], comparison is Comparison.EQUAL
    if not is_equal and comparison is not Comparison.NOT_EQUAL:
        raise FilterError(f"{name} is compared by = and <> only")
    if wanted.upper() not in codes.values():
        raise FilterError(f"no {name} {quoted(wanted)}; there are {', '.join(dict.fromkeys(codes.values()))}")
    return tuple(number for number, text in codes.items() if (text == wanted.upper()) is is_equal)


_MAX_NAME = 1024
_NAME = r'"(?:[^"]|"")+"|[^\s<>=!"]+'
_SIGN = "[<>=!]+|(?<=\\s)(?:EQ|NE|LT|LE|GT|GE)(?=\\s)"
_PARTS = re.compile(rf"({_NAME})\s*({_SIGN})\s*(.*)", re.IGNORECASE | re.DOTALL)


@dataclass(frozen=True)
class ColumnValue(Criterion):
    """FILTER VALUE: compares a column's value with ``wanted``, the text after the operator; None for NULL."""

    column: str
    is_exact: bool
    comparison: Comparison
    wanted: str | None
    keyword: ClassVar[str] = "VALUE"
    label: ClassVar[str] = "Value"
    uses: ClassVar[Needs] = Needs.NAME | Needs.DATA | Needs.VALUES
    is_slow: ClassVar[bool] = True

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows with an image whose value satisfies the comparison."""
        from logdump.filters.value_masks import ValueSearch  # noqa: PLC0415 - it needs numpy

        source, comparison = rows.source, ValueComparison(self.comparison, self.wanted)
        search = source.kept.get(self)
        if search is None:
            search = source.kept[self] = ValueSearch(self.fits, comparison, source.definition_at)
        masks = search.values(rows.batch, source.trail.buffer, rows.among)

        def holds(record: Record) -> bool:
            for column in source.columns(record):
                if self.fits(column.name):
                    return any(comparison.holds(value) for value in (column.before, column.after) if value is not None)
            return False

        return masks.held | rows.by_record(holds, masks.undecided)

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
