"""The transactions of a trail that a Replicat applies: whole ones up to the first damage, only the first of copies.

    CSN 10  CSN 20  (cut 30)  CSN 30  CSN 40  CSN 30  CSN 50  damage  CSN 60
    x       x                 x       x       a copy  x

Transactions are in the order of their CSNs, so only one at or below the greatest CSN so far can be a copy; to decide,
the part of the trail in which the CSNs rose past it is read again. There is no table of all transactions.

A Replicat abends at damage and at a file that is not a trail file. At a missing file it continues once that exists.
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
    """The decision about a whole transaction at or below the greatest CSN before it.

    Attributes:
        row: its row in the batch.
        copy_of: the position of its first occurrence; None if it is the first, which is applied.
        goes_back: True if its CSN is below that of the whole transaction directly before it.
        is_below: True if its CSN is below ``greatest``.
        greatest: the greatest CSN before it.
    """

    row: int
    copy_of: TrailPosition | None
    goes_back: bool
    is_below: bool
    greatest: str


class BatchVerdict(NamedTuple):
    """The decision about the transactions of a batch.

    Attributes:
        verdicts: for the whole transactions whose CSN is not above all CSNs before.
        not_applied: the rows that a Replicat does not apply, ascending.
    """

    verdicts: list[OrderVerdict]
    not_applied: list[int]

    @property
    def copies(self) -> dict[int, TrailPosition]:
        """Positions of the first occurrence, by the row of each copy."""
        return {verdict.row: verdict.copy_of for verdict in self.verdicts if verdict.copy_of is not None}


class AppliedState(NamedTuple):
    """The state of AppliedTransactions at a position of a trail, to resume from there.

    Attributes:
        rises: the greatest CSN of each form, and the TRANIDs of the whole transactions with it.
        is_damaged: True if there was damage, after which nothing is applied.
    """

    rises: tuple[tuple[str, tuple[str, ...]], ...] = ()
    is_damaged: bool = False


class _Rise:
    """The rise of the CSNs of one form so far.

    Attributes:
        greatest, csn: the greatest CSN, as parts and as text.
        previous: the parts of the CSN of the last whole transaction.
        known: positions of the transactions with the greatest CSN, by TRANID.
        before, places: checkpoints: the greatest CSN before a batch, and the position of its first whole transaction.
    """

    def __init__(self) -> None:
        self.greatest: tuple[int, ...] = ()
        self.previous: tuple[int, ...] = ()
        self.csn = ""
        self.known: dict[str, TrailPosition] = {}
        self.before: list[tuple[int, ...]] = []
        self.places: list[TrailPosition] = []

    def note(self, place: TrailPosition) -> None:
        """Add a checkpoint at the first whole transaction of a batch; of too many every second one is dropped."""
        self.before.append(self.greatest)
        self.places.append(place)
        if len(self.places) > MOST_CHECKPOINTS:
            del self.before[1::2], self.places[1::2]

    def rise(self, parts: tuple[int, ...], csn: str, xid: str | None, place: TrailPosition) -> None:
        """Set the greatest CSN, and the transaction with it."""
        self.greatest, self.csn = parts, csn
        self.known = {} if xid is None else {xid: place}


class AppliedTransactions:
    """Decides which transactions a Replicat applies, given the batches of a trail from its beginning on.

    Args:
        trail: the trail.
        past_damage: True if transactions after damage can be applied, as by a Replicat positioned after it.

    Attributes:
        whole: number of whole transactions so far.
        copies: number of these that are copies of earlier ones.
        after_damage: number of these after the first damage that are not copies.
        unnamed: number of these without TRANID or with a CSN of unknown form, whose copies are not detected.
        is_unsure: True if there were more than MOST_KNOWN of the greatest CSN or out of order, so that some copies may
            not have been detected.
    """

    def __init__(self, trail: WholeTrail, *, past_damage: bool = False) -> None:
        self._trail = trail
        self._past_damage = past_damage
        self._damage: TrailPosition | None = None
        self._rises: dict[str, _Rise] = {}
        self._late: dict[Name, TrailPosition] = {}
        self._regions: OrderedDict[tuple[str, TrailPosition, TrailPosition], dict[Name, TrailPosition]] = OrderedDict()
        self._unread: TrailPosition | None = None
        self.whole = self.copies = self.after_damage = self.unnamed = 0
        self.is_unsure = False

    @property
    def applied(self) -> int:
        """Number of transactions so far that a Replicat applies."""
        return self.whole - self.copies - self.after_damage

    def is_after_damage(self, place: TrailPosition) -> bool:
        """Return True if a position is after the first damage, where a Replicat has abended."""
        return self._damage is not None and self._damage <= place

    def greatest(self, kind: str) -> tuple[int, ...]:
        """Return the greatest CSN of a form so far, as parts; empty if there was none."""
        return self._rises[kind].greatest if kind in self._rises else ()

    @property
    def state(self) -> AppliedState:
        """The current state, to resume from."""
        rises = tuple((rise.csn, tuple(rise.known)) for rise in self._rises.values())
        return AppliedState(rises, self._damage is not None)

    def resume(self, state: AppliedState, place: TrailPosition) -> None:
        """Continue from a position; the trail before it is read again only to check for copies of its transactions."""
        for csn, xids in state.rises:
            if (key := csn_key(csn)) is not None:
                rise = self._rise(key.kind)
                rise.rise(key.parts, csn, None, place)
                rise.previous, rise.known = key.parts, dict.fromkeys(xids, place)
        # what begins at the place itself is behind the damage
        self._damage = place._replace(rba=place.rba - 1) if state.is_damaged else None
        self._unread = place

    def _read_before(self) -> None:
        """Read the trail before the position of ``resume`` for its checkpoints and its transactions out of order."""
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
        """Return the decision about the next batch."""
        self._note_damage(batch)
        verdict = BatchVerdict(self._judge(batch), [])
        rows_after, copies = self._rows_after_damage(batch), verdict.copies
        if rows_after:
            self.after_damage += sum(row >= rows_after.start and row not in copies for row in batch.whole())
        return verdict._replace(not_applied=sorted({*batch.not_whole(), *copies, *rows_after}))

    def _note_damage(self, batch: TransactionBatch) -> None:
        if self._past_damage or self._damage is not None:
            return
        damage = (mark.place for mark in batch.marks if mark.io_type == DAMAGE)
        unreadable = (TrailPosition(self._trail.ordinals[path], 0) for path in self._trail.unreadable)
        self._damage = min((*damage, *unreadable), default=None)

    def _rows_after_damage(self, batch: TransactionBatch) -> range:
        """Return the rows of the transactions that begin after the first damage; rows are in trail order."""
        if self._damage is None:
            return range(0)
        return range(bisect_right(range(batch.rows), self._damage, key=batch.first), batch.rows)

    def _judge(self, batch: TransactionBatch) -> list[OrderVerdict]:
        verdicts = self._judge_columns(batch) if batch.texts else None
        return verdicts if verdicts is not None else self._judge_rows(batch, range(batch.rows))

    def _judge_columns(self, batch: TransactionBatch) -> list[OrderVerdict] | None:
        """Return the same as ``_judge_rows`` if CSNs of one form rise from row to row; else None."""
        rows = _rising_rows(batch)
        if rows is None:
            return None
        first, last, number, unnamed = rows
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
        self.unnamed += unnamed
        return verdicts

    def _rise(self, kind: str) -> _Rise:
        return self._rises.setdefault(kind, _Rise())

    def _judge_rows(self, batch: TransactionBatch, rows: range) -> list[OrderVerdict]:
        noted: set[str] = set()
        return [
            verdict
            for row in rows
            if batch.is_whole(row) and (verdict := self._judge_row(batch, row, noted)) is not None
        ]

    def _judge_row(self, batch: TransactionBatch, row: int, noted: set[str]) -> OrderVerdict | None:
        """Return the verdict on a whole transaction; None if its CSN is above all before, or has no known form.

        ``noted`` has the forms of CSN for which this batch has added a checkpoint.
        """
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
        """Return the first occurrence before ``place``; None without one. ``last``: the batch's last transaction."""
        rise = self._rises[kind]
        if parts == rise.greatest:
            return self._known_or_added(rise.known, name[1], place)
        self._read_before()
        if name in self._late:
            return self._late[name]
        index = bisect_left(rise.before, parts) - 1
        while 0 <= index < len(rise.places) and rise.before[index] <= parts:
            first = self._region(kind, index, last).get(name)
            if first is not None and first < place:
                return first
            index += 1
        return self._known_or_added(self._late, name, place)

    def _known_or_added(self, known: dict[Any, TrailPosition], name: Any, place: TrailPosition) -> TrailPosition | None:
        if name in known:
            return known[name]
        if len(known) < MOST_KNOWN:
            known[name] = place
        else:
            self.is_unsure = True
        return None

    def _region(self, kind: str, index: int, last: TrailPosition) -> dict[Name, TrailPosition]:
        """Return the first whole occurrences from a checkpoint to the next one, or to before ``last``; cached."""
        places = self._rises[kind].places
        bounds = (kind, places[index], places[index + 1] if index + 1 < len(places) else last)
        if bounds in self._regions:
            self._regions.move_to_end(bounds)
            return self._regions[bounds]
        occurrences: dict[Name, TrailPosition] = {}
        for name, place in self._names(bounds[1], bounds[2]):
            occurrences.setdefault(name, place)
        self._regions[bounds] = occurrences
        if len(self._regions) > _REGIONS:
            self._regions.popitem(last=False)
        return occurrences

    def _names(self, start: TrailPosition, stop: TrailPosition) -> Iterator[tuple[Name, TrailPosition]]:
        for batch in transaction_batches(self._trail, start):
            for row in range(batch.rows):
                place = batch.first(row)
                if place >= stop:
                    return
                csn, xid = batch.csns[row], batch.xids[row]
                if csn is not None and xid is not None and batch.is_whole(row):
                    yield (csn, xid), place


def _rising_rows(batch: TransactionBatch) -> tuple[int, int, int, int] | None:
    """Return the first and last row of whole transactions after the carried ones, if their CSNs rise, and two numbers.

    These are the number of such rows, and of those without TRANID.

    None if they do not, or cannot be compared as texts: texts of one length compare like their numbers only if each
    column has digits of one alphabet, or one character.
    """
    texts = batch.texts
    table = _table_of(texts) if texts is not None else None
    if table is None:
        return None
    endings, has_begin = (
        np.asarray(column)[batch.carried :] for column in (batch.columns.endings, batch.columns.has_begin)
    )
    rows = np.flatnonzero((endings == LAST) & (has_begin != 0))
    table = table[rows]
    if not len(rows) or not _is_comparable(table):
        return None
    keys = np.ascontiguousarray(table).view(f"S{table.shape[1]}").ravel()
    if not (keys[1:] > keys[:-1]).all():
        return None
    unnamed = sum(batch.xids[int(row) + batch.carried] is None for row in rows[_may_lack(batch.xid_texts, rows)])
    return int(rows[0]) + batch.carried, int(rows[-1]) + batch.carried, len(rows), unnamed


def _may_lack(texts: StringColumn | None, rows: Array) -> Array:
    """Return a mask of rows: True where a text may be absent."""
    return np.asarray(texts.sizes)[rows] < 0 if texts is not None else np.ones(len(rows), bool)


def _table_of(texts: StringColumn) -> Array | None:
    """Return the bytes of the texts as an array [texts, length]; None if their lengths differ."""
    sizes = np.asarray(texts.sizes)
    width = int(sizes[0])
    if width <= 0 or (sizes != width).any():
        return None
    start = int(texts.starts[0])
    return np.frombuffer(texts.data, np.uint8, len(sizes) * width, start).reshape(len(sizes), width)


def _is_comparable(table: Array) -> bool:
    is_digit = (table >= _ZERO) & (table <= _NINE)
    others = np.flatnonzero(~is_digit.all(axis=0))
    for index in others.tolist():
        column = table[:, index]
        is_same = (column == column[0]).all()
        if not is_same and not any(
            (is_digit[:, index] | ((column >= a) & (column <= f))).all() for a, f in _HEXADECIMAL
        ):
            return False
    return True


class TransactionName(NamedTuple):
    """The identity of a transaction and its copies."""

    csn: str
    xid: str
    key: CsnKey

    @staticmethod
    def of(csn: str | None, xid: str | None) -> TransactionName | None:
        """Return the name of a transaction; None if its CSN has no known form, or it has no TRANID."""
        key = csn_key(csn) if csn is not None and xid is not None else None
        return TransactionName(csn, xid, key) if key is not None and csn is not None and xid is not None else None

    def names(self, transaction: Transaction) -> bool:
        """Return True if a transaction has this name."""
        return transaction == (self.csn, self.xid)

    def is_passed_at(self, csn: str | None) -> bool:
        """Return True if ``csn`` is greater than this one: after a transaction with it, a Replicat skips copies."""
        key = csn_key(csn) if csn is not None else None
        return key is not None and key.kind == self.key.kind and key > self.key


class AwaitedCopies:
    """Transactions whose whole copies are searched for in the judged batches of a trail.

    Attributes:
        is_unsure: True if more than MOST_KNOWN were awaited at a time: the copies of some were not searched for.
    """

    def __init__(self) -> None:
        self.is_unsure = False
        self._waiting: dict[tuple[str, str], list[TrailPosition]] = {}
        self._ahead: dict[str, list[tuple[tuple[int, ...], tuple[str, str]]]] = {}

    def add(self, csn: str | None, xid: str | None, place: TrailPosition) -> None:
        """Await the copy of a transaction that begins at ``place``; one without a name is ignored."""
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
        """Yield the rows of a judged batch that are awaited copies, each with the positions of its originals."""
        if not self._waiting:
            return
        kinds = [kind for kind, ahead in self._ahead.items() if ahead and ahead[0][0] <= judge.greatest(kind)]
        for row in range(batch.rows) if kinds else (verdict.row for verdict in verdicts):
            yield from self._copies_in_row(batch, row)
        for kind in kinds:
            ahead, greatest = self._ahead[kind], judge.greatest(kind)
            while ahead and ahead[0][0] < greatest:
                # from here on its copies are out of order, so they are in ``verdicts``
                heappop(ahead)

    def _copies_in_row(self, batch: TransactionBatch, row: int) -> Iterator[tuple[int, list[TrailPosition]]]:
        csn, xid = batch.csns[row], batch.xids[row]
        if csn is None or xid is None or (csn, xid) not in self._waiting or not batch.is_whole(row):
            return
        places = self._waiting[csn, xid]
        # the positions of one transaction are in trail order
        before = bisect_left(places, batch.first(row))
        if not before:
            return
        yield row, places[:before]
        del places[:before]
        if not places:
            del self._waiting[csn, xid]
