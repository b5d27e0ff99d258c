"""Answers of the session as JSON: positions, marks, files of a directory, settings, progress, statements."""

from __future__ import annotations

from logdump.display.json_shape import Get, Shape, member, time_at
from logdump.session.events import EnvironmentShown, JobProgress, NoRecordThere, PositionShown, Progress, StatementShown
from logdump.session.files import FilesShown
from logdump.session.session import MarksShown


def _direction(shown: PositionShown) -> str:
    return "reverse" if shown.is_backwards else "forward"


POSITION = Shape(
    "position",
    "The read position, as POSITION and BEGIN answer.",
    (
        member("file", "string", "Path of the file", "path"),
        member("rba", "number", "Byte offset in it"),
        member("direction", "string", "`forward`, or `reverse`", _direction),
    ),
    PositionShown,
)

NO_RECORD = Shape(
    "no_record",
    "Beside `position`: no record starts there (`reverse`: ends there).",
    (
        *POSITION.members,
        member("before", "number or null", "RBA of the record that starts before it"),
        member("after", "number or null", "RBA of the record that starts after it"),
        member("inside", "boolean", "Whether it is inside the record before it", "is_inside"),
        member("end_of_file", "number", "Bytes in the file", "size"),
    ),
    NoRecordThere,
)

MARK = Shape(
    "mark",
    "One mark.",
    (
        member("name", "string", "Its name"),
        member("file", "string", "Path of the file", "path"),
        member("rba", "number", "Byte offset in it"),
        member("note", "string", "Its note"),
    ),
)

MARKS = Shape(
    "marks",
    "MARK: all marks, by file and RBA.",
    (member("marks", "list of mark", "The marks", MARK.each("marks")),),
    MarksShown,
)

FILE_ENTRY = Shape(
    "file_entry",
    "One file or directory.",
    (
        member("name", "string", "Its name"),
        member("directory", "boolean", "Whether it is a directory", "is_directory"),
        member("bytes", "number or null", "Its size", "size"),
        member("modified", "string or null", "When it was changed, ISO 8601, UTC", time_at("modified")),
        member("seqno", "number or null", "Sequence number of a trail"),
        member("first_csn", "string or null", "First CSN of a trail"),
    ),
)

FILES = Shape(
    "files",
    "FILES: the contents of a directory.",
    (
        member("directory", "string", "Its path"),
        member("files", "list of file_entry", "Matching entries, by name", FILE_ENTRY.each("entries")),
    ),
    FilesShown,
)


def _of(label: str) -> Get:
    return lambda shown: dict(shown.rows).get(label)


def _number(label: str) -> Get:
    return lambda shown: int(dict(shown.rows)[label]) if shown.is_open else None


def _settings(shown: EnvironmentShown) -> dict[str, str]:
    return {label.lower().replace(" ", "_").replace("/", "_"): value for label, value in shown.rows}


ENVIRONMENT = Shape(
    "env",
    "ENV: open files and settings.",
    (
        member("version", "string", "Program, system and Python", _of("Version")),
        member("directory", "string", "Current directory", _of("Current Directory")),
        member("file", "string or null", "Path of the open file", "path"),
        member("end_of_file", "number or null", "Its bytes", _number("End of File")),
        member("rba", "number or null", "The read position", _number("Next Position")),
        member("direction", "string or null", "`forward`, or `reverse`"),
        member("timeoffset", "string", "TIMEOFFSET", _of("Timeoffset")),
        member("settings", "object", "Every line of the text: its label in lower case, and its value", _settings),
    ),
    EnvironmentShown,
)


PROGRESS = Shape(
    "progress",
    "How far a scan has come (NOTIFY).",
    (
        member("records", "number", "Records scanned"),
        member("rba", "number", "RBA of the last"),
        member("time", "string or null", "IO Time of the last", time_at("time")),
    ),
    Progress,
)

JOB_PROGRESS = Shape(
    "job_progress",
    "How far a Spark job has come; line mode shows it at a terminal only.",
    (
        member("done", "number", "Tasks that are done"),
        member("running", "number", "Tasks that run"),
        member("tasks", "number", "All tasks known so far"),
    ),
    JobProgress,
)


STATEMENT = Shape(
    "statement",
    "The SQL that repeats a change, or takes it back.",
    (
        member("file", "string", "Path of the file", "statement.change.records.0.path"),
        member("rba", "number", "Byte offset of the change in the file", "statement.change.rba"),
        member("op", "string", "INSERT, UPSERT, UPDATE, PK UPDATE, DELETE, …", "statement.change.op"),
        member("table", "string", "Name of the table", "statement.change.table"),
        member("csn", "string or null", "LOGCSN of the transaction", "statement.change.csn"),
        member("takes_back", "boolean", "Whether it takes the change back"),
        member("sql", "string or null", "The statement; null when there is none", "statement.sql"),
        member("reason", "string or null", "Why there is none", "statement.reason"),
    ),
    StatementShown,
)
