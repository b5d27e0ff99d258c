"""Statements of REDO and UNDO as JSON."""

from __future__ import annotations

from logdump.render.json_shape import Field, Shape

STATEMENT = Shape(
    "statement",
    "The SQL that repeats a change, or takes it back.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.statement.change.records[0].path)),
        Field("rba", "number", "Byte offset of the change in the file", lambda shown: shown.statement.change.rba),
        Field("op", "string", "INSERT, UPDATE, PK UPDATE, DELETE, …", lambda shown: shown.statement.change.op),
        Field("table", "string", "Name of the table", lambda shown: shown.statement.change.table),
        Field("csn", "string or null", "LOGCSN of the transaction", lambda shown: shown.statement.change.csn),
        Field("takes_back", "boolean", "Whether it takes the change back", lambda shown: shown.takes_back),
        Field("sql", "string or null", "The statement; null when there is none", lambda shown: shown.statement.sql),
        Field("reason", "string or null", "Why there is none", lambda shown: shown.statement.reason),
    ),
)
