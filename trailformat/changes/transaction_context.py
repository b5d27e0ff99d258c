"""The transactions of the records of a file, one record after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING

from trailformat.changes.transaction_search import TransactionSearch
from trailformat.changes.transactions import TransactionRole, own_transaction, role_of
from trailformat.errors import TrailError
from trailformat.records.transaction import NO_TRANSACTION, Transaction

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
        is_found: True if the search for the last answer ended before its limit.
    """

    def __init__(self, trail: TrailFile, most_records: int | None = None) -> None:
        self._search = TransactionSearch(trail, most_records)
        self.is_found = True
        self._expected_rba = 0
        self._open = NO_TRANSACTION
        self._is_open = self._has_ended = False
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
        """Return the transaction of a record inside of a transaction, given its own tokens."""
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
        role = role_of(record)
        self._has_ended = TransactionRole.ENDS in role
        self._is_open = not self._has_ended and role not in (TransactionRole.OUTSIDE, TransactionRole.RESTART)

    def _find(self, record: Record) -> Transaction:
        role = role_of(record)
        if role not in (TransactionRole.OUTSIDE, TransactionRole.RESTART):
            return self._find_inside(record, own_transaction(record))
        follows, later = self._step(record)
        goes_on = follows and role is TransactionRole.OUTSIDE
        self._is_open, self._has_ended = self._is_open and goes_on, self._has_ended and goes_on
        self._goes_on = later if role is TransactionRole.OUTSIDE else None
        return NO_TRANSACTION

    def _step(self, record: Record) -> tuple[bool, Transaction | None]:
        """Move to a record; return whether it follows the last one, and the transaction if the last one follows it."""
        end = record.rba + record.length
        follows, later = record.rba == self._expected_rba, self._goes_on if end == self._begin else None
        self._expected_rba, self._begin = end, record.rba
        return follows, later

    def _find_inside(self, record: Record, own: Transaction) -> Transaction:
        role, (follows, later) = role_of(record), self._step(record)
        is_fragment, ends = role is TransactionRole.FRAGMENT, TransactionRole.ENDS in role
        is_first = TransactionRole.BEGINS in role
        if is_first:
            self._open, self.is_found = own, True
        elif later is not None and not ends and (later != NO_TRANSACTION or not is_fragment):
            self._open, self._is_open, self._has_ended = later, False, is_fragment
        elif not (follows and (self._is_open or (is_fragment and self._has_ended))):
            is_first = self._look_for(record, is_fragment=is_fragment)
        if not is_fragment:
            self._is_open, self._has_ended = not ends, ends
        self._goes_on = None if is_first else self._open
        return self._open

    def _look_for(self, record: Record, *, is_fragment: bool) -> bool:
        """Look for the transaction that continues in a record; return True if none does."""
        found = self._search.found_at(record.rba, record.order, is_fragment=is_fragment)
        self.is_found = not self._search.is_exhausted
        self._open, has_ended = found if found is not None else (NO_TRANSACTION, False)
        self._is_open, self._has_ended = found is not None and not has_ended, has_ended
        return found is None and self.is_found


def transaction_at(trail: TrailFile, rba: int) -> Transaction:
    """The transaction of the record at ``rba``, its beginning looked for in the file before too; empty if unknown."""
    try:
        record = trail.record_at(rba)
    except TrailError:
        return NO_TRANSACTION
    return TransactionContext(trail).of(record) if record is not None else NO_TRANSACTION
