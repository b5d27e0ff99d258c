"""Parts of JSON objects that several features share."""

from __future__ import annotations

from logdump.display.json_shape import Get, Member, Shape, at, member, time_at
from logdump.display.trail_text import restart_text
from trailformat import ColumnChange, TrailName, Value, io_type_name
from trailformat.totals.counting import OTHERS
from trailformat.trail.sequence import Spot


def _seqno(spot: Spot) -> int | None:
    name = TrailName.parse(spot.path)
    return name.seqno if name else None


SPOT = Shape(
    "spot",
    "A place in a trail.",
    (
        member("file", "string", "Path of the file", "path"),
        member("seqno", "number or null", "Its sequence number, null where its name has none", _seqno),
        member("rba", "number", "Byte offset in it"),
        member("alter", "string", "The command that sets a Replicat there, to be pasted into GGSCI", restart_text),
    ),
)


TRAIL_GAP = Shape(
    "trail_gap",
    "Files that are missing.",
    (member("first", "string", "Path of the first"), member("last", "string", "Path of the last")),
)


RULE = Shape(
    "rule",
    "A statement at one place of a parameter file.",
    (
        member("file", "string", "Path of the parameter file", "path"),
        member("line", "number", "Line in it; for the text of a macro, the line of its call"),
        member("text", "string", "Its text, on one line"),
    ),
)


def _io_type(pair: tuple[int, int]) -> int | None:
    return None if pair[0] == OTHERS else pair[0]


def _io_type_name(pair: tuple[int, int]) -> str:
    return "FileHeader" if pair[0] == OTHERS else io_type_name(pair[0])


TYPE_COUNT = Shape(
    "type_count",
    "The records of one type.",
    (
        member("io_type", "number or null", "IOType; null for the file header", _io_type),
        member("io_type_name", "string", "Its name", _io_type_name),
        member("records", "number", "How many", "1"),
    ),
)


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
