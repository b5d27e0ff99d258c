"""The search for the beginning of a transaction, back from a record in which it continues.

A transaction may begin in the file before: a trail rolls over to the next file when the current one is full. That file
is read when it has a trail's name with the number before, the file headers do not contradict, and a sound record ends
where it ends.
"""

from __future__ import annotations

import enum
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
from trailformat.trail.sequence import TrailName, previous_file

_MOST_RECORDS = 1 << 22
"""Maximum number of records read for one answer, in all files together; then the answer is unknown."""
_MARK_EVERY = 1 << 10
_MOST_MARKS = 1 << 16


class Stop(enum.Enum):
    """What ends a walk back: the first record of a transaction, a record that closes one, damage, the file's start."""

    BEGIN = enum.auto()
    CLOSED = enum.auto()
    DAMAGE = enum.auto()
    FILE_START = enum.auto()


class WayBack:
    """The walk back over the records before a place, to the beginning of the transaction that is open there.

    Args:
        buffer: the bytes of the file.
        rba: the place, where a record begins or the file ends.
        order: the byte order that is tried first.
        is_fragment: whether a record fragment is there, which belongs to a transaction that has ended too.

    Attributes:
        rba, length, order: of the record that was reached; where that closes a transaction, of the one after it.
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
        """Go back by one record; None as long as the transaction may have begun before it."""
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
    """One search, over a file and the files before it.

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

    def back(self, trail: TrailFile, rba: int, order: ByteOrder, *, is_fragment: bool) -> CarriedTransaction | None:
        """Return the transaction that continues at ``rba``.

        Raises:
            TrailError: there is no file before, or it cannot be read.
        """
        way = WayBack(trail.bytes, min(rba, trail.refresh()), order, is_fragment=is_fragment)
        answer = self._in_file(trail, way, self._marks, self.passed)
        if not isinstance(answer, _FileStart):
            return answer
        edge, found = _edge(way), self._at_beginning(trail)
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
        """Return the transaction that continues where the way begins, if it begins in the file."""
        known = trail.known.open_transactions if trail.known is not None else {}
        while way.rba > 0:
            if self.left <= 0:
                self.is_exhausted = True
                return _edge(way)
            stop = way.step()
            if stop is Stop.BEGIN:
                found = _transaction_at(trail.bytes, way.rba, way.length, way.order)
                return CarriedTransaction(found, way.has_ended)
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
    """Return the answer if no earlier record can belong to the transaction."""
    return CarriedTransaction(NO_TRANSACTION, way.has_ended) if way.is_inside else None


def _follows(path: Path, later: int, earlier: int) -> bool:
    """Whether the numbers in two file headers are those of neighbours, ``path`` being the later file."""
    name = TrailName.parse(path)
    return name is not None and (later - earlier) % 10**name.digits == 1


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
