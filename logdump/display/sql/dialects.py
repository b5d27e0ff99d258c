"""The dialects by the word that names them."""

from __future__ import annotations

import datetime as dt
import math
import re
from itertools import groupby
from typing import ClassVar

from logdump.display.sql.dialect import Dialect, Unwritable, quoted
from logdump.display.sql.mysql import MySQL
from logdump.display.sql.postgresql import PostgreSQL

_MOMENT = re.compile(
    r"(-?)(\d{4}-\d\d-\d\d)(?:[: T](\d\d:\d\d:\d\d(?:\.\d{1,9})?))?( ?[+-]\d\d:\d\d| (?!AD|BC)[A-Za-z_/+-]+)?",
    re.ASCII,
)
_LITERAL_CHARACTERS = 1000
"""A literal holds 4000 bytes; a character has at most 4."""
_HEX_BYTES = 2000
"""HEXTORAW takes a literal of 4000 digits."""


class Oracle(Dialect):
    """Control characters are CHR(n), long texts pieces of a CLOB; an empty text is NULL."""

    name: ClassVar[str] = "ORACLE"
    preamble: ClassVar[tuple[str, ...]] = ("SET DEFINE OFF", "SET SQLBLANKLINES ON")
    begin: ClassVar[str] = ""
    nulls: ClassVar[frozenset[str]] = frozenset({"NULL", "''"})
    keeps_catalog: ClassVar[bool] = False

    def one_of(self, table: str, condition: str) -> str:  # noqa: ARG002 - no need of the name
        return f"{condition} AND ROWNUM = 1"

    def text(self, value: str) -> str:
        if len(value) <= _LITERAL_CHARACTERS:
            return _pieces(value)
        pieces = (value[at : at + _LITERAL_CHARACTERS] for at in range(0, len(value), _LITERAL_CHARACTERS))
        return " || ".join(f"TO_CLOB({_pieces(piece)})" for piece in pieces)

    def binary(self, value: bytes) -> str:
        if len(value) > _HEX_BYTES:
            raise Unwritable(f"a binary value of {len(value)} bytes: an Oracle literal holds {_HEX_BYTES}")
        return f"HEXTORAW('{value.hex().upper()}')"

    def floating(self, value: float) -> str:
        return f"{value!r}d" if math.isfinite(value) else self.not_finite(value)

    def not_finite(self, value: float) -> str:
        if math.isnan(value):
            return "BINARY_DOUBLE_NAN"
        return "BINARY_DOUBLE_INFINITY" if value > 0 else "-BINARY_DOUBLE_INFINITY"

    def time(self, value: dt.time) -> str:
        if value.tzinfo is not None:
            raise Unwritable(f"Oracle has no time of day with a zone: {value.isoformat()}")
        return f"TO_DSINTERVAL('0 {value.isoformat()}')"

    def timestamp(self, value: dt.datetime) -> str:
        if value.tzinfo is None and not value.microsecond:
            return f"TO_DATE('{value.isoformat(sep=' ')}', 'YYYY-MM-DD HH24:MI:SS')"
        if value.tzinfo is None:
            return f"TO_TIMESTAMP('{value.isoformat(sep=' ')}', 'YYYY-MM-DD HH24:MI:SS.FF')"
        clock = value.replace(tzinfo=None).isoformat(sep=" ")
        zone = value.isoformat()[len(clock) :]
        if len(zone) > len("+00:00"):
            raise Unwritable(f"Oracle has no zone with seconds: {value.isoformat()}")
        return f"TO_TIMESTAMP_TZ('{clock} {zone}', 'YYYY-MM-DD HH24:MI:SS.FF TZH:TZM')"

    def interval(self, value: dt.timedelta) -> str:
        return super().interval(value).replace("DAY TO", "DAY(9) TO")

    def moment(self, text: str) -> str:
        match = _MOMENT.fullmatch(text)
        if not match:
            raise Unwritable(f"{text!r} is not a date that Oracle can write")
        era, day, clock, zone = match.groups()
        value = f"{era}{day} {clock or '00:00:00'}"
        if zone:
            return f"TO_TIMESTAMP_TZ('{value} {zone.strip()}', 'SYYYY-MM-DD HH24:MI:SS.FF TZR')"
        return f"TO_TIMESTAMP('{value}', 'SYYYY-MM-DD HH24:MI:SS.FF')"


def _pieces(value: str) -> str:
    """The printable runs as literals, everything else by its code."""
    if value.isprintable():
        return quoted(value)
    return " || ".join(
        quoted("".join(run)) if printable else " || ".join(map(_by_code, run))
        for printable, run in groupby(value, str.isprintable)
    )


def _by_code(character: str) -> str:
    code = ord(character)
    if code < 0x80:
        return f"CHR({code})"
    units = character.encode("utf-16-be").hex().upper()
    return "UNISTR('{}')".format("".join(f"\\{units[at : at + 4]}" for at in range(0, len(units), 4)))


DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (Oracle(), MySQL(), PostgreSQL(), Dialect())}
"""ORACLE, MYSQL, POSTGRESQL, ANSI."""


def dialect_of(database: str) -> Dialect:
    """The dialect of a source database by the name that file headers give it; ANSI where none fits."""
    wanted = database.upper()
    return next((dialect for word, dialect in DIALECTS.items() if word in wanted), DIALECTS["ANSI"])
