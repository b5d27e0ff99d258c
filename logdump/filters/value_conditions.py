"""VALUE as a condition on the bytes of a column, by the column's type: the same rows as by the decoded values.

A number holds within bounds, moments and intervals too, counted in microseconds; text and binary data hold by the order
of their characters or bytes. Values that are written out of the ordinary, and those of other types, have to be decoded.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, time, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import ceil, floor
from typing import NamedTuple

from logdump.filters.comparison import Comparison
from logdump.filters.operands import as_bytes, as_interval, as_moment, as_number
from logdump.filters.value_comparison import ValueComparison
from trailformat import ByteOrder, Column, ColumnDefinition, TrailError
from trailformat.codec import charsets
from trailformat.records.columns import PRESENT
from trailformat.scan.kernels.arguments import (
    AT_END,
    AT_FRONT,
    COMPARES_BYTES,
    COMPARES_CHARACTERS,
    COMPARES_DECIMALS,
    COMPARES_FLOATS,
    COMPARES_INTEGERS,
    COMPARES_INTERVALS,
    COMPARES_MOMENTS,
    COMPARES_NULLS,
    COMPARES_PACKED,
    COMPARES_TANDEM,
    COMPARES_TEXT,
    COMPARES_ZONED,
    DECODES,
    EQUAL,
    GREATER,
    LESS,
    MINUS,
    NO_CHARACTER,
    NO_DIGIT,
)
from trailformat.scan.rows.conditions import ANY_SIZE, Condition
from trailformat.values import decode_value
from trailformat.values.data_types import (
    DATETIME,
    DATETIME_VARYING,
    FIXED_TEXT,
    FLOATS,
    INTEGERS,
    INTERVALS,
    PACKED,
    TANDEM_FLOATS,
    UNSIGNED,
    VARIABLE_TEXT,
    ZONED,
)
from trailformat.values.decimals import DIGITS, SIGNED_DIGITS, SIGNS, Sign
from trailformat.values.floats import TANDEM_EXPONENT_BITS
from trailformat.values.intervals import fields_of
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
_INFINITIES = {4: 0x7F800000, 8: 0x7FF0 << 48}
"""The bits of infinity, by the bytes of a float."""
_ALL_BUT_SIGN = (1 << 63) - 1
_INTERVAL_FIELDS = ("DAY", "HOUR", "MINUTE", "SECOND", "FRACTION")
_SIGN_PLACES = {Sign.LEADING: AT_FRONT, Sign.LEADING_SEPARATE: AT_FRONT, Sign.NONE: 0}
_UTF_16 = {"utf-16-be": 0, "utf-16-le": 1}
"""Codecs of two bytes a character, and the order of these."""
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


def condition(criterion: ValueComparison, index: int, definition: ColumnDefinition, charset: str) -> Condition:
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
    if kind.is_number:
        if not charsets.keeps_ascii(stored.codec):
            return stored.decoded()
        scale = min(definition.scale, _MOST_DECIMALS) if definition.scale > 0 else _DECIMALS
        number = stored.number_within(COMPARES_DECIMALS, scale)
        return number._replace(scale=scale, most=most)
    return _characters(stored, made)


def _characters(stored: _Stored, made: Condition) -> Condition:
    """By UTF-8 as it stands, or by the characters of other sets, as far as each is a byte, or two in UTF-16."""
    wanted = stored.wanted.rstrip(" ")
    try:
        if stored.codec == charsets.UTF_8:
            return made._replace(kind=COMPARES_TEXT, data=wanted.encode(charsets.UTF_8))
        units = wanted.encode("utf-16-le")
    except UnicodeEncodeError:
        return stored.decoded()
    made = made._replace(kind=COMPARES_CHARACTERS)
    if len(units) != 2 * len(wanted):
        return stored.decoded()
    if stored.codec in _UTF_16:
        return made._replace(scale=2, shift=_UTF_16[stored.codec], data=units)
    table = _characters_of(stored.codec)
    return made._replace(scale=1, flip=len(table), data=table + units) if table else stored.decoded()


@cache
def _characters_of(codec: str) -> bytes:
    """The character of each byte that is one by itself, in 16 bits; nothing where none is."""
    characters = [_character(bytes([byte]), codec) for byte in range(256)]
    return b"" if set(characters) == {NO_CHARACTER} else b"".join(one.to_bytes(2, "little") for one in characters)


def _character(byte: bytes, codec: str) -> int:
    try:
        text = charsets.decode(byte, codec)
    except TrailError:
        return NO_CHARACTER
    return min(ord(text), NO_CHARACTER) if len(text) == 1 else NO_CHARACTER


def _float(stored: _Stored) -> Condition:
    """Within floats as integers that are ordered alike; each counts as the shortest decimal number that it is."""
    size = FLOATS[stored.definition.data_type]
    infinity, shift = _INFINITIES[size], 64 - 8 * size
    flip = _ALL_BUT_SIGN >> shift

    def bits_of(number: int) -> int:
        return number if number >= 0 else number ^ flip

    made = _between(stored, COMPARES_FLOATS, bits_of, (~infinity, infinity + 1))
    return made._replace(scale=size, shift=shift, flip=infinity << shift)


def _tandem(stored: _Stored) -> Condition:
    """The same for Tandem's: exponent and fraction beside each other, those below zero counted from -1 down."""
    size = TANDEM_FLOATS[stored.definition.data_type]
    sign = 1 << 8 * size - 1
    fraction_bits = 8 * size - 1 - TANDEM_EXPONENT_BITS

    def bits_of(number: int) -> int:
        exponent, fraction = divmod(number if number >= 0 else -1 - number, 1 << fraction_bits)
        bits = fraction << TANDEM_EXPONENT_BITS | exponent
        return bits if number >= 0 else bits - sign

    return _between(stored, COMPARES_TANDEM, bits_of, (-sign, sign))._replace(scale=size)


def _between(stored: _Stored, kind: int, bits_of: Callable[[int], int], within: tuple[int, int]) -> Condition:
    """The condition on integers from one to before another, each of which stands for a float with these bits."""
    wanted = as_number(stored.wanted)
    if wanted is None:
        return stored.within(kind, _NONE)
    size = (FLOATS | TANDEM_FLOATS)[stored.definition.data_type]

    def value_of(number: int) -> Decimal:
        data = bits_of(number).to_bytes(size, "big", signed=True)
        return Decimal(repr(decode_value(Column(0, PRESENT + data), stored.definition, ByteOrder.BIG).value))

    above = _first(lambda number: value_of(number) >= wanted, *within)
    below = _first(lambda number: value_of(number) > wanted, *within) - 1
    return stored.within(kind, _bounds(stored.comparison, above, below))


def _first(is_beyond: Callable[[int], bool], low: int, high: int) -> int:
    """The first integer from which on a condition holds; ``high`` where it never does."""
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if is_beyond(middle) else (middle + 1, high)
    return low


def _zoned(stored: _Stored) -> Condition:
    sign = ZONED[stored.definition.data_type]
    is_separate = sign in (Sign.LEADING_SEPARATE, Sign.TRAILING_SEPARATE)
    made = _digits(stored, COMPARES_ZONED)
    return made._replace(scale=_SIGN_PLACES.get(sign, AT_END), shift=int(is_separate), data=_digit_tables())


@cache
def _digit_tables() -> bytes:
    signed = {byte: digit | MINUS * minus for byte, (digit, minus) in SIGNED_DIGITS.items()}
    signs = {byte: MINUS * minus for byte, minus in SIGNS.items()}
    return bytes(table.get(byte, NO_DIGIT) for table in (DIGITS, signed, signs) for byte in range(256))


def _packed(stored: _Stored) -> Condition:
    return _digits(stored, COMPARES_PACKED)


def _digits(stored: _Stored, kind: int) -> Condition:
    scale = stored.definition.scale
    return stored.decoded() if abs(scale) > _MOST_SCALE else stored.number_within(kind, scale)


def _interval(stored: _Stored) -> Condition:
    """Within microseconds; one of months and years is text."""
    fields = fields_of(INTERVALS[stored.definition.data_type])
    if fields[0] not in _INTERVAL_FIELDS:
        return stored.decoded()
    first, last = (_INTERVAL_FIELDS.index(fields[at]) for at in (0, -1))
    wanted = as_interval(stored.wanted)
    if wanted is None:
        # a fraction finer than microseconds is compared as text
        return stored.decoded()
    microseconds = wanted // _MICROSECOND
    made = stored.within(COMPARES_INTERVALS, _bounds(stored.comparison, microseconds, microseconds))
    return made._replace(scale=first, shift=last)


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
    **dict.fromkeys(FLOATS, _float),
    **dict.fromkeys(TANDEM_FLOATS, _tandem),
    **dict.fromkeys(ZONED, _zoned),
    PACKED: _packed,
    **dict.fromkeys(INTERVALS, _interval),
}
"""By data type."""
