"""The search for the beginning of a transaction, back from a record in which it continues.

A transaction may begin in the file before: a trail rolls over to the next file when the current one is full. That file
is read when it has a trail's name with the number before, the file headers do not contradict, and a sound record ends
where it ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from trailformat.changes.transactions import TransactionRole, role_in, transaction_in
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.errors import TrailError
from trailformat.records import framing
from trailformat.records.record_header import IO_TYPE_AT, TRANS_IND_AT
from trailformat.records.transaction import NO_TRANSACTION, CarriedTransaction, Transaction
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import TrailName

_MOST_RECORDS = 1 << 22
"""Maximum number of records read for one answer, in all files together; then the answer is unknown."""
_MARK_EVERY = 1 << 10
_MOST_MARKS = 1 << 16


class TransactionSearch:
    """Finds the transactions that continue at places of one file, and remembers the places it has passed.

    Args:
        trail: the file; its ``known`` facts and ``beginnings`` shorten the walk.
        most_records: maximum number of records for all answers together; None: _MOST_RECORDS for each.

    Attributes:
        is_exhausted: True if the last answer is empty because the walk has reached its limit.
    """

    def __init__(self, trail: TrailFile, most_records: int | None = None) -> None:
        self._trail = trail
        self._left = most_records
        self.is_exhausted = False
        self._marks: dict[int, Transaction] = {}
        """By RBA, what goes on in some of the records that neither begin nor end a transaction."""

    def found_at(self, rba: int, order: ByteOrder, *, is_fragment: bool = False) -> CarriedTransaction | None:
        """Return the transaction that continues in the record at ``rba``, which begins none; None if none is open.

        None is open if the transaction before has ended, or a restart of Extract has cut it, or damage is between; a
        fragment continues one that has ended too. The transaction is empty if its first record is missing.
        """
        walk = _Walk(self._marks, _MOST_RECORDS if self._left is None else self._left)
        try:
            found = walk.back(self._trail, rba, order, is_fragment=is_fragment)
        except TrailError:
            found = None
        if self._left is not None:
            self._left = walk.left
            if walk.is_exhausted:
                self.is_exhausted = True
                return found
        self.is_exhausted = walk.is_exhausted
        if len(self._marks) > _MOST_MARKS:
            self._marks.clear()
        places = walk.passed if is_fragment else [rba, *walk.passed]
        self._marks.update(dict.fromkeys(places, found.transaction if found is not None else NO_TRANSACTION))
        return found


class _Walk:
    """One walk back, over a file and the files before it.

    Attributes:
        passed: some of the records of the first file that it has passed.
        left: number of records that it may still read.
        is_exhausted: True if it ended at that limit.
    """

    def __init__(self, marks: dict[int, Transaction], most_records: int) -> None:
        self.passed: list[int] = []
        self.left = most_records
        self.is_exhausted = False
        self._marks = marks
        self._is_fragment = self._has_ended = self._is_inside = False

    def back(self, trail: TrailFile, rba: int, order: ByteOrder, *, is_fragment: bool) -> CarriedTransaction | None:
        """Return the transaction that continues at ``rba``.

        Raises:
            TrailError: there is no file before, or it cannot be read.
        """
        self._is_fragment = is_fragment
        answer = self._in_file(trail, rba, order, self._marks, self.passed)
        if not isinstance(answer, _FileStart):
            return answer
        edge, self._is_fragment, self._has_ended, self._is_inside = self._edge(), False, False, False
        found = self._at_beginning(trail)
        return found._replace(has_ended=edge is not None and edge.has_ended) if found is not None else edge

    def _at_beginning(self, trail: TrailFile) -> CarriedTransaction | None:
        """Return the transaction open at the beginning of a file, from the files before it. Raises like back."""
        known, passed = trail.beginnings, [trail.path]
        found = None
        try:
            found = self._before(trail, known, passed)
        finally:
            if not self.is_exhausted:
                known.update(dict.fromkeys(passed, found))
        return found

    def _before(
        self, trail: TrailFile, known: Mapping[Path, CarriedTransaction | None], passed: list[Path]
    ) -> CarriedTransaction | None:
        """Do so; ``passed`` gets the files at whose beginning it is open too."""
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
                answer = self._in_file(earlier, earlier.size, earlier.order, {}, [])
            if not isinstance(answer, _FileStart):
                return answer
            passed.append(name.path)
        return None

    def _in_file(
        self, trail: TrailFile, rba: int, order: ByteOrder, marks: dict[int, Transaction], passed: list[int]
    ) -> CarriedTransaction | _FileStart | None:
        """Return the transaction that continues at ``rba``, if it begins in the file."""
        at, buffer = min(rba, trail.refresh()), trail.bytes
        while at > 0:
            if self.left <= 0:
                self.is_exhausted = True
                return self._edge()
            before = _record_before(buffer, at, order)
            if before is None:
                return self._edge()
            at, length, order = before
            role = _role_at(buffer, at)
            if role is TransactionRole.RESTART or (TransactionRole.ENDS in role and not self._is_fragment):
                return self._edge()
            if role not in (TransactionRole.OUTSIDE, TransactionRole.FRAGMENT):
                self._is_inside, self._is_fragment = True, False
                self._has_ended |= TransactionRole.ENDS in role
            if TransactionRole.BEGINS in role:
                return CarriedTransaction(_transaction_at(buffer, at, length, order), self._has_ended)
            if role in (TransactionRole.INSIDE, TransactionRole.OUTSIDE) and (
                known := marks.get(at) or (trail.known.open_transactions.get(at) if trail.known is not None else None)
            ):
                return CarriedTransaction(known, self._has_ended)
            self.left -= 1
            if self.left % _MARK_EVERY == 0 and role in (TransactionRole.INSIDE, TransactionRole.OUTSIDE):
                passed.append(at)
        return _FileStart()

    def _edge(self) -> CarriedTransaction | None:
        """Return the answer if no earlier record can belong to the transaction."""
        return CarriedTransaction(NO_TRANSACTION, self._has_ended) if self._is_inside else None


class _FileStart:
    """No answer in the file: the transaction has begun before it, if one is open."""


def _record_before(buffer: Source, end: int, order: ByteOrder) -> tuple[int, int, ByteOrder] | None:
    """Place, length and order of the sound record that ends at ``end``, ``order`` tried first; None for none."""
    for tried in (order, order.other):
        start = framing.start_before(buffer, end, tried)
        if start is not None:
            return start, end - start, tried
    return None


def _transaction_at(buffer: Source, rba: int, length: int, order: ByteOrder) -> Transaction:
    """The transaction in the tokens of the sound record at ``rba``."""
    _, places = framing.frame_at(buffer, rba, rba + length, order)
    at, size = next(((at, size) for token, _, at, size in places if token == ord("T")), (0, 0))
    return transaction_in(buffer, rba + at, size, order)


def _role_at(buffer: Source, rba: int) -> TransactionRole:
    """The role of the record at ``rba``."""
    if buffer[rba] == framing.FILE_HEADER:
        return TransactionRole.OUTSIDE
    header = framing.header_at(buffer, rba)
    return role_in(buffer[header + IO_TYPE_AT], buffer[header + TRANS_IND_AT])


def _seqno(trail: TrailFile) -> int | None:
    """The number that the file header holds."""
    header = trail.file_header
    return header.seqno if header is not None else None
