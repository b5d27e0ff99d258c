"""LOGCSN and TRANID at a place of a file, read where they stand: the index keeps none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailformat.errors import TrailError
from trailformat.scan.batch import RECORD
from trailformat.transactions import NO_TRANSACTION, Transaction, is_transactional, own_transaction

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trailformat.index.walking import Row
    from trailformat.trail_file import TrailFile


def own(trail: TrailFile, rba: int) -> Transaction:
    """What the record at ``rba`` says of its transaction; empty when it says nothing."""
    try:
        record = trail.record_at(rba)
    except TrailError:
        return NO_TRANSACTION
    return own_transaction(record) if record is not None and is_transactional(record) else NO_TRANSACTION


def first_csn(trail: TrailFile, rows: Iterable[Row]) -> str | None:
    """The first LOGCSN in some rows; None when none has one."""
    return next((csn for row in rows if row.kind == RECORD and (csn := own(trail, row.rba).csn) is not None), None)
