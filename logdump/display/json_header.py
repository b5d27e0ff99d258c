"""The file header as JSON: an object per group, its members named after the tokens."""

from __future__ import annotations

import re
from typing import Any

from logdump.display.json_record import PLACE
from logdump.display.json_shape import PROBLEMS, Get, Shape, member
from logdump.notation.times import iso_time
from logdump.session.known_record import KnownRecord
from trailformat.records.file_header import GROUPS, HeaderToken, Value

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
    """The member for a printed name: ``file_name`` for ``FileName``."""
    return _SPELLINGS.get(name) or _WORD.sub("_", name).lower()


def _plain(name: str, value: Value) -> Any:
    if name in _TIMES and isinstance(value, int):
        return iso_time(value)
    if name == "BITFLAGS" and isinstance(value, int):
        return str(value)
    return value


def _members(tokens: tuple[HeaderToken, ...]) -> dict[str, Any]:
    """The first token of every name; unknown ids as ``x40`` with their bytes in hex."""
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
        *PLACE,
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
