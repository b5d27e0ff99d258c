"""LOGCSN and TRANID at a place of a file, read where they stand: the index keeps none."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailformat.changes.transaction_context import TransactionContext
from trailformat.changes.transactions import NO_TRANSACTION, Transaction, is_transactional, own_transaction
from trailformat.errors import TrailError
from trailformat.scan.batch import RECORD

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trailformat.index.walking import Row
    from trailformat.trail.file import TrailFile


def owner_at(trail: TrailFile, rba: int) -> Transaction:
    """The transaction of the record at ``rba``, its beginning looked for also in the file before; empty if unknown."""
    try:
        record = trail.record_at(rba)
    except TrailError:
        return NO_TRANSACTION
    return TransactionContext(trail).of(record) if record is not None else NO_TRANSACTION


def first_csn(trail: TrailFile, rows: Iterable[Row]) -> str | None:
    """The first LOGCSN that stands in some rows; None when none has one."""
    for row in rows:
        record = trail.record_at(row.rba) if row.kind == RECORD else None
        if record is not None and is_transactional(record) and (csn := own_transaction(record).csn) is not None:
            return csn
    return None
