"""Which values are equal, and which comes first: decided here alone, by the type of the column.

| column | compared |
|---|---|
| numbers, also those stored as text | as numbers: 31.5 is 31.50; a float as its shortest decimal |
| text of a fixed length | without trailing blanks, with which the database fills it up |
| text of a variable length | whole |
| dates and times | as moments, a date as its midnight; those with a zone in UTC, and never with one without |
| intervals | as durations; years and months as their text |
| binary | by bytes |

NULL equals only NULL, and no text. A value that cannot be decoded equals no operand.
"""

from __future__ import annotations

from collections.abc import Hashable
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import lru_cache
from math import isnan
from typing import TYPE_CHECKING, Any, NamedTuple

from trailformat.errors import TrailError
from trailformat.values.data_types import Family, data_type_of
from trailformat.values.datetimes import parse_moment
from trailformat.values.intervals import parse_interval
from trailformat.values.numbers import parse_number
from trailformat.values.value import Plain, Value, plain_text

if TYPE_CHECKING:
    from trailformat.definitions.metadata import ColumnDefinition

_DAY_TO_FRACTION = "DAY TO FRACTION"
_INTERVAL = "INTERVAL "


class Operand(NamedTuple):
    """A value that columns of any type are compared with: a text, bytes, or NULL if it is neither.

    Attributes:
        text: the value as text, which the type of the column gives its meaning; None for bytes and NULL.
        data: bytes; compared with a column of text, they are its UTF-8 encoding.
    """

    text: str | None = None
    data: bytes | None = None

    @property
    def is_null(self) -> bool:
        """True for NULL."""
        return self.text is None and self.data is None

    @property
    def as_text(self) -> str | None:
        """The text to compare text with; None for NULL and for bytes that are not UTF-8."""
        if self.data is None:
            return self.text
        try:
            return self.data.decode("utf-8", "surrogatepass")
        except UnicodeDecodeError:
            return None

    @property
    def as_number(self) -> Decimal | None:
        """The operand as a number, perhaps infinite; None if it is not a number."""
        return None if self.text is None else _number(self.text)

    @property
    def as_bytes(self) -> bytes | None:
        """The operand as bytes, a text by its hex digits; None if it is not hex."""
        return self.data if self.text is None else _bytes(self.text)

    @property
    def as_moment(self) -> date | time | str | None:
        """The operand as a date, a time, or both; as text if Python has no such value; None if it is none of these."""
        return None if self.text is None else _moment(self.text)


NULL = Operand()


def operand_of(value: Value) -> Operand | None:
    """Return the operand that equals a value of a column; None if no operand does: it is not decoded, or not a number.

    The columns with which it is compared should have the type of that column.
    """
    if value.is_null:
        return NULL
    plain = value.value
    if value.problem is not None or plain is None or (isinstance(plain, float) and isnan(plain)):
        return None
    return Operand(data=plain) if isinstance(plain, bytes) else Operand(plain_text(plain))


def is_padded(definition: ColumnDefinition | None) -> bool:
    """Return True if trailing blanks of a column's text do not count, because its length is fixed."""
    return definition is not None and not data_type_of(definition).is_variable


def comparable(value: Value, operand: Operand, definition: ColumnDefinition | None) -> tuple[Any, Any] | None:
    """Return a value of a column and an operand in one orderable type; None if they cannot be compared.

    NULL and values that are not decoded cannot be.
    """
    plain = value.value
    if plain is None or value.problem is not None or operand.is_null:
        return None
    pair = _pair(plain, operand, definition)
    return None if pair[1] is None else pair


def equals(value: Value, operand: Operand, definition: ColumnDefinition | None) -> bool:
    """Return True if a value of a column is equal to an operand; NULL equals NULL."""
    if operand.is_null:
        return value.is_null
    pair = comparable(value, operand, definition)
    return pair is not None and bool(pair[0] == pair[1])


def identity(value: Value | None, definition: ColumnDefinition | None) -> Hashable:
    """Return a value of a column in a form that is the same for equal values alone; so is its ``repr``.

    NULL equals NULL here, values that are not decoded are equal by their bytes, None is an absent value.
    """
    if value is None:
        return ()
    if value.is_null:
        return ("null",)
    if value.problem is not None:
        return ("undecoded", value.data)
    return _identity(value.value, definition)


def _identity(plain: Plain, definition: ColumnDefinition | None) -> Hashable:
    if isinstance(plain, str):
        return ("text", plain.rstrip(" ") if is_padded(definition) else plain)
    if isinstance(plain, float):
        return ("number", "nan" if isnan(plain) else _shortest(Decimal(repr(plain))))
    if isinstance(plain, int | Decimal):
        return ("number", _shortest(Decimal(plain)))
    if isinstance(plain, datetime):
        moment = plain if plain.tzinfo is None else plain.astimezone(UTC)
        return ("moment", moment.isoformat())
    if isinstance(plain, date):
        return ("moment", datetime.combine(plain, time()).isoformat())
    return (type(plain).__name__, plain)


def _shortest(number: Decimal) -> str:
    """Return the digits of a number without zeros at the end, and its power of ten: alike for equal numbers."""
    sign, digits, exponent = number.as_tuple()
    if not isinstance(exponent, int):
        return str(number)
    written = "".join(map(str, digits)).lstrip("0")
    significant = written.rstrip("0")
    if not significant:
        return "0"
    return f"{'-' * sign}{significant}e{exponent + len(written) - len(significant)}"


def _pair(plain: Plain, operand: Operand, definition: ColumnDefinition | None) -> tuple[Any, Any]:
    """Return a decoded value and the operand in one type; the operand is None if it has no such value."""
    if isinstance(plain, str):
        wanted = _as_text_of(operand, definition)
        if is_padded(definition) and wanted is not None:
            return plain.rstrip(" "), wanted.rstrip(" ")
        return plain, wanted
    if isinstance(plain, int | float | Decimal):
        is_nan = isinstance(plain, float) and isnan(plain)
        number = Decimal(repr(plain)) if isinstance(plain, float) else plain
        return number, None if is_nan else operand.as_number
    if isinstance(plain, bytes):
        return plain, operand.as_bytes
    if isinstance(plain, timedelta):
        interval = _interval(operand.text, _span(definition)) if operand.text is not None else None
        return plain, interval if isinstance(interval, timedelta) else None
    moment = operand.as_moment
    return _same_kind(plain, None if isinstance(moment, str) else moment)


def _as_text_of(operand: Operand, definition: ColumnDefinition | None) -> str | None:
    """Return the operand as the text of a column; a date or an interval in the form that such a text is decoded to."""
    family = data_type_of(definition).family if definition is not None else Family.TEXT
    if family is Family.TEXT or operand.text is None:
        return operand.as_text
    if family is Family.DATETIME:
        moment = operand.as_moment
        return moment if isinstance(moment, str) else None
    interval = _interval(operand.text, _span(definition))
    return interval if isinstance(interval, str) else None


def _span(definition: ColumnDefinition | None) -> str:
    """Return the fields of a column of intervals, such as ``DAY TO SECOND``."""
    name = data_type_of(definition).name if definition is not None else ""
    return name.removeprefix(_INTERVAL) if name.startswith(_INTERVAL) else _DAY_TO_FRACTION


def _same_kind(value: Any, wanted: Any) -> tuple[Any, Any]:
    """Return both moments in one type, a date as its midnight; the second is None if they are not comparable."""
    if isinstance(value, datetime) and isinstance(wanted, date) and not isinstance(wanted, datetime):
        wanted = datetime.combine(wanted, time(), value.tzinfo)
    if isinstance(wanted, datetime) and isinstance(value, date) and not isinstance(value, datetime):
        value = datetime.combine(value, time(), wanted.tzinfo)
    zones = {getattr(moment, "tzinfo", None) is None for moment in (value, wanted)}
    return value, wanted if type(value) is type(wanted) and len(zones) == 1 else None


@lru_cache(maxsize=64)
def _number(text: str) -> Decimal | None:
    try:
        number = parse_number(text)
    except TrailError:
        return None
    return None if isnan(number) else Decimal(str(number))


@lru_cache(maxsize=64)
def _bytes(text: str) -> bytes | None:
    digits = text[2:-1] if text[:2].upper() == "X'" else text.removeprefix("0x")
    try:
        return bytes.fromhex(digits)
    except ValueError:
        return None


@lru_cache(maxsize=64)
def _moment(text: str) -> date | time | str | None:
    try:
        return parse_moment(text)
    except TrailError:
        return None


@lru_cache(maxsize=64)
def _interval(text: str, span: str) -> timedelta | str | None:
    """Return an interval, in the form of the column or of a value's text, which has a blank after the days."""
    text = text.strip()
    for form in (_DAY_TO_FRACTION, span) if " " in text else (span, _DAY_TO_FRACTION):
        try:
            return parse_interval(text, form)
        except TrailError:
            continue
    return None
