"""The comparison of a column's value with the text of VALUE, by the type of the value."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from decimal import Decimal
from math import isnan
from typing import Any, NamedTuple

from logdump.filters.comparison import Comparison
from logdump.filters.operands import as_bytes, as_interval, as_moment, as_number
from trailformat import Value


class ValueComparison(NamedTuple):
    """An operator and the text after it, None for NULL."""

    comparison: Comparison
    wanted: str | None

    def holds(self, value: Value) -> bool:
        """Return True if a value compares so; NULL and undecodable values match only a comparison with NULL."""
        if self.wanted is None:
            return value.is_null is (self.comparison is Comparison.EQUAL)
        if value.is_null or value.problem is not None:
            return False
        compared, wanted = _comparable(value.value, self.wanted)
        return wanted is not None and self.comparison.holds(compared, wanted)


def _comparable(value: Any, wanted: str) -> tuple[Any, Any]:
    """The value of a column and the wanted one, in one orderable type; the second None when there is no such type."""
    if isinstance(value, str):
        return value.rstrip(" "), wanted.rstrip(" ")
    if isinstance(value, float):
        return Decimal(repr(value)), None if isnan(value) else as_number(wanted)
    if isinstance(value, int | Decimal):
        return value, as_number(wanted)
    if isinstance(value, bytes):
        return value, as_bytes(wanted)
    if isinstance(value, timedelta):
        return value, as_interval(wanted)
    return _same_kind(value, as_moment(wanted))


def _same_kind(value: Any, wanted: Any) -> tuple[Any, Any]:
    """A day beside a moment is its midnight; a moment with a zone and one without cannot be compared."""
    if isinstance(value, datetime) and isinstance(wanted, date) and not isinstance(wanted, datetime):
        wanted = datetime.combine(wanted, time(), value.tzinfo)
    if isinstance(wanted, datetime) and isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(), wanted.tzinfo)
    zones = {getattr(moment, "tzinfo", None) is None for moment in (value, wanted)}
    return value, wanted if type(value) is type(wanted) and len(zones) == 1 else None
