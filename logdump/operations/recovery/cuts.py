"""Cut transactions, and the whole copies of them that come behind."""

from __future__ import annotations

from bisect import bisect_left
from heapq import heappop, heappush
from typing import NamedTuple

from logdump.operations.recovery.lists import MOST_LISTED
from trailformat.changes.csn import csn_key
from trailformat.search.effective import MOST_KNOWN, EffectiveTrail, Name, OrderVerdict
from trailformat.search.lots import Lot
from trailformat.search.transaction_walk import Ended
from trailformat.search.whole_trail import TrailPlace


class Seen(NamedTuple):
    """A transaction as a lot tells it, kept beyond the lot."""

    csn: str | None
    xid: str | None
    first: TrailPlace
    has_begin: bool
    after: TrailPlace | None
    records: int
    size: int
    ended: Ended

    @property
    def name(self) -> Name | None:
        """LOGCSN and TRANID; None where one of them lacks."""
        return (self.csn, self.xid) if self.csn is not None and self.xid is not None else None


def seen(lot: Lot, row: int) -> Seen:
    """A row of a lot."""
    records, size = int(lot.columns.records[row]), int(lot.columns.sizes[row])
    has_begin = bool(lot.columns.has_begin[row])
    place, ended = lot.first(row), lot.ended(row)
    return Seen(lot.csns[row], lot.xids[row], place, has_begin, lot.after(row), records, size, ended)


class Cuts:
    """The cut transactions of a trail, given lot by lot.

    Attributes:
        found: cut transactions in trail order, at most MOST_LISTED.
        number: the number of all.
        again: the whole copies of those that are shown.
        lost: the number of those without a copy (so far).
        is_unsure: whether there were so many at a time that the copies of some were not looked for.
    """

    def __init__(self) -> None:
        self.found: list[Seen] = []
        self.number = self.lost = 0
        self.again: dict[TrailPlace, Seen] = {}
        self.is_unsure = False
        self._shown: set[TrailPlace] = set()
        self._waiting: dict[Name, list[TrailPlace]] = {}
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

    def look_for_copies(self, lot: Lot, verdicts: list[OrderVerdict], judge: EffectiveTrail) -> None:
        """Find the copies of what is waited for in a lot, given what is out of order in it, when it has been judged."""
        if not self._waiting:
            return
        for one in verdicts:
            self._take(lot, one.row)
        reached = [kind for kind, ahead in self._ahead.items() if ahead and ahead[0][0] <= judge.greatest(kind)]
        for row in range(lot.rows) if reached else ():
            self._take(lot, row)
        for kind in reached:
            ahead, greatest = self._ahead[kind], judge.greatest(kind)
            while ahead and ahead[0][0] < greatest:
                # its copies are out of order from now on
                heappop(ahead)

    def _take(self, lot: Lot, row: int) -> None:
        csn, xid = lot.csns[row], lot.xids[row]
        if csn is None or xid is None or (csn, xid) not in self._waiting or not lot.is_whole(row):
            return
        places = self._waiting[csn, xid]
        # the places of one transaction are in trail order
        before = bisect_left(places, lot.first(row))
        if not before:
            return
        again = seen(lot, row)
        for place in places[:before]:
            self.lost -= 1
            if place in self._shown:
                self.again[place] = again
        del places[:before]
        if not places:
            del self._waiting[csn, xid]
