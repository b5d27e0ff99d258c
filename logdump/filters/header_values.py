"""VALUE with GoldenGate's own names for what a record header holds, as COLMAP and @GETENV have them.

GGS_TRANS_TIMESTAMP     IO Time                         VALUE GGS_TRANS_TIMESTAMP >= '2024-03-14 09:31'
GGS_TRANS_RBA           AuditPos                        VALUE GGS_TRANS_RBA = 23409220
GGS_OP_TYPE             what the record does            VALUE GGS_OP_TYPE = "PK UPDATE"
GGS_BEFORE_AFTER_IND    which image it holds            VALUE GGS_BEFORE_AFTER_IND = BEFORE

In quotes such a name is that of a column.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.comparison import Comparison
from logdump.filters.criterion import Criterion, Needs
from logdump.filters.errors import FilterError
from logdump.filters.words import quoted, whole_number
from logdump.notation.times import GMT, TimeOffset, format_timestamp
from trailformat.changes.row_changes import OPERATIONS

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask

_TIME, _PLACE, _OPERATION, _IMAGE = "GGS_TRANS_TIMESTAMP", "GGS_TRANS_RBA", "GGS_OP_TYPE", "GGS_BEFORE_AFTER_IND"
FIELDS = {_TIME: "io_time", _PLACE: "audit_pos", _OPERATION: "io_type", _IMAGE: "before_after"}
"""GoldenGate's name -> the field of the header, and the column of a batch."""
_CODES: dict[str, Mapping[int, str]] = {_OPERATION: OPERATIONS, _IMAGE: {ord("B"): "BEFORE", ord("A"): "AFTER"}}
"""The numbers that have names, and their names."""


@dataclass(frozen=True)
class HeaderValue(Criterion):
    """A field of the record header, under GoldenGate's name; ``numbers`` are those that fit ``wanted``."""

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
        """The comparison, a moment in GMT, whatever zone it was entered in."""
        return f"{self.keyword} {self.describe()[0][0]}"

    def mask(self, rows: FilterRows) -> Mask:
        """The records whose field compares so; what is no change has no name, and meets no comparison of names."""
        if self.is_named:
            return rows.any_of(FIELDS[self.name], self.numbers)
        return self.comparison.holds(rows.column(FIELDS[self.name]), self.numbers[0]) & rows.is_record

    def describe(self) -> list[tuple[str, ...]]:
        """Return name, operator and value as they may be entered."""
        return [(f"{self.name} {self.comparison.value} '{self.wanted}'",)]


def header_value(name: str, comparison: Comparison, wanted: str | None, offset: TimeOffset) -> HeaderValue:
    """The criterion for one of FIELDS.

    Raises:
        FilterError: the value is none of it, or is compared as it cannot be.
    """
    if wanted is None:
        raise FilterError(f"{name} is never NULL")
    if name in _CODES:
        return HeaderValue(name, comparison, wanted.upper(), _named(name, comparison, wanted))
    if name == _TIME:
        moment = _moment(wanted, offset)
        return HeaderValue(name, comparison, format_timestamp(moment, GMT), (moment,))
    number = whole_number(wanted)
    return HeaderValue(name, comparison, str(number), (number,))


def _moment(text: str, offset: TimeOffset) -> int:
    try:
        return offset.moment(text)
    except ValueError as error:
        raise FilterError(str(error)) from None


def _named(name: str, comparison: Comparison, wanted: str) -> tuple[int, ...]:
    """The numbers with this name; for <> those with another one."""
    codes, is_equal = _CODES[name], comparison is Comparison.EQUAL
    if not is_equal and comparison is not Comparison.NOT_EQUAL:
        raise FilterError(f"{name} is compared by = and <> only")
    if wanted.upper() not in codes.values():
        raise FilterError(f"no {name} {quoted(wanted)}; there are {', '.join(dict.fromkeys(codes.values()))}")
    return tuple(number for number, text in codes.items() if (text == wanted.upper()) is is_equal)
