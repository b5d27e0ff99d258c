"""Comparison of a value with a text, by the value's type; the operator is before it ([HELP]) or after it ([manual])."""

from __future__ import annotations

import enum
import operator
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from math import isnan
from typing import Any, NamedTuple

from logdump.filters.words import FilterError, quoted
from trailformat import TrailError, Value
from trailformat.values.datetimes import parse_moment
from trailformat.values.intervals import parse_interval
from trailformat.values.numbers import parse_number


class Comparison(enum.Enum):
    """An operator, in the spelling of SHOW FILTER."""

    EQUAL = "="
    LESS = "<"
    LESS_OR_EQUAL = "<="
    GREATER = ">"
    GREATER_OR_EQUAL = ">="
    NOT_EQUAL = "<>"

    def holds(self, value: Any, wanted: Any) -> bool:
        """Return True if a record's value compares so with the value of the filter; both have one orderable type."""
        return _TESTS[self](value, wanted)


_TESTS: dict[Comparison, Callable[[Any, Any], bool]] = {
    Comparison.EQUAL: operator.eq,
    Comparison.LESS: operator.lt,
    Comparison.LESS_OR_EQUAL: operator.le,
    Comparison.GREATER: operator.gt,
    Comparison.GREATER_OR_EQUAL: operator.ge,
    Comparison.NOT_EQUAL: operator.ne,
}

OPERATORS: dict[str, Comparison] = {
    "=": Comparison.EQUAL,
    "==": Comparison.EQUAL,
    "EQ": Comparison.EQUAL,
    "<": Comparison.LESS,
    "LT": Comparison.LESS,
    "<=": Comparison.LESS_OR_EQUAL,
    "LE": Comparison.LESS_OR_EQUAL,
    ">": Comparison.GREATER,
    "GT": Comparison.GREATER,
    ">=": Comparison.GREATER_OR_EQUAL,
    "GE": Comparison.GREATER_OR_EQUAL,
    "<>": Comparison.NOT_EQUAL,
    "!=": Comparison.NOT_EQUAL,
    "NE": Comparison.NOT_EQUAL,
}
"""All spellings of the operators in [HELP] and [manual]."""

_SIGNS = "<>=!"


def split_comparison(text: str) -> tuple[Comparison, str]:
    """Return the operator and the value next to it, as written and perhaps empty.

    Raises:
        FilterError: an operator on both sides, or one that does not exist.
    """
    before, text = _take(text.strip(), at_end=False)
    after, text = _take(text, at_end=True)
    if before and after:
        raise FilterError(f"two operators, {before} and {after}; one comparison is allowed")
    return comparison_named(before or after or "="), text


def comparison_named(spelling: str) -> Comparison:
    """Return the comparison with this spelling, in any case.

    Raises:
        FilterError: there is no such operator.
    """
    comparison = OPERATORS.get(spelling.upper())
    if comparison is None:
        raise FilterError(f"no operator {quoted(spelling)}; there are {' '.join(OPERATORS)}")
    return comparison


def _take(text: str, *, at_end: bool) -> tuple[str, str]:
    """Return the operator at one end of ``text``, empty if there is none, and the rest."""
    rest = text.rstrip(_SIGNS) if at_end else text.lstrip(_SIGNS)
    if rest != text:
        signs = text[len(rest) :] if at_end else text[: len(text) - len(rest)]
        return signs, rest.strip()
    words = text.rsplit(None, 1) if at_end else text.split(None, 1)
    word = words[-1 if at_end else 0].upper() if words else ""
    if word not in OPERATORS:
        return "", text
    rest = words[0 if at_end else -1] if len(words) > 1 else ""
    return word, rest.strip()


_DAY_TO_FRACTION = "DAY TO FRACTION"


@lru_cache(maxsize=64)
def as_number(text: str) -> Decimal | None:
    """Return the operand as a number, perhaps infinite; None if it is not a number."""
    try:
        number = parse_number(text)
    except TrailError:
        return None
    return None if isnan(number) else Decimal(str(number))


@lru_cache(maxsize=64)
def as_bytes(text: str) -> bytes | None:
    """Return the operand as binary data, from its hex digits; None if it is not hex."""
    digits = text[2:-1] if text[:2].upper() == "X'" else text.removeprefix("0x")
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return None


@lru_cache(maxsize=64)
def as_interval(text: str) -> timedelta | None:
    """Return the operand as an interval; None if it is not one."""
    try:
        interval = parse_interval(text.strip(), _DAY_TO_FRACTION)
    except TrailError:
        return None
    return interval if isinstance(interval, timedelta) else None


@lru_cache(maxsize=64)
def as_moment(text: str) -> date | time | None:
    """Return the operand as a date, a time, or both; None if it is none of these."""
    try:
        moment = parse_moment(text)
    except TrailError:
        return None
    return None if isinstance(moment, str) else moment


class ValueComparison(NamedTuple):
    """An operator and the text to compare with, None for NULL."""

    comparison: Comparison
    wanted: str | None

    def holds(self, value: Value) -> bool:
        """Return True if a value satisfies the comparison; NULL and undecodable values satisfy only one with NULL."""
        if self.wanted is None:
            return value.is_null is (self.comparison is Comparison.EQUAL)
        if value.is_null or value.problem is not None:
            return False
        compared, wanted = _comparable(value.value, self.wanted)
        return wanted is not None and self.comparison.holds(compared, wanted)


def _comparable(value: Any, wanted: str) -> tuple[Any, Any]:
    """Return the value of a column and the operand in one orderable type; the operand is None if there is none."""
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
    """Return both moments in one type, a date as its midnight; the second is None if they are not comparable."""
    if isinstance(value, datetime) and isinstance(wanted, date) and not isinstance(wanted, datetime):
        wanted = datetime.combine(wanted, time(), value.tzinfo)
    if isinstance(wanted, datetime) and isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(), wanted.tzinfo)
    zones = {getattr(moment, "tzinfo", None) is None for moment in (value, wanted)}
    return value, wanted if type(value) is type(wanted) and len(zones) == 1 else None
