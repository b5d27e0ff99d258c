"""Statements of REDO and UNDO as JSON."""

from __future__ import annotations

from logdump.display.json_shape import Shape, member
from logdump.session.statements import StatementShown

STATEMENT = Shape(
    "statement",
    "The SQL that repeats a change, or takes it back.",
    (
        member("file", "string", "Path of the file", "statement.change.records.0.path"),
        member("rba", "number", "Byte offset of the change in the file", "statement.change.rba"),
        member("op", "string", "INSERT, UPDATE, PK UPDATE, DELETE, …", "statement.change.op"),
        member("table", "string", "Name of the table", "statement.change.table"),
        member("csn", "string or null", "LOGCSN of the transaction", "statement.change.csn"),
        member("takes_back", "boolean", "Whether it takes the change back"),
        member("sql", "string or null", "The statement; null when there is none", "statement.sql"),
        member("reason", "string or null", "Why there is none", "statement.reason"),
    ),
    StatementShown,
)
