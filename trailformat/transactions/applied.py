"""What a Replicat applies of a trail: its whole transactions up to the first damage, of several copies the first.

    CSN 10  CSN 20  (cut 30)  CSN 30  CSN 40  CSN 30  CSN 50  damage  CSN 60
    x       x                 x       x       a copy  x

Transactions stand in the order of their CSNs, so that only one at or below the greatest CSN so far can have come
before; the trail is read again where the CSNs rose past it, to tell. There is no table of all transactions.

A Replicat abends at damage, and at a file that is no trail. After a missing file it goes on once that is there.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import OrderedDict
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import Any, NamedTuple

import numpy as np

from trailformat.changes.csn import CsnKey, csn_key
from trailformat.records.record_header import Transaction
from trailformat.scan import StringColumn
from trailformat.transactions.batches import DAMAGE, LAST, TransactionBatch
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

Array = np.ndarray[Any, Any]

MOST_KNOWN = 100_000
"""Maximum number of transactions of the greatest CSN, and of those out of order, whose first copy is remembered."""
MOST_CHECKPOINTS = 1 << 15
_REGIONS = 4
_ZERO, _NINE = b"09"
_HEXADECIMAL = (b"AF", b"af")

Name = tuple[str, str]
"""LOGCSN and TRANID."""


class OrderVerdict(NamedTuple):
    """A whole transaction at or below the greatest CSN before it.

    Attributes:
        row: its row in the batch.
        copy_of: where it stands first; None when this is the first, which is applied.
        goes_back: whether its CSN is below that of the whole transaction right before it.
        is_below: whether its CSN is below the greatest, which is ``greatest``.
    """

    row: int
    copy_of: TrailPosition | None
    goes_back: bool
    is_below: bool
    greatest: str


class BatchVerdict(NamedTuple):
    """The decision about the transactions of a batch.

    Attributes:
        verdicts: the whole transactions that are not simply the next ones in the order of their CSNs.
        not_applied: the rows that a Replicat does not apply, in order.
    """

    verdicts: list[OrderVerdict]
    not_applied: list[int]

    @property
    def copies(self) -> dict[int, TrailPosition]:
        """The position of the first copy, by the row of each later one."""
        return {one.row: one.copy_of for one in self.verdicts if one.copy_of is not None}


class AppliedState(NamedTuple):
    """What is known at a place of a trail, for one that goes on from there.

    Attributes:
        rises: the greatest CSN of each form, and the TRANIDs of the whole transactions with it.
        is_damaged: whether there was damage, behind which nothing is applied.
    """

    rises: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_damaged: bool = False


class _Rise:
    """How the CSNs of one form have risen so far.

    Attributes:
        greatest, csn: the greatest, as parts and as text.
        previous: the parts of the one before.
        known: where the transactions with the greatest CSN stand, by TRANID.
        before, places: the greatest before each batch, and where its first whole transaction begins.
    """

    def __init__(self) -> None:
        self.greatest: tuple[int, ...] = ()
        self.previous: tuple[int, ...] = ()
        self.csn = ""
        self.known: dict[str, TrailPosition] = {}
        self.before: list[tuple[int, ...]] = []
        self.places: list[TrailPosition] = []

    def note(self, place: TrailPosition) -> None:
        """A batch begins here."""
        self.before.append(self.greatest)
        self.places.append(place)
        if len(self.places) > MOST_CHECKPOINTS:
            del self.before[1::2], self.places[1::2]

    def rise(self, parts: tuple[int, ...], csn: str, xid: str | None, place: TrailPosition) -> None:
        """A transaction with a greater CSN than all before."""
        self.greatest, self.csn = parts, csn
        self.known = {} if xid is None else {xid: place}


class AppliedTransactions:
    """Decides which transactions a Replicat applies, given the batches of a trail from its beginning on.

    Args:
        trail: the trail.
        past_damage: whether transactions after damage count too, as for a Replicat that was set to a position after it.

    Attributes:
        whole: number of whole transactions so far.
        copies: those of them that are later copies.
        behind_damage: those of them after the first damage that are no copies.
        unnamed: those of them whose CSN has no known form or which have no TRANID, so that copies are not detected.
        is_unsure: whether there were so many late ones that some copies may not have been seen.
    """

    def __init__(self, trail: WholeTrail, *, past_damage: bool = False) -> None:
        self._trail = trail
        self._past_damage = past_damage
        self._damage: TrailPosition | None = None
        self._rises: dict[str, _Rise] = {}
        self._late: dict[Name, TrailPosition] = {}
        self._regions: OrderedDict[tuple[str, TrailPosition, TrailPosition], dict[Name, TrailPosition]] = OrderedDict()
        self._unread: TrailPosition | None = None
        self.whole = self.copies = self.behind_damage = self.unnamed = 0
        self.is_unsure = False

    @property
    def applied(self) -> int:
        """The transactions so far that a Replicat applies."""
        return self.whole - self.copies - self.behind_damage

    def greatest(self, kind: str) -> tuple[int, ...]:
        """The greatest CSN of a form so far; nothing where there was none."""
        return self._rises[kind].greatest if kind in self._rises else ()

    @property
    def state(self) -> AppliedState:
        """What is known so far."""
        rises = tuple((rise.csn, tuple(rise.known)) for rise in self._rises.values())
        return AppliedState(rises, self._damage is not None)

    def resume(self, state: AppliedState, place: TrailPosition) -> None:
        """Go on from a place; what stands before it is read once more where a copy can stand there, and only then."""
        for csn, xids in state.rises:
            if (key := csn_key(csn)) is not None:
                rise = self._rise(key.kind)
                rise.rise(key.parts, csn, None, place)
                rise.previous, rise.known = key.parts, dict.fromkeys(xids, place)
        self._damage = place if state.is_damaged else None
        self._unread = place

    def _read_before(self) -> None:
        """Find where CSNs rose, and which came late, before the place of resume."""
        stop, self._unread = self._unread, None
        if stop is None:
            return
        before = AppliedTransactions(self._trail, past_damage=True)
        for batch in transaction_batches(self._trail):
            if batch.rows and batch.first(0) >= stop:
                break
            before.judge(batch)
        for kind, earlier in before._rises.items():
            rise = self._rise(kind)
            number = bisect_left(earlier.places, stop)
            rise.before[:0], rise.places[:0] = earlier.before[:number], earlier.places[:number]
        self._late |= {name: place for name, place in before._late.items() if place < stop and name not in self._late}

    def judge(self, batch: TransactionBatch) -> BatchVerdict:
        """Decide about the next batch."""
        self._note_damage(batch)
        verdict = BatchVerdict(self._judge(batch), [])
        behind, copies = self._rows_behind_damage(batch), verdict.copies
        if behind:
            self.behind_damage += sum(row >= behind.start and row not in copies for row in batch.whole())
        return verdict._replace(not_applied=sorted({*batch.not_whole(), *copies, *behind}))

    def _note_damage(self, batch: TransactionBatch) -> None:
        if self._past_damage or self._damage is not None:
            return
        damage = (mark.place for mark in batch.marks if mark.io_type == DAMAGE)
        unreadable = (TrailPosition(self._trail.ordinals[path], 0) for path in self._trail.unreadable)
        self._damage = min((*damage, *unreadable), default=None)

    def _rows_behind_damage(self, batch: TransactionBatch) -> range:
        """The transactions of a batch that begin behind the first damage; they stand in the order of the trail."""
        if self._damage is None:
            return range(0)
        return range(bisect_right(range(batch.rows), self._damage, key=batch.first), batch.rows)

    def _judge(self, batch: TransactionBatch) -> list[OrderVerdict]:
        found = self._judge_columns(batch) if batch.texts else None
        return found if found is not None else self._judge_rows(batch, range(batch.rows))

    def _judge_columns(self, batch: TransactionBatch) -> list[OrderVerdict] | None:
        """The same where CSNs of one form rise from row to row; None where they do not."""
        rows = _rising_rows(batch)
        if rows is None:
            return None
        first, last, number = rows
        verdicts = self._judge_rows(batch, range(batch.carried))
        start, end = csn_key(batch.csns[first] or ""), csn_key(batch.csns[last] or "")
        if start is None or end is None or start.kind != end.kind:
            return verdicts + self._judge_rows(batch, range(batch.carried, batch.rows))
        rise = self._rise(start.kind)
        if start.parts <= rise.greatest:
            return verdicts + self._judge_rows(batch, range(batch.carried, batch.rows))
        rise.note(batch.first(first))
        rise.rise(end.parts, batch.csns[last] or "", batch.xids[last], batch.first(last))
        rise.previous = end.parts
        self.whole += number
        return verdicts

    def _rise(self, kind: str) -> _Rise:
        return self._rises.setdefault(kind, _Rise())

    def _judge_rows(self, batch: TransactionBatch, rows: range) -> list[OrderVerdict]:
        noted: set[str] = set()
        return [one for row in rows if batch.is_whole(row) and (one := self._judge_row(batch, row, noted)) is not None]

    def _judge_row(self, batch: TransactionBatch, row: int, noted: set[str]) -> OrderVerdict | None:
        """``noted``: the forms of CSN for which these rows have been noted."""
        self.whole += 1
        csn, xid, place = batch.csns[row], batch.xids[row], batch.first(row)
        key = csn_key(csn) if csn else None
        self.unnamed += key is None or xid is None
        if key is None or csn is None:
            return None
        rise = self._rise(key.kind)
        if key.kind not in noted:
            noted.add(key.kind)
            rise.note(place)
        goes_back, rise.previous = key.parts < rise.previous, key.parts
        if key.parts > rise.greatest:
            rise.rise(key.parts, csn, xid, place)
            return None
        is_below = key.parts < rise.greatest
        last = batch.first(batch.rows - 1)
        copy_of = self._first_copy(key.kind, key.parts, (csn, xid), place, last) if xid is not None else None
        self.copies += copy_of is not None
        return OrderVerdict(row, copy_of, goes_back, is_below, rise.csn)

    def _first_copy(
        self, kind: str, parts: tuple[int, ...], name: Name, place: TrailPosition, last: TrailPosition
    ) -> TrailPosition | None:
        """The place before ``place`` of a transaction that stands first; ``last``: of the last one in the batch."""
        rise = self._rises[kind]
        if parts == rise.greatest:
            return self._known_or_added(rise.known, name[1], place)
        self._read_before()
        if name in self._late:
            return self._late[name]
        at = bisect_left(rise.before, parts) - 1
        while 0 <= at < len(rise.places) and rise.before[at] <= parts:
            first = self._region(kind, at, last).get(name)
            if first is not None and first < place:
                return first
            at += 1
        return self._known_or_added(self._late, name, place)

    def _known_or_added(self, known: dict[Any, TrailPosition], name: Any, place: TrailPosition) -> TrailPosition | None:
        if name in known:
            return known[name]
        if len(known) < MOST_KNOWN:
            known[name] = place
        else:
            self.is_unsure = True
        return None

    def _region(self, kind: str, at: int, last: TrailPosition) -> dict[Name, TrailPosition]:
        """The first whole copies between two checkpoints, or behind the last one and before ``last``."""
        places = self._rises[kind].places
        bounds = (kind, places[at], places[at + 1] if at + 1 < len(places) else last)
        if bounds in self._regions:
            self._regions.move_to_end(bounds)
            return self._regions[bounds]
        found: dict[Name, TrailPosition] = {}
        for name, place in self._names(bounds[1], bounds[2]):
            found.setdefault(name, place)
        self._regions[bounds] = found
        if len(self._regions) > _REGIONS:
            self._regions.popitem(last=False)
        return found

    def _names(self, start: TrailPosition, stop: TrailPosition) -> Iterator[tuple[Name, TrailPosition]]:
        for batch in transaction_batches(self._trail, start):
            for row in range(batch.rows):
                place = batch.first(row)
                if place >= stop:
                    return
                csn, xid = batch.csns[row], batch.xids[row]
                if csn is not None and xid is not None and batch.is_whole(row):
                    yield (csn, xid), place


def _rising_rows(batch: TransactionBatch) -> tuple[int, int, int] | None:
    """The first and the last whole transaction behind those carried, and how many there are; None where it is unsure.

    Texts of one length compare as their numbers do where each place holds digits of one alphabet, or one character.
    """
    texts = batch.texts
    table = _table_of(texts) if texts is not None else None
    if table is None:
        return None
    endings, has_begin = (np.asarray(one)[batch.carried :] for one in (batch.columns.endings, batch.columns.has_begin))
    rows = np.flatnonzero((endings == LAST) & (has_begin != 0))
    table = table[rows]
    if not len(rows) or not _is_comparable(table):
        return None
    keys = np.ascontiguousarray(table).view(f"S{table.shape[1]}").ravel()
    if not (keys[1:] > keys[:-1]).all():
        return None
    return int(rows[0]) + batch.carried, int(rows[-1]) + batch.carried, len(rows)


def _table_of(texts: StringColumn) -> Array | None:
    """The bytes of each text; None where they differ in length."""
    sizes = np.asarray(texts.sizes)
    width = int(sizes[0])
    if width <= 0 or (sizes != width).any():
        return None
    start = int(texts.starts[0])
    return np.frombuffer(texts.data, np.uint8, len(sizes) * width, start).reshape(len(sizes), width)


def _is_comparable(table: Array) -> bool:
    is_digit = (table >= _ZERO) & (table <= _NINE)
    others = np.flatnonzero(~is_digit.all(axis=0))
    for at in others.tolist():
        column = table[:, at]
        is_same = (column == column[0]).all()
        if not is_same and not any((is_digit[:, at] | ((column >= a) & (column <= f))).all() for a, f in _HEXADECIMAL):
            return False
    return True


class TransactionName(NamedTuple):
    """What identifies a transaction and its copies."""

    csn: str
    xid: str
    key: CsnKey

    @staticmethod
    def of(csn: str | None, xid: str | None) -> TransactionName | None:
        """The name of a transaction; None where its CSN has no known form, or it has no TRANID."""
        key = csn_key(csn) if csn is not None and xid is not None else None
        return TransactionName(csn, xid, key) if key is not None and csn is not None and xid is not None else None

    def names(self, transaction: Transaction) -> bool:
        """Whether a transaction has this name."""
        return transaction == (self.csn, self.xid)

    def is_passed_at(self, csn: str | None) -> bool:
        """Whether CSNs have risen past this one with a transaction: from there on, a Replicat skips its copies."""
        key = csn_key(csn) if csn is not None else None
        return key is not None and key.kind == self.key.kind and key > self.key


class AwaitedCopies:
    """Transactions whose whole copies are looked for in the judged batches of a trail.

    Attributes:
        is_unsure: whether there were so many at a time that the copies of some were not looked for.
    """

    def __init__(self) -> None:
        self.is_unsure = False
        self._waiting: dict[tuple[str, str], list[TrailPosition]] = {}
        self._ahead: dict[str, list[tuple[tuple[int, ...], tuple[str, str]]]] = {}

    def add(self, csn: str | None, xid: str | None, place: TrailPosition) -> None:
        """Await the copy of a transaction that begins at a place; one without a name has none."""
        name = TransactionName.of(csn, xid)
        if name is None:
            return
        identity = (name.csn, name.xid)
        if (places := self._waiting.get(identity)) is not None:
            places.append(place)
        elif len(self._waiting) < MOST_KNOWN:
            self._waiting[identity] = [place]
            heappush(self._ahead.setdefault(name.key.kind, []), (name.key.parts, identity))
        else:
            self.is_unsure = True

    def found(
        self, batch: TransactionBatch, verdicts: Iterable[OrderVerdict], judge: AppliedTransactions
    ) -> Iterator[tuple[int, list[TrailPosition]]]:
        """The rows of a judged batch that are awaited copies, and the places of those that they are copies of."""
        if not self._waiting:
            return
        for one in verdicts:
            yield from self._taken(batch, one.row)
        reached = [kind for kind, ahead in self._ahead.items() if ahead and ahead[0][0] <= judge.greatest(kind)]
        for row in range(batch.rows) if reached else ():
            yield from self._taken(batch, row)
        for kind in reached:
            ahead, greatest = self._ahead[kind], judge.greatest(kind)
            while ahead and ahead[0][0] < greatest:
                # its copies are out of order from now on
                heappop(ahead)

    def _taken(self, batch: TransactionBatch, row: int) -> Iterator[tuple[int, list[TrailPosition]]]:
        csn, xid = batch.csns[row], batch.xids[row]
        if csn is None or xid is None or (csn, xid) not in self._waiting or not batch.is_whole(row):
            return
        places = self._waiting[csn, xid]
        # the places of one transaction are in trail order
        before = bisect_left(places, batch.first(row))
        if not before:
            return
        yield row, places[:before]
        del places[:before]
        if not places:
            del self._waiting[csn, xid]
