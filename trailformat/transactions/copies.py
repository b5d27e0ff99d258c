"""The whole copies of transactions that come after them: Extract writes once more what a restart has cut.

CSNs rise along a trail. A copy comes when they reach its own, and out of order after that.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from heapq import heappop, heappush
from typing import NamedTuple

from trailformat.changes.csn import CsnKey, csn_key
from trailformat.records.transaction import Transaction
from trailformat.transactions.applied import MOST_KNOWN, AppliedTransactions, OrderVerdict
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.whole_trail import TrailPosition


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
