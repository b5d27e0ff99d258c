"""The SQL of PostgreSQL."""

from __future__ import annotations

import datetime as dt
import math
from decimal import Decimal
from typing import ClassVar

from logdump.display.sql.dialect import Dialect, Unwritable


class PostgreSQL(Dialect):
    r"""A text with a backslash or a control character is ``E'…'``; binary values are ``'\x…'::bytea``."""

    name: ClassVar[str] = "POSTGRESQL"
    preamble: ClassVar[tuple[str, ...]] = ("SET client_encoding TO 'UTF8';",)
    begin: ClassVar[str] = "BEGIN;"
    keeps_catalog: ClassVar[bool] = False

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
        """A sign inside of the text would be that of the days alone, and between word and text is no syntax here."""
        return f"-{super().interval(-value)}" if value < dt.timedelta() else super().interval(value)


def _escaped(character: str) -> str:
    if character == "\\":
        return "\\\\"
    code = ord(character)
    return f"\\u{code:04X}" if code <= 0xFFFF else f"\\U{code:08X}"
