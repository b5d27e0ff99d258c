"""Changes as consumers of Debezium's events expect them: ``op``, ``before``, ``after``, ``source``, ``ts_ms``.

``logdump.spark.changes(…, shape="debezium")`` and EXPORT JSONL … DEBEZIUM both make it of changes as
:mod:`logdump.arrow.tables.changes` has them, an update of the key being a delete and an insert. Columns that the record
does not have are null, as NULLs are: ``absent`` of ``source`` names them.
"""

from __future__ import annotations

from typing import NamedTuple

ROW = ""
"""In place of the name of a column of changes: those of the table."""


class Operation(NamedTuple):
    """How a kind of change is written: its letter, and the columns that are its images, None for no image."""

    letter: str
    before: str | None
    after: str | None


OPERATIONS = {
    "insert": Operation("c", None, ROW),
    "update": Operation("u", "_before", ROW),
    "delete": Operation("d", ROW, None),
    "truncate": Operation("t", None, None),
}
CONNECTOR = "logdump"
SOURCE = {
    "connector": None,
    "ts_ms": None,
    "schema": None,
    "table": None,
    "file": "_file",
    "pos": "_rba",
    "scn": "_csn",
    "txId": "_xid",
    "sequence": "_sequence",
    "absent": "_absent",
    "problems": "_problems",
}
"""The members of ``source`` in order, and the columns of changes that they are; None for those made of others: IO Time
in milliseconds since 1970, and the name of the table, cut at its last period."""
