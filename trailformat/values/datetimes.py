"""Dates and times, which are text in a trail; date and time are joined by a colon.

    0000 313939342d30392d33303a31353a33333a3030     1994-09-30:15:33:00
    0000 323032322d31322d3232                       2022-12-22
    1999-12-31:00:00:00.000000, 12:30:00, 2024-03-14:09:30:00.000000 +09:00 (zones: inferred)

A value for which Python has no type remains text, date and time joined by a blank: years before Christ, 0000-00-00,
24:00:00, nanoseconds, infinity, the name of a zone. (Real 12.2 trail; PostgreSQL and MySQL transcripts of 21c.)
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta, timezone

from trailformat.codec import charsets
from trailformat.codec.byte_order import ByteOrder
from trailformat.definitions.metadata import ColumnDefinition
from trailformat.errors import BadData
from trailformat.values.characters import with_length, without_length
from trailformat.values.value import Plain, plain_text

_DATE = r"(?P<date>-?\d{4,6}-\d\d-\d\d(?:(?: AD| BC)(?![A-Z]))?)"
_TIME = r"(?P<time>\d\d:\d\d(?P<seconds>:\d\d)?)(?(seconds)(?:\.(?P<fraction>\d{0,9}))?)"
_ZONE = r"(?P<zone>[+-]\d\d(?::?\d\d){0,2}|[A-Za-z][\w/+-]{0,62})"
_FORM = re.compile(rf"(?:{_DATE})?(?:(?(date)[: T]|){_TIME}(?: ?{_ZONE})?)?", re.ASCII)
_USUAL = re.compile(r"\d{4}-\d\d-\d\d:(?!24)\d\d:\d\d:\d\d(?:\.\d{6})?", re.ASCII)
"""The form of most values, which is parsed faster."""
_END_OF_DAY = "24"
"""The hour that Python has no value for; from 3.14 on it takes it for the beginning of the next day."""
_OFFSET = re.compile(r"([+-])(\d\d):?(\d\d)?:?(\d\d)?", re.ASCII)


def decode(data: bytes, definition: ColumnDefinition, _order: ByteOrder, codec: str) -> Plain:
    """Decode a date, a time or both; text if Python has no such value.

    Raises:
        BadData: it is neither a date nor a time.
    """
    return parse_moment(_text(data, charsets.codec_of(definition.charset, codec)))


def parse_moment(text: str) -> date | datetime | time | str:
    """Parse a date, a time or both; return text if Python has no such value. Raises like decode."""
    text = text.strip(" \0")
    if _USUAL.fullmatch(text):
        with suppress(ValueError):
            return datetime.fromisoformat(f"{text[:10]} {text[11:]}")
    match = _FORM.fullmatch(text) if text else None
    if match is None:
        if text.lstrip("+-").lower() in ("infinity", "inf"):
            return text
        raise BadData("not a date", found=repr(text[:40]))
    try:
        return _typed(match)
    except ValueError:
        return _as_text(match)


def decode_variable(data: bytes, definition: ColumnDefinition, order: ByteOrder, codec: str) -> Plain:
    """Decode a value after a 2-byte length."""
    return decode(without_length(data, order), definition, order, codec)


def _text(data: bytes, codec: str) -> str:
    """Decode text that is ASCII in most character sets, but EBCDIC if the source is."""
    try:
        return data.decode("ascii")
    except UnicodeDecodeError:
        return charsets.decode(data, codec)


def _typed(match: re.Match[str]) -> date | datetime | time:
    if not match["time"]:
        return date.fromisoformat(match["date"])
    if match["time"].startswith(_END_OF_DAY):
        raise ValueError("the end of a day")
    fraction = (match["fraction"] or "").ljust(9, "0")
    if fraction[6:] != "000":
        raise ValueError("nanoseconds")
    clock = time.fromisoformat(match["time"]).replace(microsecond=int(fraction[:6]), tzinfo=_zone(match["zone"]))
    return datetime.combine(date.fromisoformat(match["date"]), clock) if match["date"] else clock


def _zone(text: str | None) -> timezone | None:
    """Return the zone of an offset; ValueError for a name, which is ambiguous without a list of zones."""
    if not text:
        return None
    if text.upper() in ("Z", "UTC", "GMT"):
        return UTC
    offset = _OFFSET.fullmatch(text)
    if offset is None:
        raise ValueError("a zone by name")
    hours, minutes, seconds = (int(part or 0) for part in offset.groups()[1:])
    size = timedelta(hours=hours, minutes=minutes, seconds=seconds)
    return timezone(-size if offset[1] == "-" else size)


def _as_text(match: re.Match[str]) -> str:
    clock = match["time"] or ""
    if match["fraction"]:
        clock += f".{match['fraction']}"
    return " ".join(part for part in (match["date"], clock, match["zone"]) if part)


def encode(value: Plain, _definition: ColumnDefinition, _order: ByteOrder, _codec: str) -> bytes:
    """Encode a value as text: date and time joined by a colon, an offset after a blank."""
    if isinstance(value, datetime):
        moment = value.replace(tzinfo=None).isoformat(sep=":")
        zone = f" {value.isoformat()[len(moment) :]}" if value.tzinfo else ""
        return f"{moment}{zone}".encode()
    return charsets.encode(plain_text(value), "ascii")


def encode_variable(value: Plain, definition: ColumnDefinition, order: ByteOrder, codec: str) -> bytes:
    """Encode a value after its length."""
    return with_length(encode(value, definition, order, codec), order)
