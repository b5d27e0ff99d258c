"""Rows and files of small trails, of which it is told what RECOVERY and SAFE say."""

from __future__ import annotations

from pathlib import Path

from tests.trailformat.samples import header, row, trail_of
from tests.trailformat.test_applied import transaction
from trailformat import Record, make_record, make_token
from trailformat.records.record_header import FIRST, LAST, MIDDLE, RESTART_ABEND

MIDDLE_ROW, LAST_ROW = row(trans_ind=MIDDLE), row(trans_ind=LAST)
RESTART = row(b"", io_type=RESTART_ABEND)


def first_row(csn: str, table: str = "TEA.LEAVES") -> Record:
    """The first row of a transaction."""
    tokens = [make_token("L", csn.encode()), make_token("6", b"1.1")]
    return make_record(header(table, trans_ind=FIRST), b"leaf", tokens)


def trail_file(folder: Path, number: int, *records: Record | bytes) -> Path:
    """Write a file of a trail."""
    return trail_of(folder, *records, name=f"tt{number:09}")


def size_of(*records: Record | bytes) -> int:
    """The bytes of records together."""
    return sum(len(record.raw if isinstance(record, Record) else record) for record in records)


def only_row(csn: str, xid: str) -> Record:
    """The row of a transaction of one row."""
    return transaction(csn, xid)[0]
