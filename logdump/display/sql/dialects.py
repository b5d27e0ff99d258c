"""The dialects of SQL: the spelling of names and values. The standard's comes first; the others override differences.

Statements have only printable characters: other values are spelled by codes, so that a statement can be shown on a
terminal, pasted and run.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from itertools import groupby
from typing import Any, ClassVar

from logdump.notation.names import plain_parts

_LOST = re.compile(r"\\x[0-9a-f]{2}")
"""Pattern of the replacement in a name for a byte that could not be decoded."""


class Unwritable(Exception):
    """A change or a value that no statement can express; the message has the reason."""


class Dialect:
    """Standard SQL (ISO 9075), and the common parts of the dialects.

    Attributes:
        name: as typed after REDO.
        preamble: lines before a script.
        begin: opens a transaction; empty if the first statement does.
        nulls: the literals of NULL.
        keeps_catalog: True if the first part of a name in three parts is written.
        upsert: the statement that inserts a row or overwrites that with its key; ``[...]`` is left out if the row has
            no columns besides its key.
        overwritten: the assignment of a column in ``{overwrite}``, as the new row has it.
    """

    name: ClassVar[str] = "ANSI"
    preamble: ClassVar[tuple[str, ...]] = ()
    begin: ClassVar[str] = "START TRANSACTION;"
    commit: ClassVar[str] = "COMMIT;"
    nulls: ClassVar[frozenset[str]] = frozenset({"NULL"})
    keeps_catalog: ClassVar[bool] = True
    upsert: ClassVar[str] = (
        "MERGE INTO {table} USING (VALUES (0)) AS logdump_row (logdump_number) ON ({find})"
        "[ WHEN MATCHED THEN UPDATE SET {set}] WHEN NOT MATCHED THEN INSERT ({name}) VALUES ({value})"
    )
    overwritten: ClassVar[str] = ""

    def identifier(self, name: str) -> str:
        """Return a name of one part, quoted.

        Raises:
            Unwritable: the name is empty, or has characters that are not printable.
        """
        if not name or not name.isprintable():
            raise Unwritable(f"the name {name!r} cannot be written")
        return f'"{name.replace(chr(34), chr(34) * 2)}"'

    def table(self, name: str) -> str:
        """Return a table's name from a trail, ``SCHEMA.TABLE`` or ``CATALOG.SCHEMA.TABLE``, quoted."""
        if _LOST.search(name):
            raise Unwritable(f"the table's name {name} is not UTF-8")
        if not name:
            raise Unwritable("the name of the table is not known")
        parts = [part.text for part in plain_parts(name)]
        if len(parts) > 2 and not self.keeps_catalog:
            parts = parts[1:]
        return ".".join(map(self.identifier, parts))

    def one_of(self, table: str, condition: str) -> str:  # noqa: ARG002 - dialects that can pick one row use it
        """Return a condition that selects one of several equal rows of a table without a key, if the dialect can."""
        return condition

    def literal(self, value: Any) -> str:
        """Return the literal of a value; None is NULL.

        Raises:
            Unwritable: the dialect has no literal for it.
        """
        if value is None:
            return "NULL"
        for kind, spell in self._spellings:
            if isinstance(value, kind):
                return str(spell(self, value))
        raise Unwritable(f"there is no literal for a value of type {type(value).__name__}")

    def text(self, value: str) -> str:
        """Return a character literal."""
        if value.isprintable():
            return quoted(value)
        spelled = (
            character if character.isprintable() and character != "\\" else _unicode_escape(character)
            for character in value
        )
        return f"U&{quoted(''.join(spelled))}"

    def binary(self, value: bytes) -> str:
        """Return a binary literal."""
        return f"X'{value.hex().upper()}'"

    def number(self, value: int | Decimal) -> str:
        """Return an exact number, without an exponent."""
        if isinstance(value, Decimal) and not value.is_finite():
            raise Unwritable(f"{value} is not a number that {self.name} can write")
        return f"{value:f}" if isinstance(value, Decimal) else str(value)

    def floating(self, value: float) -> str:
        """Return an approximate number, with all digits that distinguish it from others."""
        if not math.isfinite(value):
            return self.not_finite(value)
        text = repr(value)
        return text if "e" in text else f"{text}e0"

    def not_finite(self, value: float) -> str:
        """Return the literal of NaN or an infinity."""
        raise Unwritable(f"{value} is not a number that {self.name} can write")

    def date(self, value: dt.date) -> str:
        """Return the literal of a date."""
        return f"DATE '{value.isoformat()}'"

    def time(self, value: dt.time) -> str:
        """Return the literal of a time of day."""
        return f"TIME '{value.isoformat()}'"

    def timestamp(self, value: dt.datetime) -> str:
        """Return the literal of a date with a time, and its zone if it has one."""
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"

    def interval(self, value: dt.timedelta) -> str:
        """Return the literal of an interval of days and parts of a day."""
        sign, value = ("-", -value) if value < dt.timedelta() else ("", value)
        return f"INTERVAL {sign}'{_days_and_time(value)}' DAY TO SECOND(6)"

    def moment(self, text: str) -> str:
        """Return the literal of a date or time that Python has no type for, from its text."""
        return self.text(text)

    _spellings: ClassVar[tuple[tuple[type, Any], ...]] = (
        (str, lambda self, value: self.text(value)),
        (bytes, lambda self, value: self.binary(value)),
        (float, lambda self, value: self.floating(value)),
        (int, lambda self, value: self.number(value)),
        (Decimal, lambda self, value: self.number(value)),
        (dt.datetime, lambda self, value: self.timestamp(value)),
        (dt.date, lambda self, value: self.date(value)),
        (dt.time, lambda self, value: self.time(value)),
        (dt.timedelta, lambda self, value: self.interval(value)),
    )


def quoted(text: str) -> str:
    """Return a text between quotes, with its own quotes doubled."""
    return "'{}'".format(text.replace("'", "''"))


def _unicode_escape(character: str) -> str:
    code = ord(character)
    if character == "\\":
        return "\\\\"
    return f"\\{code:04X}" if code <= 0xFFFF else f"\\+{code:06X}"


def _days_and_time(value: dt.timedelta) -> str:
    seconds, minutes = value.seconds % 60, value.seconds // 60
    return f"{value.days} {minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}.{value.microseconds:06d}"


_CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d{1,6}0*)?)?"
_MYSQL_MOMENT = re.compile(rf"\d{{4}}-\d\d-\d\d(?: {_CLOCK})?|{_CLOCK}", re.ASCII)


class MySQL(Dialect):
    """MySQL's SQL: names are in backticks; a text with a backslash or a control character is spelled by its bytes.

    Other text that is not ASCII names its encoding, because clients expect different ones.
    """

    name: ClassVar[str] = "MYSQL"
    preamble: ClassVar[tuple[str, ...]] = ("SET NAMES utf8mb4;",)
    keeps_catalog: ClassVar[bool] = False
    upsert: ClassVar[str] = "INSERT INTO {table} ({name}) VALUES ({value}) ON DUPLICATE KEY UPDATE {overwrite}"
    overwritten: ClassVar[str] = "{0} = VALUES({0})"

    def identifier(self, name: str) -> str:
        if not name or not name.isprintable():
            raise Unwritable(f"the name {name!r} cannot be written")
        return "`{}`".format(name.replace("`", "``"))

    def one_of(self, table: str, condition: str) -> str:  # noqa: ARG002 - the name is not needed
        return f"{condition} LIMIT 1"

    def text(self, value: str) -> str:
        if value.isprintable() and "\\" not in value:
            return super().text(value) if value.isascii() else f"_utf8mb4{super().text(value)}"
        return f"CONVERT({self.binary(value.encode())} USING utf8mb4)"

    def date(self, value: dt.date) -> str:
        return f"'{value.isoformat()}'"

    def time(self, value: dt.time) -> str:
        _check_zone(value)
        return f"'{value.isoformat()}'"

    def timestamp(self, value: dt.datetime) -> str:
        _check_zone(value)
        return f"'{value.isoformat(sep=' ')}'"

    def interval(self, value: dt.timedelta) -> str:
        sign, value = ("-", -value) if value < dt.timedelta() else ("", value)
        hours, rest = divmod(value.days * 86400 + value.seconds, 3600)
        return f"'{sign}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}.{value.microseconds:06d}'"

    def moment(self, text: str) -> str:
        if not _MYSQL_MOMENT.fullmatch(text):
            raise Unwritable(f"{text!r} is not a date that MySQL can write")
        return self.text(text)


def _check_zone(value: dt.time | dt.datetime) -> None:
    """Refuse a time with a zone: MariaDB does not accept one, MySQL converts it to the zone of the session."""
    if value.tzinfo is not None:
        raise Unwritable(f"MySQL stores no zone, and {value.isoformat()} has one")


class PostgreSQL(Dialect):
    r"""PostgreSQL's SQL: text with a backslash or control character is ``E'…'``, binary data ``'\x…'::bytea``."""

    name: ClassVar[str] = "POSTGRESQL"
    preamble: ClassVar[tuple[str, ...]] = ("SET client_encoding TO 'UTF8';",)
    begin: ClassVar[str] = "BEGIN;"
    keeps_catalog: ClassVar[bool] = False
    upsert: ClassVar[str] = (
        "INSERT INTO {table} ({name}) VALUES ({value}) ON CONFLICT ({key}) DO UPDATE SET {overwrite}"
    )
    overwritten: ClassVar[str] = "{0} = EXCLUDED.{0}"

    def one_of(self, table: str, condition: str) -> str:
        return f"ctid = (SELECT ctid FROM {table} WHERE {condition} LIMIT 1)"

    def text(self, value: str) -> str:
        if "\0" in value:
            raise Unwritable("PostgreSQL stores no text with a NUL character")
        if value.isprintable() and "\\" not in value:
            return super().text(value)
        spelled = (
            character if character.isprintable() and character != "\\" else _escaped(character)
            for character in value.replace("'", "''")
        )
        return "E'{}'".format("".join(spelled))

    def binary(self, value: bytes) -> str:
        return f"'\\x{value.hex()}'::bytea"

    def number(self, value: int | Decimal) -> str:
        return "'NaN'::numeric" if isinstance(value, Decimal) and value.is_nan() else super().number(value)

    def not_finite(self, value: float) -> str:
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f"'{word}'::float8"

    def time(self, value: dt.time) -> str:
        zone = " WITH TIME ZONE" if value.tzinfo else ""
        return f"TIME{zone} '{value.isoformat()}'"

    def timestamp(self, value: dt.datetime) -> str:
        zone = " WITH TIME ZONE" if value.tzinfo else ""
        return f"TIMESTAMP{zone} '{value.isoformat(sep=' ')}'"

    def interval(self, value: dt.timedelta) -> str:
        """Write the sign before the word: in the text it would apply to the days only, after the word it is invalid."""
        return f"-{super().interval(-value)}" if value < dt.timedelta() else super().interval(value)


def _escaped(character: str) -> str:
    if character == "\\":
        return "\\\\"
    code = ord(character)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"


_MOMENT = re.compile(
    r"(-?)(\d{4}-\d\d-\d\d)(?:[: T](\d\d:\d\d:\d\d(?:\.\d{1,9})?))?( ?[+-]\d\d:\d\d| (?!AD|BC)[A-Za-z_/+-]+)?",
    re.ASCII,
)
_LITERAL_CHARACTERS = 1000
"""Characters of a literal: it has at most 4000 bytes, a character at most 4."""
_HEX_BYTES = 2000
"""Bytes of a binary value: HEXTORAW accepts a literal of 4000 digits."""


class Oracle(Dialect):
    """Oracle's SQL: control characters are CHR(n), long texts pieces of a CLOB; an empty text is NULL."""

    name: ClassVar[str] = "ORACLE"
    preamble: ClassVar[tuple[str, ...]] = ("SET DEFINE OFF", "SET SQLBLANKLINES ON")
    begin: ClassVar[str] = ""
    nulls: ClassVar[frozenset[str]] = frozenset({"NULL", "''"})
    keeps_catalog: ClassVar[bool] = False
    upsert: ClassVar[str] = (
        "MERGE INTO {table} USING DUAL ON ({find})[ WHEN MATCHED THEN UPDATE SET {set}]"
        " WHEN NOT MATCHED THEN INSERT ({name}) VALUES ({value})"
    )

    def one_of(self, table: str, condition: str) -> str:  # noqa: ARG002 - the name is not needed
        return f"{condition} AND ROWNUM = 1"

    def text(self, value: str) -> str:
        if len(value) <= _LITERAL_CHARACTERS:
            return _pieces(value)
        pieces = (value[start : start + _LITERAL_CHARACTERS] for start in range(0, len(value), _LITERAL_CHARACTERS))
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
    """Return the printable runs as literals, all other characters as codes."""
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
    return "UNISTR('{}')".format("".join(f"\\{units[start : start + 4]}" for start in range(0, len(units), 4)))


DIALECTS: dict[str, Dialect] = {dialect.name: dialect for dialect in (Oracle(), MySQL(), PostgreSQL(), Dialect())}
"""The dialects by name: ORACLE, MYSQL, POSTGRESQL, ANSI."""


def dialect_of(database: str) -> Dialect:
    """Return the dialect of a source database by its name in file headers; ANSI if there is none."""
    wanted = database.upper()
    return next((dialect for word, dialect in DIALECTS.items() if word in wanted), DIALECTS["ANSI"])
