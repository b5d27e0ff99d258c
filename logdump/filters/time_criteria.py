"""STARTTIME and ENDTIME: IO Time at or after, at or before, a moment.

The text is read under the TIMEOFFSET in force when the filter is created, and stored as Julian microseconds in GMT.
SHOW FILTER prints the time with GMT after it (ours), which stays true when TIMEOFFSET changes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from logdump.filters.criterion import Criterion, Needs, Option
from logdump.filters.words import FilterError, quoted
from logdump.notation.times import GMT, LOGDUMP_FORM, TimeOffset, format_timestamp
from logdump.notation.values import unquote

if TYPE_CHECKING:
    from logdump.filters.rows import FilterRows, Mask

_LONGEST = 64


@dataclass(frozen=True)
class TimeCriterion(Criterion):
    """A moment, in Julian microseconds GMT."""

    moment: int
    uses: ClassVar[Needs] = Needs.HEADER
    is_end: ClassVar[bool] = False

    @property
    def statement(self) -> str:
        """The option with its moment in GMT, whatever the zone in which it was entered."""
        return f"{self.keyword} {format_timestamp(self.moment, GMT)}"

    def describe(self) -> list[tuple[str, ...]]:
        """Return the moment in GMT."""
        return [(f"{format_timestamp(self.moment, GMT)} GMT",)]


@dataclass(frozen=True)
class StartTime(TimeCriterion):
    """FILTER STARTTIME: IO Time at or after a moment."""

    keyword: ClassVar[str] = "STARTTIME"
    label: ClassVar[str] = "Starttime"

    def mask(self, rows: FilterRows) -> Mask:
        """Return the records with an IO Time at or after the moment."""
        return (rows.column("io_time") >= self.moment) & rows.is_record


@dataclass(frozen=True)
class EndTime(TimeCriterion):
    """FILTER ENDTIME: IO Time at or before a moment."""

    is_end: ClassVar[bool] = True
    keyword: ClassVar[str] = "ENDTIME"
    label: ClassVar[str] = "Endtime"

    def mask(self, rows: FilterRows) -> Mask:
        """Return the records with an IO Time at or before the moment."""
        return (rows.column("io_time") <= self.moment) & rows.is_record


def _parse(kind: type[TimeCriterion], text: str, offset: TimeOffset) -> Criterion:
    if len(text) > _LONGEST:
        raise FilterError(f"{quoted(text)} is not a time")
    try:
        return kind(offset.moment(unquote(text), is_end=kind.is_end))
    except ValueError as error:
        raise FilterError(str(error)) from None


OPTIONS = (
    Option(
        "STARTTIME",
        f"STARTTIME {LOGDUMP_FORM}",
        "IO Time at or after; ISO 8601 too",
        "STARTTIME 2024-03-01 09:00",
        partial(_parse, StartTime),
        Needs.HEADER,
    ),
    Option(
        "ENDTIME",
        f"ENDTIME {LOGDUMP_FORM}",
        "IO Time at or before; ISO 8601 too",
        "ENDTIME 2024-03-01 10:00",
        partial(_parse, EndTime),
        Needs.HEADER,
    ),
)
