"""Substitutes of the values of columns: bytes of the same size, by the definition of the column where there is one."""

from __future__ import annotations

import math
import re
import struct
from decimal import Decimal
from functools import lru_cache
from typing import TYPE_CHECKING

from trailformat.codec import charsets
from trailformat.errors import BadData, TrailError
from trailformat.records.columns import NULL, PRESENT, Column
from trailformat.values import Family, data_type_of, decode_value
from trailformat.values.value import sub_type

if TYPE_CHECKING:
    from collections.abc import Callable

    from logdump.features.redact.substitutes import Substitutes
    from trailformat.codec.byte_order import ByteOrder
    from trailformat.definitions.metadata import ColumnDefinition
    from trailformat.values import DataType

_INDICATOR = _PREFIX = 2
_KEPT_COLUMNS, _LONGEST_KEPT = 1 << 15, 64
"""Number of columns whose substitutes are kept, and the most bytes of each."""
_TURNS = 64
"""Attempts to find a number that its storage can hold; one in four does at least."""
_INTEGER_SIZES = (2, 4, 8)
_FLOATS = {4: ">f", 8: ">d"}
_DECIMAL_DIGITS = {4: 6, 8: 15}
"""Digits that a float of 4 or 8 bytes keeps for sure."""
_MOST_EXPONENT = 1000
_LONGEST_EXPONENT = 4
_ZONE = re.compile(rb"\b(?!inf(?:inity)?\b)[A-Za-z][\w/+-]{2,}", re.IGNORECASE)
"""The name of a time zone; AD and BC are shorter."""


class ValueSubstitutes:
    """The substitutes of values of columns in records of one byte order.

    Args:
        substitutes: those of the run.
    """

    def __init__(self, substitutes: Substitutes) -> None:
        self._substitutes = substitutes
        self._kept = lru_cache(_KEPT_COLUMNS)(self._of)
        self._by_family: dict[Family, Callable[[bytes, ColumnDefinition, DataType, ByteOrder, str], bytes]] = {
            Family.TEXT: self._text,
            Family.INTEGER: self._integer,
            Family.REAL: self._real,
            Family.DECIMAL: self._decimal,
            Family.DATETIME: self._moment,
            Family.INTERVAL: self._interval,
        }

    def of(self, raw: bytes, definition: ColumnDefinition | None, order: ByteOrder, codec: str) -> bytes:
        """Return the substitute of a column, indicator included.

        The bytes after the indicator of NULL, which mean nothing, become zeros. A value that cannot be decoded has a
        substitute that cannot be decoded.
        """
        return (self._kept if len(raw) <= _LONGEST_KEPT else self._of)(raw, definition, order, codec)

    def _of(self, raw: bytes, definition: ColumnDefinition | None, order: ByteOrder, codec: str) -> bytes:
        indicator, value = raw[:_INDICATOR], raw[_INDICATOR:]
        if indicator == NULL:
            return NULL + bytes(len(value))
        if indicator != PRESENT:
            return self._unindicated(raw)
        data_type = data_type_of(definition) if definition is not None else None
        of_family = self._by_family.get(data_type.family) if data_type is not None else None
        if definition is None or data_type is None or of_family is None:
            return indicator + self.guessed(value, order)
        try:
            return indicator + of_family(value, definition, data_type, order, codec)
        except (TrailError, ArithmeticError, ValueError, struct.error):
            return indicator + self._undecodable(value, definition, order, codec)

    def _unindicated(self, raw: bytes) -> bytes:
        """Return other bytes for a column without a known indicator, which they do not get either."""
        other = self.bytes_or_text(raw)
        while other[:_INDICATOR] in (NULL, PRESENT):
            other = self._substitutes.opaque(other)
        return other

    def guessed(self, value: bytes, order: ByteOrder) -> bytes:
        """Return the substitute of bytes without a definition: of a text, of an integer, or of any bytes."""
        if len(value) > _PREFIX and _is_prefixed(value, order):
            return value[:_PREFIX] + self.bytes_or_text(value[_PREFIX:])
        if is_text(value):
            return self._substitutes.text(value)
        if len(value) in _INTEGER_SIZES:
            return self._stored_integer(value, 0, is_signed=True)
        return self._substitutes.opaque(value)

    def bytes_or_text(self, value: bytes) -> bytes:
        """Return the substitute of a text, or of bytes that are none."""
        return self._substitutes.text(value) if is_text(value) else self._substitutes.opaque(value)

    def _undecodable(self, value: bytes, definition: ColumnDefinition, order: ByteOrder, codec: str) -> bytes:
        """Return other bytes that cannot be decoded either; a length in front of them stays if it is that."""
        at = _PREFIX if data_type_of(definition).is_variable and _is_prefixed(value, order) else 0
        make = self._substitutes.characters if is_text(value[at:]) else self._substitutes.opaque
        other = value
        for turn in range(_TURNS):
            other = value[:at] + make(value[at:], bytes((turn,)))
            if decode_value(Column(0, PRESENT + other), definition, order, codec).problem is not None:
                break
        return other

    # ---- families: a value that cannot be decoded raises BadData

    def _text(
        self, value: bytes, definition: ColumnDefinition, data_type: DataType, order: ByteOrder, codec: str
    ) -> bytes:
        prefix, body = b"", value
        if data_type.is_variable:
            if not _is_prefixed(value, order):
                raise BadData("the length does not match the data")
            prefix, body = value[:_PREFIX], value[_PREFIX:]
        kind = sub_type(definition.sub_data_type)
        if kind.is_binary:
            return prefix + self._substitutes.raw(body)
        own = kind.codec or charsets.codec_of(definition.charset, codec)
        if kind.is_number:
            return prefix + self._written_number(body, own)
        return prefix + self._substitutes.text_in(body, own)

    def _written_number(self, body: bytes, codec: str) -> bytes:
        text = charsets.decode(body, codec)
        if (other := self._substitutes.number_text(text.encode("ascii", "backslashreplace"))) is not None:
            return charsets.encode(other.decode(), codec)
        number, mark, exponent = text.upper().partition("E")
        written = self._substitutes.number_text(number.encode("ascii", "backslashreplace")) if mark else None
        if not text.isascii() or len(exponent) > _LONGEST_EXPONENT:
            raise BadData("not a number as databases write it")
        if written is None:
            from trailformat.values.numbers import parse_number  # noqa: PLC0415 - rare: infinity, or no number

            parse_number(text)
            return self._substitutes.digits(body)
        return charsets.encode(written.decode() + text[len(number)] + exponent, codec)

    def _integer(
        self, value: bytes, definition: ColumnDefinition, data_type: DataType, _order: ByteOrder, _codec: str
    ) -> bytes:
        if len(value) != data_type.size or abs(definition.scale) > _MOST_EXPONENT:
            raise BadData("wrong size of the value")
        return self._stored_integer(value, definition.scale, is_signed=data_type.is_signed)

    def _stored_integer(self, value: bytes, scale: int, *, is_signed: bool) -> bytes:
        """Return another integer of the same scale, sign and number of digits that has room in the same bytes."""
        number = int.from_bytes(value, "big", signed=is_signed)
        for _ in range(_TURNS):
            number = self._scaled_integer(number, max(scale, 0))
            try:
                return number.to_bytes(len(value), "big", signed=is_signed)
            except OverflowError:
                continue
        return self._substitutes.raw(value)

    def _scaled_integer(self, number: int, scale: int) -> int:
        whole, fraction = divmod(abs(number), 10**scale)
        digits = f"{fraction:0{scale}d}" if scale else ""
        bare = digits.rstrip("0")
        whole, other = self._substitutes.number(whole, bare, is_negative=number < 0)
        other_number: int = whole * 10**scale + int((other + digits[len(bare) :]) or 0)
        return -other_number if number < 0 else other_number

    def _real(
        self, value: bytes, definition: ColumnDefinition, data_type: DataType, order: ByteOrder, codec: str
    ) -> bytes:
        number = _decoded(value, definition, data_type, order, codec)
        if not isinstance(number, float):
            raise BadData("not a float")
        if math.isnan(number):
            return struct.pack(_FLOATS[len(value)], math.nan)
        if math.isinf(number):
            return value
        digits = _DECIMAL_DIGITS[len(value)]
        short = f"{number:.{digits}g}" if number else "0"
        other = Decimal(short)
        encode = data_type.encode
        for _ in range(_TURNS):
            other = self._substitutes.decimal(other)
            try:
                encoded = encode(float(other), definition, order, codec) if encode is not None else b""
            except (TrailError, OverflowError):
                continue
            if len(encoded) == len(value) and (other == 0 or _decoded(encoded, definition, data_type, order, codec)):
                return self._with_more_digits(encoded, is_exact=_is_same(value, short, definition, data_type, order))
        return value[:1] + self._substitutes.opaque(value[1:])

    def _with_more_digits(self, encoded: bytes, *, is_exact: bool) -> bytes:
        """Return the bytes of a float, with another last byte if the number had more digits than are for sure."""
        return encoded if is_exact else encoded[:-1] + self._substitutes.raw(encoded[-1:])

    def _decimal(
        self, value: bytes, definition: ColumnDefinition, data_type: DataType, order: ByteOrder, codec: str
    ) -> bytes:
        number = Decimal(str(_decoded(value, definition, data_type, order, codec)))
        as_stored = definition._replace(internal_length=len(value))
        for _ in range(_TURNS):
            number = self._substitutes.decimal(number)
            encoded = data_type.encode(number, as_stored, order, codec) if data_type.encode is not None else b""
            if len(encoded) == len(value):
                return encoded
        raise BadData("no room for another number")

    def _moment(
        self, value: bytes, definition: ColumnDefinition, data_type: DataType, order: ByteOrder, codec: str
    ) -> bytes:
        _decoded(value, definition, data_type, order, codec)
        prefix, body = (value[:_PREFIX], value[_PREFIX:]) if data_type.is_variable else (b"", value)
        return prefix + self._in_ascii(body, definition, codec, self._substitutes.moment_text)

    def _interval(
        self, value: bytes, definition: ColumnDefinition, data_type: DataType, order: ByteOrder, codec: str
    ) -> bytes:
        _decoded(value, definition, data_type, order, codec)
        return self._in_ascii(value, definition, codec, lambda _: None)

    def _in_ascii(
        self, body: bytes, definition: ColumnDefinition, codec: str, other: Callable[[bytes], bytes | None]
    ) -> bytes:
        """Return other digits in a text of digits and signs, which is EBCDIC if the source is."""
        own = "ascii" if body.isascii() else charsets.codec_of(definition.charset, codec)
        text = charsets.decode(body, own).encode("ascii")
        made = other(text)
        if made is None:
            made = _ZONE.sub(lambda name: self._substitutes.name(name[0]), self._substitutes.digits(text))
        return charsets.encode(made.decode(), own)


def is_text(data: bytes) -> bool:
    """Return True if bytes are text in UTF-8 without control characters; blanks and zeros may be at the end."""
    bare = data.rstrip(b" \0")
    if not bare:
        return False
    try:
        text = bare.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return not any(character < " " and character not in "\t\r\n" for character in text)


def _is_prefixed(value: bytes, order: ByteOrder) -> bool:
    """Return True if a value begins with the length of its rest."""
    return len(value) >= _PREFIX and order.decode(value[:_PREFIX]) == len(value) - _PREFIX


def _decoded(value: bytes, definition: ColumnDefinition, data_type: DataType, order: ByteOrder, codec: str) -> object:
    """Return the value. Raises BadData if it cannot be decoded."""
    if data_type.decode is None:
        raise BadData("its storage format is not known")
    return data_type.decode(value, definition, order, codec)


def _is_same(value: bytes, text: str, definition: ColumnDefinition, data_type: DataType, order: ByteOrder) -> bool:
    return data_type.encode is not None and data_type.encode(float(text), definition, order, charsets.UTF_8) == value
