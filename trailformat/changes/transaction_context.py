"""The transactions of the records of a file, record by record."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from trailformat.changes.transactions import TransactionRole, own_transaction, role_in, role_of, transaction_in
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.mapped_file import Source
from trailformat.errors import TrailError
from trailformat.records import framing
from trailformat.records.record_header import IO_TYPE_AT, NO_TRANSACTION, TRANS_IND_AT, CarriedTransaction, Transaction
from trailformat.trail.file import TrailFile
from trailformat.trail.sequence import TrailName, previous_file

if TYPE_CHECKING:
    from trailformat.records.record import Record


_MOST_RECORDS = 1 << 22
"""Maximum number of records read for one answer, over all files; beyond it the answer is unknown."""
_MARK_EVERY = 1 << 10
_MOST_MARKS = 1 << 16


class Stop(enum.Enum):
    """The end of a walk back: the first record of a transaction, a record that ends one, damage, the file's start."""

    BEGIN = enum.auto()
    CLOSED = enum.auto()
    DAMAGE = enum.auto()
    FILE_START = enum.auto()


class WayBack:
    """A walk back over the records before a position, to the beginning of the transaction that is open there.

    Args:
        buffer: the bytes of the file.
        rba: the position, where a record begins or the file ends.
        order: the byte order that is tried first.
        is_fragment: whether a record fragment is there, which may belong to a transaction that has ended.

    Attributes:
        rba: of the record reached; at the end of another transaction, of the record after that.
        length: its length.
        order: its byte order.
        role: its role.
        is_inside: whether a record of the transaction was passed.
        has_ended: whether that was its last one, so that only fragments may follow.
    """

    def __init__(self, buffer: Source, rba: int, order: ByteOrder, *, is_fragment: bool = False) -> None:
        self._buffer = buffer
        self._is_fragment = is_fragment
        self.rba, self.length, self.order = rba, 0, order
        self.role = TransactionRole.OUTSIDE
        self.is_inside = self.has_ended = False

    def step(self) -> Stop | None:
        """Go back by one record; return None while the transaction may have begun earlier."""
        if self.rba <= 0:
            return Stop.FILE_START
        before = _record_before(self._buffer, self.rba, self.order)
        if before is None:
            return Stop.DAMAGE
        role = _role_at(self._buffer, before[0])
        if role is TransactionRole.RESTART or (TransactionRole.ENDS in role and not self._is_fragment):
            return Stop.CLOSED
        (self.rba, self.length, self.order), self.role = before, role
        if role not in (TransactionRole.OUTSIDE, TransactionRole.FRAGMENT):
            self.is_inside, self._is_fragment = True, False
            self.has_ended |= TransactionRole.ENDS in role
        return Stop.BEGIN if TransactionRole.BEGINS in role else None


class TransactionSearch:
    """Finds the transactions that continue at positions of one file, and caches positions on the way.

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
        """The transaction that continues, by RBA, for some of the records that neither begin nor end one."""

    def carried_at(self, rba: int, order: ByteOrder, *, is_fragment: bool = False) -> CarriedTransaction | None:
        """Return the transaction that continues in the record at ``rba``, which begins none; None if none is open.

        None is open if the previous transaction has ended or was cut by a restart of Extract, or damage is between; a
        fragment also continues one that has ended. The transaction is empty if its first record is missing.
        """
        walk = _Walk(self._marks, _MOST_RECORDS if self._left is None else self._left)
        try:
            carried = walk.back(self._trail, rba, order, is_fragment=is_fragment)
        except TrailError:
            carried = None
        if self._left is not None:
            self._left = walk.left
            if walk.is_exhausted:
                self.is_exhausted = True
                return carried
        self.is_exhausted = walk.is_exhausted
        if len(self._marks) > _MOST_MARKS:
            self._marks.clear()
        places = walk.passed if is_fragment else [rba, *walk.passed]
        self._marks.update(dict.fromkeys(places, carried.transaction if carried is not None else NO_TRANSACTION))
        return carried


class _Walk:
    """A search over a file and the files before it.

    Attributes:
        passed: some of the records passed in the first file.
        left: number of records that may still be read.
        is_exhausted: True if it ended at that limit.
    """

    def __init__(self, marks: dict[int, Transaction], most_records: int) -> None:
        self.passed: list[int] = []
        self.left = most_records
        self.is_exhausted = False
        self._marks = marks

    def back(self, trail: TrailFile, rba: int, order: ByteOrder, *, is_fragment: bool) -> CarriedTransaction | None:
        """Return the transaction that continues at ``rba``.

        Raises:
            TrailError: an earlier file cannot be read.
        """
        way = WayBack(trail.bytes, min(rba, trail.refresh()), order, is_fragment=is_fragment)
        answer = self._in_file(trail, way, self._marks, self.passed)
        if not isinstance(answer, _FileStart):
            return answer
        edge, carried = _edge(way), self._at_beginning(trail)
        return carried._replace(has_ended=edge is not None and edge.has_ended) if carried is not None else edge

    def _at_beginning(self, trail: TrailFile) -> CarriedTransaction | None:
        """Return the transaction open at the beginning of a file, from the files before it. Raises like back."""
        known, passed = trail.beginnings, [trail.path]
        carried = None
        try:
            carried = self._before(trail, known, passed)
        finally:
            if not self.is_exhausted:
                known.update(dict.fromkeys(passed, carried))
        return carried

    def _before(
        self, trail: TrailFile, known: Mapping[Path, CarriedTransaction | None], passed: list[Path]
    ) -> CarriedTransaction | None:
        """Return it without the cache; append to ``passed`` the files at whose beginning it is open too."""
        seqno, is_inside = _seqno(trail), False
        while not self.is_exhausted:
            if passed[-1] in known:
                return known[passed[-1]]
            path, _ = previous_file(passed[-1])
            if path is None:
                break
            with TrailFile(path) as earlier:
                later, seqno = seqno, _seqno(earlier)
                if later is not None and seqno is not None and not _follows(passed[-1], later, seqno):
                    break
                self.left -= 1
                way = WayBack(earlier.bytes, earlier.size, earlier.order)
                way.is_inside = is_inside
                answer = self._in_file(earlier, way, {}, [])
            if not isinstance(answer, _FileStart):
                return answer
            is_inside = way.is_inside
            passed.append(path)
        return None

    def _in_file(
        self, trail: TrailFile, way: WayBack, marks: dict[int, Transaction], passed: list[int]
    ) -> CarriedTransaction | _FileStart | None:
        """Return the transaction that continues at the start of the way if it begins in this file."""
        known = trail.known.open_transactions if trail.known is not None else {}
        while way.rba > 0:
            if self.left <= 0:
                self.is_exhausted = True
                return _edge(way)
            stop = way.step()
            if stop is Stop.BEGIN:
                begun = _transaction_at(trail.bytes, way.rba, way.length, way.order)
                return CarriedTransaction(begun, way.has_ended)
            if stop is not None:
                return _edge(way)
            if way.role in (TransactionRole.INSIDE, TransactionRole.OUTSIDE):
                if transaction := marks.get(way.rba) or known.get(way.rba):
                    return CarriedTransaction(transaction, way.has_ended)
                if (self.left - 1) % _MARK_EVERY == 0:
                    passed.append(way.rba)
            self.left -= 1
        return _FileStart()


def _edge(way: WayBack) -> CarriedTransaction | None:
    """Return the answer for a way whose transaction cannot have earlier records."""
    return CarriedTransaction(NO_TRANSACTION, way.has_ended) if way.is_inside else None


def _follows(path: Path, later: int, earlier: int) -> bool:
    """Return whether the numbers in two file headers are consecutive; ``path`` is the later file."""
    name = TrailName.parse(path)
    return name is not None and (later - earlier) % 10**name.digits == 1


class _FileStart:
    """The walk has reached the start of the file: the transaction, if one is open, began in an earlier file."""


def _record_before(buffer: Source, end: int, order: ByteOrder) -> tuple[int, int, ByteOrder] | None:
    """Return RBA, length and order of the sound record that ends at ``end``, ``order`` tried first; None: none."""
    for tried in (order, order.other):
        start = framing.start_before(buffer, end, tried)
        if start is not None:
            return start, end - start, tried
    return None


def _transaction_at(buffer: Source, rba: int, length: int, order: ByteOrder) -> Transaction:
    """Return the transaction in the tokens of the sound record at ``rba``."""
    _, places = framing.frame_at(buffer, rba, rba + length, order)
    start, size = next(((start, size) for token, _, start, size in places if token == ord("T")), (0, 0))
    return transaction_in(buffer, rba + start, size, order)


def _role_at(buffer: Source, rba: int) -> TransactionRole:
    if buffer[rba] == framing.FILE_HEADER:
        return TransactionRole.OUTSIDE
    header = framing.header_at(buffer, rba)
    return role_in(buffer[header + IO_TYPE_AT], buffer[header + TRANS_IND_AT])


def _seqno(trail: TrailFile) -> int | None:
    """Return the seqno in the file header; None without one."""
    header = trail.file_header
    return header.seqno if header is not None else None


class TransactionContext:
    """Follows LOGCSN and TRANID through the records of one file.

    Records read in the order of the file, backwards, or twice cost nothing extra; after a jump the beginning of the
    transaction is searched backwards, in earlier files too (:class:`TransactionSearch`).

    Args:
        trail: the file.
        most_records: maximum number of records to walk back over for all answers together; None: _MOST_RECORDS for
            each.

    Attributes:
        is_decided: True if the search for the last answer ended before its limit.
    """

    def __init__(self, trail: TrailFile, most_records: int | None = None) -> None:
        self._search = TransactionSearch(trail, most_records)
        self.is_decided = True
        self._expected_rba = 0
        self._open = NO_TRANSACTION
        self._is_open = self._has_ended = False
        self._begin = -1
        self._goes_on: Transaction | None = None
        """The transaction that continues in the record at ``_begin``; None if it begins there or is unknown."""
        self._last = (-1, NO_TRANSACTION)

    def of(self, record: Record) -> Transaction:
        """Return the transaction of ``record``; empty if it is outside of any."""
        if record.rba != self._last[0]:
            self._last = record.rba, self._find(record)
        return self._last[1]

    def of_row(self, record: Record, own: Transaction) -> Transaction:
        """Return the transaction of a record inside of a transaction, given its own tokens."""
        if record.rba != self._last[0]:
            self._last = record.rba, self._find_inside(record, own)
        return self._last[1]

    def open_at(self, rba: int) -> Transaction | None:
        """Return the transaction open at ``rba`` if the record before it was read last; None if unknown."""
        return self._open if self._is_open and rba == self._expected_rba else None

    def learn(self, record: Record, transaction: Transaction) -> None:
        """Set the transaction of ``record``, found elsewhere."""
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
            self._open, self.is_decided = own, True
        elif later is not None and not ends and (later != NO_TRANSACTION or not is_fragment):
            self._open, self._is_open, self._has_ended = later, False, is_fragment
        elif not (follows and (self._is_open or (is_fragment and self._has_ended))):
            is_first = self._look_for(record, is_fragment=is_fragment)
        if not is_fragment:
            self._is_open, self._has_ended = not ends, ends
        self._goes_on = None if is_first else self._open
        return self._open

    def _look_for(self, record: Record, *, is_fragment: bool) -> bool:
        """Search for the transaction that continues in a record; return True if none does."""
        carried = self._search.carried_at(record.rba, record.order, is_fragment=is_fragment)
        self.is_decided = not self._search.is_exhausted
        self._open, has_ended = carried if carried is not None else (NO_TRANSACTION, False)
        self._is_open, self._has_ended = carried is not None and not has_ended, has_ended
        return carried is None and self.is_decided


def transaction_at(trail: TrailFile, rba: int) -> Transaction:
    """Return the transaction of the record at ``rba``, which may begin in an earlier file; empty if unknown."""
    try:
        record = trail.record_at(rba)
    except TrailError:
        return NO_TRANSACTION
    return TransactionContext(trail).of(record) if record is not None else NO_TRANSACTION
