"""A Replicat: it applies whole transactions, and drops one that a restart or the next transaction has cut."""

from __future__ import annotations

from collections.abc import Iterable

from tests.simulated.extract import Written
from tests.simulated.source import Rows, apply
from trailformat.records.record_header import FIRST, LAST, ONLY


def replicat(written: Iterable[Written], rows: Rows) -> tuple[Rows, list[list[Written]]]:
    """The rows after it has read these records, and the records of each transaction that it has applied."""
    rows = dict(rows)
    applied: list[list[Written]] = []
    waiting: list[Written] = []
    for written_record in written:
        if written_record.change is None or written_record.trans_ind in (FIRST, ONLY):
            waiting = []
        if written_record.change is None:
            continue
        waiting.append(written_record)
        if written_record.trans_ind in (LAST, ONLY):
            for record in waiting:
                if record.change is not None:
                    apply(rows, record.change)
            applied.append(waiting)
            waiting = []
    return rows, applied
