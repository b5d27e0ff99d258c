"""Changes as consumers of Debezium's events expect them: ``op``, ``before``, ``after``, ``source``, ``ts_ms``.

``logdump.spark.changes(…, shape="debezium")`` and EXPORT JSONL … DEBEZIUM both convert the changes of
:mod:`logdump.arrow.tables.changes`, with an update of the key as a delete and an insert. ``after`` is the whole row as
far as the trail has it. ``absent`` of ``source`` names the columns that it does not have: in ``after`` text and bytes
are UNAVAILABLE, values of other types are null.
"""

from __future__ import annotations

from typing import Any, NamedTuple

UNAVAILABLE = "__debezium_unavailable_value"
"""The text that Debezium writes, unless another is configured, in place of a value that it does not have."""
ROW = ""
"""In place of a column name: the columns of the table, as one object."""


def stand_in(kind: Any) -> str | bytes | None:
    """Return UNAVAILABLE as a value of an Arrow type, or a Spark type by its name; None for other types."""
    stand_ins: dict[str, str | bytes] = {"string": UNAVAILABLE, "binary": UNAVAILABLE.encode()}
    return stand_ins.get(str(kind).removeprefix("large_"))


class Operation(NamedTuple):
    """The form of a kind of change: its letter, and the columns that become its images, None for no image."""

    letter: str
    before: str | None
    after: str | None


OPERATIONS = {
    "insert": Operation("c", None, ROW),
    "upsert": Operation("c", None, ROW),
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
"""The members of ``source`` in order, and the columns of changes that fill them; None for computed ones: ``ts_ms`` is
IO Time in milliseconds since 1970, ``schema`` and ``table`` are the table's name, split at its last period."""
