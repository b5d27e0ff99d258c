"""The transactions of the records of a file, one record after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailformat.changes.transaction_search import TransactionSearch
from trailformat.changes.transactions import (
    BEGINS,
    ENDS,
    NO_TRANSACTION,
    Transaction,
    is_transactional,
    own_transaction,
)
from trailformat.errors import TrailError

if TYPE_CHECKING:
    from trailformat.records.record import Record
    from trailformat.trail.file import TrailFile


class TransactionContext:
    """Carries LOGCSN and TRANID over the records of one file.

    Records in the order of the file, in the opposite order, or twice, cost nothing extra; after a jump the
    beginning of the transaction is looked for by walking back, in the file before this one too
    (:mod:`trailformat.changes.transaction_search`).

    Args:
        trail: the file.
        most_records: the most records to walk back over for all answers together; None: many for each.

    Attributes:
        is_found: whether the search for the last answer ended before its limit.
    """

    def __init__(self, trail: TrailFile, most_records: int | None = None) -> None:
        self._search = TransactionSearch(trail, most_records)
        self.is_found = True
        self._expected_rba = 0
        self._open = NO_TRANSACTION
        self._is_open = False
        self._begin = -1
        self._goes_on: Transaction | None = None
        """The transaction that goes on in the record at ``_begin``; None when it begins there, or is not known."""
        self._last = (-1, NO_TRANSACTION)

    def of(self, record: Record) -> Transaction:
        """The transaction of ``record``; empty for a record outside of any."""
        if record.rba != self._last[0]:
            self._last = record.rba, self._find(record)
        return self._last[1]

    def of_row(self, record: Record, own: Transaction) -> Transaction:
        """The same of a record inside of a transaction, by what it says of that itself."""
        if record.rba != self._last[0]:
            self._last = record.rba, self._find_inside(record, own)
        return self._last[1]

    def open_at(self, rba: int) -> Transaction | None:
        """The transaction open at ``rba`` when the record before it was the last one; None when it is not known."""
        return self._open if self._is_open and rba == self._expected_rba else None

    def learn(self, record: Record, transaction: Transaction) -> None:
        """Take over the transaction of ``record`` that was found elsewhere."""
        self._last = record.rba, transaction
        self._expected_rba = record.rba + record.length
        self._begin, self._goes_on = record.rba, None
        self._open = transaction
        self._is_open = is_transactional(record) and record.header.trans_ind not in ENDS

    def _find(self, record: Record) -> Transaction:
        if is_transactional(record):
            return self._find_inside(record, own_transaction(record))
        follows, later = self._step(record)
        self._is_open, self._goes_on = self._is_open and follows, later
        return NO_TRANSACTION

    def _step(self, record: Record) -> tuple[bool, Transaction | None]:
        """Go on to a record: whether it follows the last one; what goes on in the last one, where that follows it."""
        end = record.rba + record.length
        follows, later = record.rba == self._expected_rba, self._goes_on if end == self._begin else None
        self._expected_rba, self._begin = end, record.rba
        return follows, later

    def _find_inside(self, record: Record, own: Transaction) -> Transaction:
        follows, later = self._step(record)
        ends = record.header.trans_ind in ENDS
        begins = record.header.trans_ind in BEGINS or own.csn is not None
        if begins:
            self._open, self.is_found = own, True
        elif later is not None and not ends:
            self._open = later
        elif not (follows and self._is_open):
            self._open = self._search.goes_on_at(record.rba, record.order)
            self.is_found = not self._search.is_exhausted
        self._is_open, self._goes_on = not ends, None if begins else self._open
        return self._open


def transaction_at(trail: TrailFile, rba: int) -> Transaction:
    """The transaction of the record at ``rba``, its beginning looked for in the file before too; empty if unknown."""
    try:
        record = trail.record_at(rba)
    except TrailError:
        return NO_TRANSACTION
    return TransactionContext(trail).of(record) if record is not None else NO_TRANSACTION
