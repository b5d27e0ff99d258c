"""A dialect of SQL: the spelling of names and values. This one is the standard's; the others override differences.

Statements have only printable characters: other values are spelled by codes, so that a statement can be shown on a
terminal, pasted and run.
"""

from __future__ import annotations

import datetime as dt
import math
import re
from decimal import Decimal
from typing import Any, ClassVar

_PARTS = re.compile(r'"((?:[^"]|"")*)"|([^".]+)')
_LOST = re.compile(r"\\x[0-9a-f]{2}")
"""The replacement in a name for a byte that could not be decoded."""


class Unwritable(Exception):
    """A change or a value that no statement can express: the message says why."""


class Dialect:
    """Standard SQL (ISO 9075), and the common parts of the dialects.

    Attributes:
        name: as typed after REDO.
        preamble: lines before a script.
        begin: opens a transaction; empty if the first statement does.
        nulls: the literals of NULL.
        keeps_catalog: True if the first part of a name in three parts is written.
    """

    name: ClassVar[str] = "ANSI"
    preamble: ClassVar[tuple[str, ...]] = ()
    begin: ClassVar[str] = "START TRANSACTION;"
    commit: ClassVar[str] = "COMMIT;"
    nulls: ClassVar[frozenset[str]] = frozenset({"NULL"})
    keeps_catalog: ClassVar[bool] = True

    def identifier(self, name: str) -> str:
        """Return a name of one part, quoted.

        Raises:
            Unwritable: the name is empty, or has characters that are not printable.
        """
        if not name or not name.isprintable():
            raise Unwritable(f"the name {name!r} cannot be written")
        return f'"{name.replace(chr(34), chr(34) * 2)}"'

    def table(self, name: str) -> str:
        """The name of a table as a trail has it, ``SCHEMA.TABLE`` or ``CATALOG.SCHEMA.TABLE``, quoted."""
        parts = [quoted.replace('""', '"') or bare for quoted, bare in _PARTS.findall(name)]
        if len(parts) > 2 and not self.keeps_catalog:
            parts = parts[1:]
        if _LOST.search(name):
            raise Unwritable(f"the table's name {name} is not UTF-8")
        if not parts:
            raise Unwritable("the name of the table is not known")
        return ".".join(map(self.identifier, parts))

    def one_of(self, table: str, condition: str) -> str:  # noqa: ARG002 - dialects that can pick one row use it
        """The condition that picks one of several equal rows of a table without a key, where the dialect can."""
        return condition

    def literal(self, value: Any) -> str:
        """A value, None for NULL.

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
        """An exact number; digits alone, no exponent."""
        if isinstance(value, Decimal) and not value.is_finite():
            raise Unwritable(f"{value} is not a number that {self.name} can write")
        return f"{value:f}" if isinstance(value, Decimal) else str(value)

    def floating(self, value: float) -> str:
        """An approximate number, with all the digits that distinguish it from others."""
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
        """A date with a time, and its zone if it has one."""
        return f"TIMESTAMP '{value.isoformat(sep=' ')}'"

    def interval(self, value: dt.timedelta) -> str:
        """A span of days and parts of a day."""
        sign, value = ("-", -value) if value < dt.timedelta() else ("", value)
        return f"INTERVAL {sign}'{_days_and_time(value)}' DAY TO SECOND(6)"

    def moment(self, text: str) -> str:
        """A date or time that Python has no type for, from its text."""
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
    """A text between quotes, its own doubled."""
    return "'{}'".format(text.replace("'", "''"))


def _unicode_escape(character: str) -> str:
    code = ord(character)
    if character == "\\":
        return "\\\\"
    return f"\\{code:04X}" if code <= 0xFFFF else f"\\+{code:06X}"


def _days_and_time(value: dt.timedelta) -> str:
    seconds, minutes = value.seconds % 60, value.seconds // 60
    return f"{value.days} {minutes // 60:02d}:{minutes % 60:02d}:{seconds:02d}.{value.microseconds:06d}"
