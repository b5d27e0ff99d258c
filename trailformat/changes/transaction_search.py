"""The search for the beginning of a transaction, back from a record in which it goes on.

A transaction may begin in the file before: a trail rolls over to the next file where the current one is full. That file
is read when it has a trail's name with the number before, the file headers do not contradict, and a sound record ends
where it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from weakref import WeakKeyDictionary

from trailformat.changes.transactions import BEGINS, ENDS, NO_TRANSACTION, Transaction, transaction_in
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.errors import TrailError
from trailformat.records import framing
from trailformat.records.io_types import NOT_TRANSACTIONAL
from trailformat.records.record_header import IO_TYPE_AT, TRANS_IND_AT
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import TrailName

_MOST_RECORDS = 1 << 22
"""So many records are walked over for one answer, in all files together; then nothing is known."""
_MARK_EVERY = 1 << 10
_MOST_MARKS = 1 << 16

KNOWN_TRANSACTIONS: WeakKeyDictionary[TrailFile, dict[int, Transaction]] = WeakKeyDictionary()
"""For open files that have an index, the transactions that go on in some of their records, by RBA."""

BEGINNINGS: WeakKeyDictionary[TrailFile, dict[Path, Transaction]] = WeakKeyDictionary()
"""For open files of a command that goes over many, the transactions that go on at the beginnings of those it has seen.

It notes them there itself, so that not each file goes back over all before it.
"""


class TransactionSearch:
    """Finds the transactions that go on at places of one file, and remembers the places it has passed.

    Args:
        trail: the file; what is ``KNOWN_TRANSACTIONS`` of it shortens the way.
        most_records: walk over no more than these for all answers together; None: over _MOST_RECORDS for each.

    Attributes:
        is_exhausted: whether the last answer is empty because the walk has come to its limit.
    """

    def __init__(self, trail: TrailFile, most_records: int | None = None) -> None:
        self._trail = trail
        self._left = most_records
        self.is_exhausted = False
        self._marks: dict[int, Transaction] = {}
        """By RBA, what goes on in some of the records that neither begin nor end a transaction."""

    def goes_on_at(self, rba: int, order: ByteOrder) -> Transaction:
        """The transaction that goes on in the record at ``rba``, which does not begin one itself.

        Empty when the one before has ended, when damage lies between, or when its first record is not found.
        """
        walk = _Walk(self._marks, _MOST_RECORDS if self._left is None else self._left)
        try:
            transaction = walk.back(self._trail, rba, order)
        except TrailError:
            transaction = NO_TRANSACTION
        if self._left is not None:
            self._left = walk.left
            if walk.is_exhausted:
                self.is_exhausted = True
                return NO_TRANSACTION
        self.is_exhausted = walk.is_exhausted
        if len(self._marks) > _MOST_MARKS:
            self._marks.clear()
        self._marks.update(dict.fromkeys((rba, *walk.passed), transaction))
        return transaction


class _Walk:
    """One walk back, over a file and those before it.

    Attributes:
        passed: some of the records of the first file that it has come past.
        left: how many records it may still walk over.
        is_exhausted: whether it has ended for want of these.
    """

    def __init__(self, marks: dict[int, Transaction], most_records: int) -> None:
        self.passed: list[int] = []
        self.left = most_records
        self.is_exhausted = False
        self._marks = marks

    def back(self, trail: TrailFile, rba: int, order: ByteOrder) -> Transaction:
        """The transaction that goes on at ``rba``.

        Raises:
            TrailError: there is no file before, or it cannot be read.
        """
        transaction = self._in_file(trail, rba, order, self._marks, self.passed)
        if transaction is None:
            transaction = self._at_beginning(trail)
        return transaction

    def _at_beginning(self, trail: TrailFile) -> Transaction:
        """The transaction that goes on at the beginning of a file, by those before it. Raises like back."""
        known, passed = BEGINNINGS.get(trail, {}), [trail.path]
        transaction = NO_TRANSACTION
        try:
            transaction = self._before(trail, known, passed)
        finally:
            if not self.is_exhausted:
                known.update(dict.fromkeys(passed, transaction))
        return transaction

    def _before(self, trail: TrailFile, known: Mapping[Path, Transaction], passed: list[Path]) -> Transaction:
        """The same; ``passed``: the files at whose beginning it goes on too."""
        name, seqno = TrailName.parse(trail.path), _seqno(trail)
        while name is not None and name.is_documented and not self.is_exhausted:
            if passed[-1] in known:
                return known[passed[-1]]
            name = name.previous
            with TrailFile(name.path) as earlier:
                later, seqno = seqno, _seqno(earlier)
                if later is not None and seqno is not None and (later - seqno) % 10**name.digits != 1:
                    break
                self.left -= 1
                transaction = self._in_file(earlier, earlier.size, earlier.order, {}, [])
            if transaction is not None:
                return transaction
            passed.append(name.path)
        return NO_TRANSACTION

    def _in_file(
        self, trail: TrailFile, rba: int, order: ByteOrder, marks: dict[int, Transaction], passed: list[int]
    ) -> Transaction | None:
        """The one that goes on at ``rba``; None when it began before the file, or too far back. Empty after damage."""
        at, buffer = min(rba, trail.refresh()), trail.bytes
        known = KNOWN_TRANSACTIONS.get(trail, {})
        while at > 0:
            if self.left <= 0:
                self.is_exhausted = True
                break
            before = _record_before(buffer, at, order)
            if before is None:
                return NO_TRANSACTION
            at, length, order = before
            transaction = _transaction_after(buffer, at, length, order)
            if transaction is None:
                transaction = marks.get(at) or known.get(at)
            if transaction is not None:
                return transaction
            self.left -= 1
            if self.left % _MARK_EVERY == 0:
                passed.append(at)
        return None


def _record_before(buffer: Source, end: int, order: ByteOrder) -> tuple[int, int, ByteOrder] | None:
    """Place, length and order of the sound record that ends at ``end``, ``order`` tried first; None for none."""
    for tried in (order, order.other):
        start = framing.start_before(buffer, end, tried)
        if start is not None:
            return start, end - start, tried
    return None


def _transaction_after(buffer: Source, rba: int, length: int, order: ByteOrder) -> Transaction | None:
    """The transaction after the record at ``rba``, where the record ends one or begins one."""
    if buffer[rba] == framing.FILE_HEADER:
        return None
    header = framing.header_at(buffer, rba)
    if buffer[header + IO_TYPE_AT] in NOT_TRANSACTIONAL:
        return None
    trans_ind = buffer[header + TRANS_IND_AT]
    if trans_ind in ENDS:
        return NO_TRANSACTION
    _, _, offset, size = framing.payload_places(buffer, rba, length, order)
    own = transaction_in(buffer, rba + offset, size, order)
    return own if own.csn is not None or trans_ind in BEGINS else None


def _seqno(trail: TrailFile) -> int | None:
    """The number that the file header holds."""
    header = trail.file_header
    return header.seqno if header is not None else None
