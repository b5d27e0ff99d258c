"""The shapes of JSON objects: a table per kind of object, from which the objects and docs/json.md are generated."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from operator import attrgetter, itemgetter
from pathlib import PurePath
from typing import Any, NamedTuple

from logdump.arrow.records.schema import BIGINT, BOOLEAN, STRING, STRINGS, ColumnType, RowColumn, struct
from logdump.display.text import restart_text
from logdump.notation.times import iso_time
from trailformat import ColumnChange, TrailError, TrailName, Value, io_type_name
from trailformat.totals.counting import OTHERS
from trailformat.trail.sequence import FilePosition

EXACT = 2**53
"""The largest integer that every reader of JSON keeps exactly; larger ones are written as strings."""
SCHEMA = 1
"""The number of the schema of all objects: it rises when a member is removed or changes its meaning."""
Get = Callable[[Any], Any]
_OR_NULL = " or null"
_ENCODER = json.JSONEncoder(ensure_ascii=True, allow_nan=False, separators=(",", ":"))
_AS_IT_IS = frozenset({str, bool, type(None)})
"""Types that need no conversion for JSON; most values have one of these."""


class Member(NamedTuple):
    """One member of an object.

    Attributes:
        name: the name in the object, which is API.
        type: its JSON type as documented.
        meaning: as documented.
        value: returns the value of the member for a source.
        path: the path of the value in the source; empty if a function gets it.
        make: converts the value at the path; None if it is not converted.
    """

    name: str
    type: str
    meaning: str
    value: Get
    path: str = ""
    make: Get | None = None


def member(name: str, type_: str, meaning: str, value: Get | str = "", *, make: Get | None = None) -> Member:
    """Return a member. ``value`` is the function or path that gets it, by default its name; ``make`` converts it."""
    get, path = at(value or name), "" if callable(value) else value or name
    return Member(name, type_, meaning, get if make is None else lambda source: make(get(source)), path, make)


def renamed(former: str, part: Member) -> tuple[Member, Member]:
    """Return a member, and the same under the name that it had before, which stays until the next schema."""
    meaning = f"The former name of `{part.name}`, until schema {SCHEMA + 1}"
    return part, part._replace(name=former, meaning=meaning)


def at(path: Get | str) -> Get:
    """Return a function that gets the value at a path of attributes and items, such as ``bad?.error``, ``0.rba``.

    It returns None if a value followed by ``?`` is None.
    """
    if not isinstance(path, str):
        return path
    if all(map(str.isidentifier, path.split("."))):
        return attrgetter(path)
    step, _, rest = path.partition(".")
    name, get_rest = step.rstrip("?"), at(rest) if rest else _itself
    get: Get = itemgetter(int(name)) if name.isdigit() else attrgetter(name)
    return where_there(get, get_rest) if "?" in step else lambda source: get_rest(get(source))


def _itself(source: Any) -> Any:
    return source


def where_there(get: Get, use: Get) -> Get:
    """Return a function that uses the value which another one gets; None if that is None."""
    return lambda source: None if (value := get(source)) is None else use(value)


def seconds(microseconds: int) -> float:
    """Return microseconds as seconds."""
    return round(microseconds / 1_000_000, 6)


def time_at(path: Get | str) -> Get:
    """Return a function that gets the time at a path in ISO 8601, UTC; None if absent or not in years 1 to 9999."""
    return where_there(at(path), iso_time)


def verdict(*parts: Member, tells_findings: bool = False) -> tuple[Member, ...]:
    """Return the members, null in a partial answer; with ``tells_findings`` only if they are also empty."""
    return tuple(_verdict(part, tells_findings=tells_findings) for part in parts)


def _verdict(part: Member, *, tells_findings: bool) -> Member:
    def of_whole(source: Any) -> Any:
        if not source.is_partial:
            return part.value(source)
        return (part.value(source) or None) if tells_findings else None

    why = "null in a partial reading" + (" that has found none" if tells_findings else "")
    type_ = part.type if part.type.endswith(_OR_NULL) else part.type + _OR_NULL
    return Member(part.name, type_, f"{part.meaning}; {why}", of_whole)


PARTIAL = member(
    "partial", "boolean", "Whether not all was read: stopped, damage, a file missing or not read", "is_partial"
)
"""Member that is true if an answer has findings and no verdict."""
PROBLEMS = Member("problems", "list of string", "Parts that do not decode (null above), and why", lambda _: [])


def alone(source: Any) -> tuple[Any]:
    """Return the event as the only source of an object."""
    return (source,)


class Shape(NamedTuple):
    """One kind of object.

    Attributes:
        name, meaning: as documented.
        members: the members in order.
        event: the class of the events that it renders; None for a part of other objects.
        sources: returns the parts of an event that have one object each.
    """

    name: str
    meaning: str
    members: tuple[Member, ...]
    event: type | None = None
    sources: Callable[[Any], Iterable[Any]] = alone

    def build(self, source: Any) -> dict[str, Any]:
        """Return the object of ``source``.

        Raises:
            TrailError: a part of it does not decode.
        """
        return {part.name: part.value(source) for part in self.members}

    def build_what_decodes(self, source: Any) -> dict[str, Any]:
        """Return the object of ``source``; a part that does not decode is null and has a reason in ``problems``."""
        result: dict[str, Any] = {}
        problems: list[str] = []
        for part in self.members:
            try:
                result[part.name] = part.value(source)
            except TrailError as error:
                result[part.name] = None
                problems.append(f"{part.name}: {error.problem}")
        if isinstance(result.get(PROBLEMS.name), list):
            result[PROBLEMS.name] = [*result[PROBLEMS.name], *problems]
        return result

    def only(self, *names: str) -> Shape:
        """Return a shape with some of its members."""
        return self._replace(members=tuple(part for part in self.members if part.name in names))

    def one(self, path: Get | str) -> Get:
        """Return a function that gets the object of the value at a path; None if there is none."""
        return where_there(at(path), self.build)

    def each(self, path: Get | str) -> Get:
        """Return a function that gets the objects of the values in the list at a path; None if there is no list."""
        return where_there(at(path), lambda sources: [self.build(source) for source in sources])


def exact(value: Any) -> Any:
    """Convert ``value`` for JSON, also in containers: integers beyond 2^53 and paths to strings, bytes to hex."""
    if type(value) in _AS_IT_IS:
        return value
    if isinstance(value, int):
        return value if -EXACT <= value <= EXACT else str(value)
    if isinstance(value, dict):
        return {key: item if type(item) in _AS_IT_IS else exact(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [exact(item) for item in value]
    if isinstance(value, bytes):
        return value.hex()
    return str(value) if isinstance(value, PurePath) else value


def encoded(value: Any) -> str:
    """Return a value as JSON in ASCII."""
    return _ENCODER.encode(exact(value))


def _seqno(position: FilePosition) -> int | None:
    name = TrailName.parse(position.path)
    return name.seqno if name else None


PLACE = Shape(
    "place",
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
    "Files that are missing, or were not asked for.",
    (
        member("first", "string", "Path of the first"),
        member("last", "string", "Path of the last"),
        member("left_out", "boolean", "Whether they exist, some at least, and were not asked for", "is_left_out"),
    ),
)


HEADER_MISMATCH = Shape(
    "header_mismatch",
    "A value in the header of a closed file that the file contradicts.",
    (
        member("file", "string", "Path of the file", "path"),
        member("field", "string", "`FileSize` or `LastCSN`"),
        member("declared", "string", "The value in the header"),
        member("actual", "string", "That of the file"),
        member("short", "boolean", "Whether the end of the file is missing; else it has more", "is_short"),
    ),
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


SHARED = {"FilePosition": PLACE, "FileGap": TRAIL_GAP, "HeaderMismatch": HEADER_MISMATCH, "Rule": RULE}
"""Objects of several features by the names of the classes that have them."""


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
        member("has_before", "boolean", "Whether there is a value before", lambda column: column.before is not None),
        member("before", "string or null", "That value, null for NULL", _before),
        member("has_after", "boolean", "Whether there is a value after", lambda column: column.after is not None),
        member("after", "string or null", "That value, null for NULL", _after),
    ),
)


def row_members(row: str) -> tuple[Member, ...]:
    """Return the members of a JSON object for the row at a path of its source."""

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


_TYPES = {"string": STRING, "number": BIGINT, "boolean": BOOLEAN, "list of string": STRINGS}


def columns_of(shape: Shape, types: Mapping[str, ColumnType]) -> tuple[RowColumn, ...]:
    """Return the columns for the members of a JSON object, with their names and meanings.

    Args:
        shape: the shape of the object.
        types: column types by the name of a member or by its documented type; the simple types are known.
    """
    known = {**_TYPES, **types}
    return tuple(
        RowColumn(part.name, known.get(part.name) or known[part.type.removesuffix(_OR_NULL)], part.meaning)
        for part in shape.members
    )


def struct_of(shape: Shape, types: Mapping[str, ColumnType]) -> ColumnType:
    """Return the type of a JSON object inside another one; takes the arguments of ``columns_of``."""
    return struct({column.name: column.type for column in columns_of(shape, types)})
