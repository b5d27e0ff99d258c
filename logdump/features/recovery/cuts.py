"""Cut transactions, and their whole copies later in the trail."""

from __future__ import annotations

from bisect import bisect_left
from heapq import heappop, heappush
from typing import NamedTuple

from logdump.features.recovery.lists import MOST_LISTED
from trailformat.changes.csn import csn_key
from trailformat.transactions.applied import MOST_KNOWN, AppliedTransactions, Name, OrderVerdict
from trailformat.transactions.batches import TransactionBatch
from trailformat.transactions.extent import Ended
from trailformat.transactions.whole_trail import TrailPosition


class Seen(NamedTuple):
    """One transaction of a batch, kept after the batch is gone."""

    csn: str | None
    xid: str | None
    first: TrailPosition
    has_begin: bool
    after: TrailPosition | None
    records: int
    size: int
    ended: Ended

    @property
    def name(self) -> Name | None:
        """LOGCSN and TRANID; None where one of them lacks."""
        return (self.csn, self.xid) if self.csn is not None and self.xid is not None else None


def seen(batch: TransactionBatch, row: int) -> Seen:
    """Return one row of a batch."""
    records, size = int(batch.columns.records[row]), int(batch.columns.sizes[row])
    has_begin = bool(batch.columns.has_begin[row])
    place, ended = batch.first(row), batch.ended(row)
    return Seen(batch.csns[row], batch.xids[row], place, has_begin, batch.after(row), records, size, ended)


class Cuts:
    """The cut transactions of a trail, collected batch by batch.

    Attributes:
        found: cut transactions in trail order, at most MOST_LISTED.
        number: their number.
        again: the whole copies of the transactions in ``found``.
        lost: number of cut transactions without a copy so far.
        is_unsure: True if the copies of some were not looked for, because too many were pending at a time.
    """

    def __init__(self) -> None:
        self.found: list[Seen] = []
        self.number = self.lost = 0
        self.again: dict[TrailPosition, Seen] = {}
        self.is_unsure = False
        self._shown: set[TrailPosition] = set()
        self._waiting: dict[Name, list[TrailPosition]] = {}
        self._ahead: dict[str, list[tuple[tuple[int, ...], Name]]] = {}

    def add(self, cut: Seen, *, is_shown: bool = False) -> None:
        """Take one more in; its copy is waited for. ``is_shown``: it is shown with a restart, if it is not listed."""
        self.number += 1
        self.lost += 1
        if len(self.found) < MOST_LISTED:
            self.found.append(cut)
            is_shown = True
        if is_shown:
            self._shown.add(cut.first)
        name = cut.name
        key = csn_key(name[0]) if name is not None else None
        if name is None or key is None:
            return
        if (places := self._waiting.get(name)) is not None:
            places.append(cut.first)
        elif len(self._waiting) < MOST_KNOWN:
            self._waiting[name] = [cut.first]
            heappush(self._ahead.setdefault(key.kind, []), (key.parts, name))
        else:
            self.is_unsure = True

    def look_for_copies(
        self, batch: TransactionBatch, verdicts: list[OrderVerdict], judge: AppliedTransactions
    ) -> None:
        """Find the copies of what is waited for in a judged batch, given what is out of order in it."""
        if not self._waiting:
            return
        for one in verdicts:
            self._take(batch, one.row)
        reached = [kind for kind, ahead in self._ahead.items() if ahead and ahead[0][0] <= judge.greatest(kind)]
        for row in range(batch.rows) if reached else ():
            self._take(batch, row)
        for kind in reached:
            ahead, greatest = self._ahead[kind], judge.greatest(kind)
            while ahead and ahead[0][0] < greatest:
                # its copies are out of order from now on
                heappop(ahead)

    def _take(self, batch: TransactionBatch, row: int) -> None:
        csn, xid = batch.csns[row], batch.xids[row]
        if csn is None or xid is None or (csn, xid) not in self._waiting or not batch.is_whole(row):
            return
        places = self._waiting[csn, xid]
        # the places of one transaction are in trail order
        before = bisect_left(places, batch.first(row))
        if not before:
            return
        again = seen(batch, row)
        for place in places[:before]:
            self.lost -= 1
            if place in self._shown:
                self.again[place] = again
        del places[:before]
        if not places:
            del self._waiting[csn, xid]
