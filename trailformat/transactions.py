"""Which transaction a record belongs to: LOGCSN and TRANID stand on its first record only, and hold for all of them.

Metadata, restart and comment records stand between the records of a transaction without belonging to it; a TDR carries
a TransInd of its own (real 12.2 trail).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from trailformat.errors import TrailError
from trailformat.io_types import NOT_TRANSACTIONAL

if TYPE_CHECKING:
    from trailformat.record import Record
    from trailformat.trail_file import TrailFile

FIRST, MIDDLE, LAST, ONLY = range(4)
"""TransInd."""
BEGINS = frozenset({FIRST, ONLY})
ENDS = frozenset({LAST, ONLY})


class Transaction(NamedTuple):
    """LOGCSN and TRANID of a transaction, each None when no record tells."""

    csn: str | None = None
    xid: str | None = None


NO_TRANSACTION = Transaction()


def is_transactional(record: Record) -> bool:
    """Whether the record belongs to a transaction at all."""
    return not record.is_file_header and record.header.io_type not in NOT_TRANSACTIONAL


class TransactionContext:
    """Carries LOGCSN and TRANID over the records of one file.

    Records asked for in the order of the file, or twice, cost nothing extra; after a jump the beginning of the
    transaction is looked for by walking back.
    """

    def __init__(self, trail: TrailFile) -> None:
        self._trail = trail
        self._expected_rba = 0
        self._open = NO_TRANSACTION
        self._is_open = False
        self._last = (-1, NO_TRANSACTION)

    def of(self, record: Record) -> Transaction:
        """The transaction of ``record``; empty for a record outside of any."""
        if record.rba != self._last[0]:
            self._last = record.rba, self._find(record)
        return self._last[1]

    def _find(self, record: Record) -> Transaction:
        follows = record.rba == self._expected_rba
        self._expected_rba = record.rba + record.length
        if not is_transactional(record):
            self._is_open = self._is_open and follows
            return NO_TRANSACTION
        if record.header.trans_ind in BEGINS or own_transaction(record).csn is not None:
            self._open = own_transaction(record)
        elif not (follows and self._is_open):
            self._open = self._look_back(record)
        self._is_open = record.header.trans_ind not in ENDS
        return self._open

    def _look_back(self, record: Record) -> Transaction:
        try:
            for earlier in self._trail.records_backwards(record.rba):
                if not is_transactional(earlier):
                    continue
                if earlier.header.trans_ind in ENDS:
                    return NO_TRANSACTION
                found = own_transaction(earlier)
                if found.csn is not None or earlier.header.trans_ind in BEGINS:
                    return found
        except TrailError:
            return NO_TRANSACTION
        return NO_TRANSACTION


def own_transaction(record: Record) -> Transaction:
    """What the tokens of this record say; empty when they are damaged."""
    try:
        return Transaction(record.csn, record.xid)
    except TrailError:
        return NO_TRANSACTION
