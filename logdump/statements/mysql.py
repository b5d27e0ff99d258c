"""MySQL's SQL, whatever its sql_mode says of quotes and backslashes."""

from __future__ import annotations

import datetime as dt
from typing import ClassVar

from logdump.statements.dialect import Dialect, Unwritable


class MySQL(Dialect):
    """Names stand in backticks; a text with a backslash or a control character is spelled by its bytes."""

    name: ClassVar[str] = "MYSQL"
    keeps_catalog: ClassVar[bool] = False

    def identifier(self, name: str) -> str:
        if not name or not name.isprintable():
            raise Unwritable(f"the name {name!r} cannot be written")
        return "`{}`".format(name.replace("`", "``"))

    def one_of(self, table: str, condition: str) -> str:  # noqa: ARG002 - no need of the name
        return f"{condition} LIMIT 1"

    def text(self, value: str) -> str:
        if value.isprintable() and "\\" not in value:
            return super().text(value)
        return f"CONVERT({self.binary(value.encode())} USING utf8mb4)"

    def date(self, value: dt.date) -> str:
        return f"'{value.isoformat()}'"

    def time(self, value: dt.time) -> str:
        return f"'{value.isoformat()}'"

    def timestamp(self, value: dt.datetime) -> str:
        return f"'{value.isoformat(sep=' ')}'"

    def interval(self, value: dt.timedelta) -> str:
        sign, value = ("-", -value) if value < dt.timedelta() else ("", value)
        hours, rest = divmod(value.days * 86400 + value.seconds, 3600)
        return f"'{sign}{hours:02d}:{rest // 60:02d}:{rest % 60:02d}.{value.microseconds:06d}'"
