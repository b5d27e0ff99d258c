"""A record of a list as members of a JSON object."""

from __future__ import annotations

from logdump.display.json_shape import Get, Member, Shape, at, member, time_at
from trailformat import ColumnChange, Value


def _text(value: Value | None) -> str | None:
    return value.text if value is not None and not value.is_null else None


def _before(column: ColumnChange) -> str | None:
    return _text(column.before)


def _after(column: ColumnChange) -> str | None:
    return _text(column.after)


LISTED_COLUMN = Shape(
    "listed_column",
    "A column of a record in a list.",
    (
        member("name", "string", "Its name, empty where the definition is not known"),
        member("index", "number", "Its number in the row, from 0"),
        member("key", "boolean", "Whether it is of the key", "is_key"),
        member("has_before", "boolean", "Whether there is a value before", lambda one: one.before is not None),
        member("before", "string or null", "That value, null for NULL", _before),
        member("has_after", "boolean", "Whether there is a value after", lambda one: one.after is not None),
        member("after", "string or null", "That value, null for NULL", _after),
    ),
)


def row_members(row: str) -> tuple[Member, ...]:
    """The members of a JSON object for the row at a path of it."""

    def of(name: str) -> Get:
        return at(f"{row}.{name}")

    return (
        member("rba", "number", "Byte offset of the record in the file", of("rba")),
        member("length", "number", "Bytes of the record", of("length")),
        member("time", "string or null", "IO Time, UTC", time_at(of("time"))),
        member("kind", "string", "insert, update, delete, ddl, …", lambda event: of("kind")(event).name.lower()),
        member("operation", "string", "The name that Logdump prints", of("operation")),
        member("table", "string", "Its table, empty where it has none", of("table")),
        member("columns", "list of listed_column", "Its key, and what differs", LISTED_COLUMN.each(of("columns"))),
        member("note", "string", "What it is in words, where it has no columns", of("note")),
        member("csn", "string or null", "LOGCSN of its transaction", of("csn")),
        member("xid", "string or null", "TRANID of its transaction", of("xid")),
    )
