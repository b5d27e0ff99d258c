"""FILES and ENV as JSON."""

from __future__ import annotations

from typing import Any

from logdump.notation.times import iso_time
from logdump.render.json_shape import Field, Shape
from logdump.session.directory_listing import Entry
from logdump.session.events import EnvironmentShown


def _time(entry: Entry) -> str | None:
    return None if entry.modified is None else iso_time(entry.modified)


FILE_ENTRY = Shape(
    "file_entry",
    "One file or directory.",
    (
        Field("name", "string", "Its name", lambda one: one.name),
        Field("directory", "boolean", "Whether it is a directory", lambda one: one.is_directory),
        Field("bytes", "number or null", "Its size", lambda one: one.size),
        Field("modified", "string or null", "When it was changed, ISO 8601, UTC", _time),
        Field("seqno", "number or null", "Sequence number of a trail", lambda one: one.seqno),
        Field("first_csn", "string or null", "First CSN of a trail", lambda one: one.first_csn),
    ),
)

FILES = Shape(
    "files",
    "FILES: what lies in a directory.",
    (
        Field("directory", "string", "Its path", lambda shown: str(shown.directory)),
        Field(
            "files",
            "list of file_entry",
            "What fits, by name",
            lambda shown: [FILE_ENTRY.build(one) for one in shown.entries],
        ),
    ),
)


def _of(label: str) -> Any:
    return lambda shown: dict(shown.rows).get(label)


def _number(label: str) -> Any:
    return lambda shown: int(dict(shown.rows)[label]) if shown.is_open else None


def _setting(shown: EnvironmentShown) -> dict[str, str]:
    return {label.lower().replace(" ", "_").replace("/", "_"): value for label, value in shown.rows}


ENVIRONMENT = Shape(
    "env",
    "ENV: what is open and what is switched on.",
    (
        Field("version", "string", "Program, system and Python", _of("Version")),
        Field("directory", "string", "Current directory", _of("Current Directory")),
        Field("file", "string or null", "Path of the open file", lambda shown: shown.path),
        Field("end_of_file", "number or null", "Its bytes", _number("End of File")),
        Field("rba", "number or null", "Where reading goes on", _number("Next Position")),
        Field("direction", "string or null", "`forward`, or `reverse`", lambda shown: shown.direction),
        Field("timeoffset", "string", "TIMEOFFSET", _of("Timeoffset")),
        Field("settings", "object", "Every line of the text: its label in lower case, and its value", _setting),
    ),
)
