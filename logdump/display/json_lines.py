"""Events as JSON, one object per line: ``--format jsonl`` and FORMAT JSONL.

The names of members are API; docs/reference lists them, generated from the tables that define the objects.
"""

from __future__ import annotations

import importlib
import re
from functools import cache
from typing import Any

from logdump.display.json_record import RECORD_POSITION
from logdump.display.json_shape import PROBLEMS, SCHEMA, Get, Shape, encoded, member
from logdump.notation.text import Harmless, ascii_json
from logdump.notation.times import iso_time
from logdump.session.events import Event, Failure, Notice, RecordsInLines, Text
from logdump.session.known_record import KnownRecord
from logdump.session.settings import Settings
from trailformat import BadRecord, PartialRecord
from trailformat.codec.on_demand import on_demand
from trailformat.records.file_header import GROUPS, HeaderToken, Value

with on_demand:
    from logdump.display import json_record

_TIMES = frozenset({"CreationTime", "FirstIOTime", "LastIOTime"})
_SPELLINGS = {
    "BITFLAGS": "bit_flags",
    "ClientNCharset": "client_ncharset",
    "ContinunityInfo": "continuity_info",
    "DbNCharset": "db_ncharset",
    "FirstCSN": "first_csn",
    "FirstIOTime": "first_io_time",
    "LOGBSN": "log_bsn",
    "LastCSN": "last_csn",
    "LastIOTime": "last_io_time",
    "URI": "uri",
    "URIHistory": "uri_history",
}
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


def snake_case(name: str) -> str:
    """Return the name of the member for a printed name: ``file_name`` for ``FileName``."""
    return _SPELLINGS.get(name) or _WORD.sub("_", name).lower()


def _plain(name: str, value: Value) -> Any:
    if name in _TIMES and isinstance(value, int):
        return iso_time(value)
    if name == "BITFLAGS" and isinstance(value, int):
        return str(value)
    return value


def _members(tokens: tuple[HeaderToken, ...]) -> dict[str, Any]:
    """Return the tokens by member name, the first of each; an unknown id is named like ``x40``."""
    members: dict[str, Any] = {}
    for token in tokens:
        name = snake_case(token.name) if token.name else f"x{token.token.id:02x}"
        members.setdefault(name, _plain(token.name, token.value))
    return members


def _group(group_id: int) -> Get:
    def get(known: KnownRecord) -> Any:
        groups = known.record.file_header.groups
        return next((_members(group.tokens) for group in groups if group.token.id == group_id), None)

    return get


def _other_groups(known: KnownRecord) -> dict[str, bytes]:
    groups = known.record.file_header.groups
    return {f"x{group.token.id:02x}": group.token.payload for group in groups if group.token.id not in GROUPS}


def _group_meaning(group_id: int) -> str:
    names = ", ".join(f"`{snake_case(field.name)}`" for field in GROUPS[group_id].fields.values())
    return f"{GROUPS[group_id].name}: {names}"


FILE_HEADER = Shape(
    "file_header",
    "The file header. Its groups hold the tokens that the file has, by name, null where a value is not set; times are "
    "ISO 8601 in UTC, `bit_flags` is a string, bytes are hex; an unknown token is `xNN` with its bytes in hex. "
    "`compatibility` is what GoldenGate's `@GETENV ('GGFILEHEADER', 'COMPATIBILITY')` returns.",
    (
        *RECORD_POSITION,
        member("data_length", "number", "`Len` of the record line", "record.data_length"),
        *(
            member(snake_case(group.name), "object or null", _group_meaning(group_id), _group(group_id))
            for group_id, group in GROUPS.items()
        ),
        member("other_groups", "object", "Unknown groups as `xNN`, hex", _other_groups),
        member("data", "string", "All the bytes between the record's first token and its trailer, hex", "record.body"),
        PROBLEMS,
    ),
)


_LINES = member("lines", "list of string", "The text, line by line")
_TROUBLE = (
    member("status", "number", "The exit status that it causes: 1 a command failed, 4 bad data"),
    member("file", "string or null", "Path of the file", "bad?.error.path"),
    member("rba", "number or null", "Byte offset in the file", "bad?.error.rba"),
    member(
        "length",
        "number or null",
        "Bytes up to the next good record or the end; of an existing record its length",
        "bad?.length",
    ),
    member("error", "string or null", "The error", "bad?.error.problem"),
    member("expected", "string or null", "The bytes that were expected", "bad?.error.expected"),
    member("found", "string or null", "The bytes that were found", "bad?.error.found"),
    _LINES,
)
TEXT = Shape("text", "Text of a command.", (_LINES,), Text)
BAD_RECORD = Shape("bad_record", "Bytes that cannot be read as a record, met by any command.", _TROUBLE)
FAILURE = Shape("failure", "A command that could not be carried out.", _TROUBLE, Failure)
NOTICE = Shape("notice", "A remark on the record before it, or on the output as a whole.", _TROUBLE, Notice)
_TYPE_MEMBER = re.compile(r'^\{"type":"\w+"')
_OF_THE_SESSION = ("json_lines", "json_session", "json_record")
"""Modules of this package that have the shapes of session events."""


def render(event: Event, _settings: Settings) -> list[Harmless]:
    """Return the lines of ``event``, one object in ASCII each; display switches and RECLEN have no effect."""
    if isinstance(event, RecordsInLines):
        return event.take()
    shape = _shape(event)
    return [_object(shape, source) for source in shape.sources(event)]


def with_schema(line: Harmless) -> Harmless:
    """Return an object with the number of the schema after its type, as in the first object of a session."""
    return ascii_json(_TYPE_MEMBER.sub(rf'\g<0>,"schema":{SCHEMA}', line, count=1))


def _object(shape: Shape, source: object) -> Harmless:
    described = {"type": shape.name, **shape.build_what_decodes(source)}
    return ascii_json(encoded(described))


def _shape(event: Event) -> Shape:
    if isinstance(event, KnownRecord):
        return _of_record(is_file_header=event.record.is_file_header)
    if isinstance(event, Failure | Notice) and event.bad and isinstance(event.bad.error, BadRecord | PartialRecord):
        return BAD_RECORD
    kind: type = type(event)
    return shape_of(kind)


@cache
def _of_record(*, is_file_header: bool) -> Shape:
    return FILE_HEADER if is_file_header else json_record.RECORD


@cache
def shape_of(kind: type) -> Shape:
    """Return the shape of events of a class; for events of a feature it is in the module ``json`` of its package.

    Raises:
        LookupError: no module has a shape for the class.
    """
    package = kind.__module__.rpartition(".")[0]
    names = (
        [f"logdump.display.{name}" for name in _OF_THE_SESSION] if package == "logdump.session" else [f"{package}.json"]
    )
    for module in map(importlib.import_module, names):
        for shape in vars(module).values():
            if isinstance(shape, Shape) and shape.event is kind:
                return shape
    raise LookupError(f"{names[-1]} has no object for {kind.__name__}")
