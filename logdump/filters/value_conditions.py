"""VALUE as a condition on the bytes of a column, by the column's type: the same rows as by the decoded values.

A number holds within bounds, a moment too, counted in microseconds; text and binary data hold by the order of their
bytes. Values of other types have to be decoded: so do those of any type that are written out of the ordinary.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor
from struct import Struct
from typing import NamedTuple

from logdump.filters.comparison import Comparison
from logdump.filters.operands import as_bytes, as_moment, as_number
from logdump.filters.value_criteria import ColumnValue
from trailformat import ColumnDefinition
from trailformat.codec import charsets
from trailformat.scan.kernels.arguments import (
    COMPARES_BYTES,
    COMPARES_DECIMALS,
    COMPARES_DOUBLES,
    COMPARES_INTEGERS,
    COMPARES_MOMENTS,
    COMPARES_NULLS,
    COMPARES_TEXT,
    DECODES,
    EQUAL,
    GREATER,
    LESS,
)
from trailformat.scan.rows.conditions import ANY_SIZE, Condition
from trailformat.values.data_types import DATETIME, DATETIME_VARYING, FIXED_TEXT, INTEGERS, UNSIGNED, VARIABLE_TEXT
from trailformat.values.sub_types import sub_type

_SIGNS = {
    Comparison.EQUAL: EQUAL,
    Comparison.LESS: LESS,
    Comparison.LESS_OR_EQUAL: LESS | EQUAL,
    Comparison.GREATER: GREATER,
    Comparison.GREATER_OR_EQUAL: GREATER | EQUAL,
    Comparison.NOT_EQUAL: LESS | GREATER,
}
_LOWEST, _HIGHEST = -(1 << 63), (1 << 63) - 1
_MOST_SCALE = 38
_DECIMALS = 6
"""Digits behind the point of numbers written as text whose column says nothing of them; longer ones are decoded."""
_MOST_DECIMALS = 12
_DOUBLE_PRECISION = 143
_DOUBLE, _BITS = Struct(">d"), Struct(">q")
_INFINITY = 0x7FF0 << 48
_MICROSECOND = timedelta(microseconds=1)
_BEGIN = datetime(1970, 1, 1)  # noqa: DTZ001 - the zone is that of the value


class _Bounds(NamedTuple):
    """The integers that hold: from ``low`` to ``high``, or all others."""

    low: int
    high: int
    is_negated: bool = False


_NONE = _Bounds(_HIGHEST, _LOWEST)


def _bounds(comparison: Comparison, above: int, below: int, lowered: int = 0) -> _Bounds:
    """The integers that compare so with a number: ``above`` is the first not under it, ``below`` the last not over it.

    Each is lowered by so much to fit into 64 bits.
    """
    above, below = above - lowered, below - lowered
    low, high = {
        Comparison.EQUAL: (above, below),
        Comparison.NOT_EQUAL: (above, below),
        Comparison.LESS: (_LOWEST, above - 1),
        Comparison.LESS_OR_EQUAL: (_LOWEST, below),
        Comparison.GREATER: (below + 1, _HIGHEST),
        Comparison.GREATER_OR_EQUAL: (above, _HIGHEST),
    }[comparison]
    is_negated = comparison is Comparison.NOT_EQUAL
    low, high = max(low, _LOWEST), min(high, _HIGHEST)
    return _Bounds(low, high, is_negated) if low <= high else _NONE._replace(is_negated=is_negated)


class _Stored(NamedTuple):
    """A column and what it is compared with; ``codec`` is that of the text in it."""

    column: int
    definition: ColumnDefinition
    codec: str
    comparison: Comparison
    wanted: str

    def decoded(self) -> Condition:
        """The condition that leaves all to the decoder."""
        return Condition(self.column, DECODES)

    def within(self, kind: int, bounds: _Bounds) -> Condition:
        """The condition that a number holds within bounds."""
        low, high, is_negated = bounds
        is_prefixed = self.definition.data_type in VARIABLE_TEXT or self.definition.data_type == DATETIME_VARYING
        return Condition(self.column, kind, is_prefixed, low=low, high=high, is_negated=is_negated)

    def number_within(self, kind: int, scale: int, lowered: int = 0) -> Condition:
        """The same by the number that is wanted, in units of the last digit."""
        wanted = as_number(self.wanted)
        if wanted is None:
            return self.within(kind, _NONE)
        if wanted.is_infinite():
            return self.decoded()
        exact = Fraction(wanted) * Fraction(10) ** scale
        return self.within(kind, _bounds(self.comparison, ceil(exact), floor(exact), lowered))


def condition(criterion: ColumnValue, index: int, definition: ColumnDefinition, charset: str) -> Condition:
    """The condition that VALUE is on a column of this definition.

    ``charset`` is the codec of text in the character set of the database.
    """
    if criterion.wanted is None:
        return Condition(index, COMPARES_NULLS, is_negated=criterion.comparison is Comparison.NOT_EQUAL)
    codec = sub_type(definition.sub_data_type).codec or charsets.codec_of(definition.charset, charset)
    stored = _Stored(index, definition, codec, criterion.comparison, criterion.wanted)
    return _FAMILIES.get(definition.data_type, _Stored.decoded)(stored)


def _integer(stored: _Stored) -> Condition:
    code, scale = stored.definition.data_type, stored.definition.scale
    if abs(scale) > _MOST_SCALE:
        return stored.decoded()
    is_signed = code in INTEGERS
    width = INTEGERS[code] if is_signed else UNSIGNED[code]
    is_beyond = width == 8 and not is_signed
    made = stored.number_within(COMPARES_INTEGERS, scale, 1 << 63 if is_beyond else 0)
    if made.kind != COMPARES_INTEGERS:
        return made
    shift = 64 - 8 * width if is_signed else 0
    return made._replace(scale=width, shift=shift, flip=_LOWEST if is_beyond else 0)


def _text(stored: _Stored) -> Condition:
    definition = stored.definition
    is_prefixed = definition.data_type in VARIABLE_TEXT
    most = ANY_SIZE if is_prefixed else definition.internal_length
    kind = sub_type(definition.sub_data_type)
    made = Condition(stored.column, COMPARES_BYTES, is_prefixed, most, signs=_SIGNS[stored.comparison])
    if kind.is_binary:
        data = as_bytes(stored.wanted)
        return made._replace(signs=0) if data is None else made._replace(data=data)
    if not charsets.keeps_ascii(stored.codec):
        return stored.decoded()
    if kind.is_number:
        scale = min(definition.scale, _MOST_DECIMALS) if definition.scale > 0 else _DECIMALS
        number = stored.number_within(COMPARES_DECIMALS, scale)
        return number._replace(scale=scale, most=most)
    try:
        data = stored.wanted.rstrip(" ").encode(charsets.UTF_8)
    except UnicodeEncodeError:
        return stored.decoded()
    return made._replace(kind=COMPARES_TEXT, data=data, is_utf_8=stored.codec == charsets.UTF_8)


def _double(stored: _Stored) -> Condition:
    """Within doubles as integers that are ordered alike; each counts as the shortest decimal number that it is."""
    wanted = as_number(stored.wanted)
    if wanted is None:
        return stored.within(COMPARES_DOUBLES, _NONE)
    above = _first_double(lambda number: number >= wanted)
    below = _first_double(lambda number: number > wanted) - 1
    return stored.within(COMPARES_DOUBLES, _bounds(stored.comparison, above, below))


def _first_double(is_beyond: Callable[[Decimal], bool]) -> int:
    """The first double, as an integer, from which on a condition holds; the one after infinity where it never does."""
    low, high = ~_INFINITY, _INFINITY + 1
    while low < high:
        middle = (low + high) // 2
        bits = middle if middle >= 0 else middle ^ _HIGHEST
        (number,) = _DOUBLE.unpack(_BITS.pack(bits))
        low, high = (low, middle) if is_beyond(Decimal(repr(number))) else (middle + 1, high)
    return low


def _moment(stored: _Stored) -> Condition:
    """Within microseconds; a value with a zone beside one without is decoded."""
    wanted = as_moment(stored.wanted)
    if wanted is None or isinstance(wanted, time):
        return stored.within(COMPARES_MOMENTS, _NONE)
    if not isinstance(wanted, datetime):
        wanted = datetime.combine(wanted, time())
    begin = _BEGIN if wanted.tzinfo is None else _BEGIN.replace(tzinfo=UTC)
    microseconds = (wanted - begin) // _MICROSECOND
    made = stored.within(COMPARES_MOMENTS, _bounds(stored.comparison, microseconds, microseconds))
    return made._replace(scale=int(wanted.tzinfo is not None))


_FAMILIES: dict[int, Callable[[_Stored], Condition]] = {
    **dict.fromkeys((*INTEGERS, *UNSIGNED), _integer),
    **dict.fromkeys(FIXED_TEXT | VARIABLE_TEXT, _text),
    **dict.fromkeys((DATETIME, DATETIME_VARYING), _moment),
    _DOUBLE_PRECISION: _double,
}
"""By data type."""
