"""MySQL's SQL, whatever its sql_mode says of quotes and backslashes."""

from __future__ import annotations

import datetime as dt
import re
from typing import ClassVar

from logdump.display.sql.dialect import Dialect, Unwritable

_CLOCK = r"\d\d:\d\d(?::\d\d(?:\.\d{1,6}0*)?)?"
_MOMENT = re.compile(rf"\d{{4}}-\d\d-\d\d(?: {_CLOCK})?|{_CLOCK}", re.ASCII)


class MySQL(Dialect):
    """MySQL's SQL: names are in backticks; a text with a backslash or a control character is spelled by its bytes.

    Other text that is not ASCII names its encoding, because clients differ in the one that they expect.
    """

    name: ClassVar[str] = "MYSQL"
    preamble: ClassVar[tuple[str, ...]] = ("SET NAMES utf8mb4;",)
    keeps_catalog: ClassVar[bool] = False

    def identifier(self, name: str) -> str:
        if not name or not name.isprintable():
            raise Unwritable(f"the name {name!r} cannot be written")
        return "`{}`".format(name.replace("`", "``"))

    def one_of(self, table: str, condition: str) -> str:  # noqa: ARG002 - no need of the name
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
        if not _MOMENT.fullmatch(text):
            raise Unwritable(f"{text!r} is not a date that MySQL can write")
        return self.text(text)


def _check_zone(value: dt.time | dt.datetime) -> None:
    """Refuse a time with a zone: MariaDB reads none, MySQL turns it into the zone of the session."""
    if value.tzinfo is not None:
        raise Unwritable(f"MySQL stores no zone, and {value.isoformat()} has one")
