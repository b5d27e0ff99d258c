"""The subject of a filter: one record, and the facts about it that only its surroundings hold."""

from __future__ import annotations

from dataclasses import dataclass

from trailformat import ColumnChange, Record


@dataclass(slots=True)
class Subject:
    """A record under test.

    Attributes:
        record: the record itself; its parts are decoded when a criterion needs them.
        name: the resolved name of its table, empty when there is none.
        csn: LOGCSN of its transaction, which only the first record carries; None when unknown.
        xid: TRANID of its transaction, likewise.
        columns: its columns with their values; empty where no criterion uses them, or when it has none.
    """

    record: Record
    name: str = ""
    csn: str | None = None
    xid: str | None = None
    columns: tuple[ColumnChange, ...] = ()
