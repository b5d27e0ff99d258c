"""Intervals, as text: years and months, or days and a time of day; the type code fixes the fields.

    +01-02                  197 YEAR TO MONTH
    -03 04:05:06.500000     212 DAY TO FRACTION; also with a colon after the days

Years and months remain text, as Python has no type for them; the others are timedeltas. (Inferred: the codes are known
by name, dates are text, and no trail with such a column was seen.)
"""

from __future__ import annotations

import re
from datetime import timedelta
from functools import cache

from trailformat.codec import charsets
from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.errors import BadData, CannotWrite
from trailformat.values.value import Plain, plain_text

_FIELDS = ("YEAR", "MONTH", "DAY", "HOUR", "MINUTE", "SECOND", "FRACTION")
_UNITS = {"DAY": 86_400_000_000, "HOUR": 3_600_000_000, "MINUTE": 60_000_000, "SECOND": 1_000_000, "FRACTION": 1}
"""Microseconds of the fields with a fixed length; months and years have none."""
_LONGEST = 64
_SPLIT = re.compile(r"[ :.-]")


@cache
def fields_of(span: str) -> tuple[str, ...]:
    """Return the fields of an interval of this span, such as ``DAY`` or ``DAY TO SECOND``."""
    first, *last = (_FIELDS.index(field) for field in span.split(" TO "))
    return _FIELDS[first : (last or [first])[0] + 1]


def decode(span: str, data: bytes, definition: ColumnDefinition, _order: ByteOrder, codec: str) -> timedelta | str:
    """Decode an interval of this span; text if Python has no such value. Raises like parse_interval."""
    return parse_interval(_text(data, charsets.codec_of(definition.charset, codec)), span)


def parse_interval(text: str, span: str) -> timedelta | str:
    """Parse an interval of this span; return text if Python has no such value.

    Raises:
        BadData: it is not an interval.
    """
    fields = fields_of(span)
    sign, digits = (text[0], text[1:].lstrip()) if text[:1] in ("+", "-") else ("", text)
    parts = _SPLIT.split(digits)
    known = [field for field in fields if field != "FRACTION"]
    is_formed = len(parts) in (len(fields), len(known)) and all(part.isascii() and part.isdecimal() for part in parts)
    if not is_formed or len(digits) > _LONGEST:
        raise BadData(f"not an interval {span}", found=repr(text[:40]))
    minus = "-" if sign == "-" else ""
    if fields[0] not in _UNITS:
        return minus + "-".join([str(int(parts[0])), *parts[1:]])
    return _duration(fields, parts, minus, text)


def _text(data: bytes, codec: str) -> str:
    try:
        return data.decode("ascii").strip(" \0")
    except UnicodeDecodeError:
        return charsets.decode(data, codec).strip(" \0")


def _duration(fields: tuple[str, ...], parts: list[str], minus: str, text: str) -> timedelta | str:
    microseconds = 0
    for field, part in zip(fields, parts, strict=False):
        if field != "FRACTION":
            microseconds += int(part) * _UNITS[field]
        elif part[6:].strip("0"):
            return text
        else:
            microseconds += int(part[:6].ljust(6, "0"))
    try:
        return timedelta(microseconds=-microseconds if minus else microseconds)
    except OverflowError:
        return text


def encode(span: str, value: Plain, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> bytes:
    """Encode an interval: a sign and two digits per field, six for the fraction, any number for the leading field."""
    if isinstance(value, timedelta) and fields_of(span)[0] in _UNITS:
        return _written(value, span).encode()
    if isinstance(value, str):
        return charsets.encode(value, "ascii")
    raise CannotWrite(f"not an interval {span}", found=plain_text(value))


def _written(value: timedelta, span: str) -> str:
    fields = fields_of(span)
    sign, rest = ("-", -value) if value < timedelta(0) else ("+", value)
    left = rest // timedelta(microseconds=1)
    parts = []
    for field in fields:
        size = _UNITS[field]
        parts.append(f"{left // size:0{6 if field == 'FRACTION' else 2}d}")
        left %= size
    if left:
        raise CannotWrite(f"interval has more than {span}", found=plain_text(value))
    text = parts[0]
    for before, field, part in zip(fields, fields[1:], parts[1:], strict=False):
        text += (" " if before == "DAY" else "." if field == "FRACTION" else ":") + part
    return sign + text
