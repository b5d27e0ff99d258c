"""Criteria on the values of columns, of which :mod:`logdump.filters.conditions` makes VALUE (ours).

A record satisfies it if its before or its after image has the column with a value that satisfies the comparison.
Values are compared by the type of the column (:mod:`trailformat.values.comparing`). NULL and undecodable values satisfy
only a comparison with NULL. Column names ignore case unless quoted. For GoldenGate's names of header fields see
:class:`HeaderValue`.
"""

from __future__ import annotations

import enum
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.comparison import Comparison, ValueComparison, ValueTest
from logdump.filters.criterion import Criterion, Needs
from logdump.filters.words import FilterError, quoted, whole_number
from logdump.notation.times import GMT, TimeOffset, format_timestamp
from logdump.notation.values import ColumnOperand, name_notation, operand_text, quoted_text
from trailformat import ColumnDefinition, Record, Value
from trailformat.changes.row_changes import OPERATIONS, ColumnChange
from trailformat.codec.on_demand import on_demand
from trailformat.values import Family, data_type_of
from trailformat.values.comparing import Operand
from trailformat.values.value import sub_type

with on_demand:
    from logdump.filters import value_masks

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


_NUMBERS = frozenset({Family.INTEGER, Family.REAL, Family.DECIMAL})


class ImageSide(enum.Enum):
    """The image whose values are tested."""

    EITHER = ""
    BEFORE = "BEFORE"
    AFTER = "AFTER"

    def of(self, column: ColumnChange) -> Iterator[Value]:
        """Yield the values of a column in it."""
        if self is not ImageSide.AFTER and column.before is not None:
            yield column.before
        if self is not ImageSide.BEFORE and column.after is not None:
            yield column.after


@dataclass(frozen=True)
class ValueCriterion(Criterion):
    """Tests the values of some columns: a record satisfies it if one of its values does."""

    keyword: ClassVar[str] = "VALUE"
    label: ClassVar[str] = "Value"
    uses: ClassVar[Needs] = Needs.NAME | Needs.DATA | Needs.VALUES
    is_slow: ClassVar[bool] = True
    image: ClassVar[ImageSide] = ImageSide.EITHER

    @property
    @abstractmethod
    def test(self) -> ValueTest:
        """The test of a value."""

    @abstractmethod
    def compares(self, definition: ColumnDefinition) -> bool:
        """Return True if the values of a column are compared."""

    def mask(self, rows: FilterRows) -> Mask:
        """Return the rows with an image whose value satisfies the test."""
        source = rows.source
        search = source.kept.get(self)
        if search is None:
            search = source.kept[self] = value_masks.ValueSearch(self.compares, self.test, source.definition_at)
        masks = search.values(rows.batch, source.trail.buffer, rows.among)

        def holds(record: Record) -> bool:
            return any(self.among(source.columns(record)))

        if self.image is not ImageSide.EITHER:  # either image of a row in ``masks.held`` satisfies the test
            return rows.in_doubt(rows.by_record(holds, masks.matching | masks.undecided), masks.undefined)
        return rows.in_doubt(masks.matching | rows.by_record(holds, masks.undecided), masks.undefined)

    def among(self, columns: Iterable[ColumnChange]) -> Iterator[ColumnChange]:
        """Yield the columns of a change of which a value, before or after, satisfies the test."""
        for column in columns:
            definition = column.definition
            if (
                definition is not None
                and self.compares(definition)
                and any(self.test.holds(value, definition) for value in self.image.of(column))
            ):
                yield column


@dataclass(frozen=True)
class ColumnValue(ValueCriterion):
    """FILTER VALUE: the values of the columns of a name; ``is_exact`` is True if the case of the name counts."""

    comparison: Comparison
    operand: Operand
    column: str
    is_exact: bool

    @property
    def test(self) -> ValueTest:
        """See ValueCriterion."""
        return ValueComparison(self.comparison, self.operand)

    def compares(self, definition: ColumnDefinition) -> bool:
        """See ValueCriterion."""
        return self.fits(definition.name)

    def fits(self, name: str) -> bool:
        """Return True if a column name matches."""
        return ColumnOperand(self.column, self.is_exact, self.operand).is_of(name)

    def describe(self) -> list[tuple[str, ...]]:
        """Return column, operator and value as they may be entered."""
        name = name_notation(ColumnOperand(self.column, self.is_exact, self.operand))
        return [(f"{name} {self.comparison.value} {shown_operand(self.operand)}",)]


def shown_operand(operand: Operand) -> str:
    """Return an operand as it may be entered, a text in quotes."""
    return operand_text(operand) if operand.text is None else quoted_text(operand.text)


@dataclass(frozen=True)
class AnyValue(ValueCriterion):
    """FIND of a number, a date or a time: the values of all columns that have such."""

    comparison: Comparison
    operand: Operand

    @property
    def test(self) -> ValueTest:
        """See ValueCriterion."""
        return ValueComparison(self.comparison, self.operand)

    def compares(self, definition: ColumnDefinition) -> bool:
        """See ValueCriterion."""
        family = data_type_of(definition).family
        if family is Family.DATETIME:
            return self.operand.as_moment is not None
        is_number = family in _NUMBERS or sub_type(definition.sub_data_type).is_number
        return is_number and self.operand.as_number is not None

    def describe(self) -> list[tuple[str, ...]]:
        """Return operator and value."""
        return [(f"{self.comparison.value} {operand_text(self.operand)}",)]


def any_value(text: str) -> AnyValue | None:
    """Return the criterion of a number, a date or a time in a column; None for a text that is none of these."""
    operand = Operand(text)
    is_value = operand.as_number is not None or operand.as_moment is not None
    return AnyValue(Comparison.EQUAL, operand) if is_value else None
