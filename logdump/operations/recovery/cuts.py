"""Cut transactions, and the whole copies of them that come behind."""

from __future__ import annotations

from typing import NamedTuple

from logdump.operations.recovery.lists import MOST_LISTED
from trailformat.changes.csn import CsnKey, csn_key
from trailformat.search.effective import EffectiveTrail, Name, OrderVerdict
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
        found: they, in order, up to so many as are listed.
        number: how many there are.
        again: their whole copies.
        lost: how many have none (so far).
    """

    def __init__(self) -> None:
        self.found: list[Seen] = []
        self.number = self.lost = 0
        self.again: dict[TrailPlace, Seen] = {}
        self._waiting: dict[Name, list[TrailPlace]] = {}
        self._ahead: dict[Name, CsnKey] = {}

    def add(self, cut: Seen) -> None:
        """One more; its copy is waited for."""
        self.number += 1
        self.lost += 1
        if len(self.found) < MOST_LISTED:
            self.found.append(cut)
        name = cut.name
        key = csn_key(name[0]) if name is not None else None
        if name is None or key is None:
            return
        if name in self._waiting or len(self._waiting) < MOST_LISTED:
            self._waiting.setdefault(name, []).append(cut.first)
            self._ahead[name] = key

    def look_for_copies(self, lot: Lot, verdicts: list[OrderVerdict], judge: EffectiveTrail) -> None:
        """Find the copies of what is waited for in a lot, given what is out of order in it, when it has been judged."""
        if not self._waiting:
            return
        for one in verdicts:
            self._take(lot, one.row)
        reached = [name for name, key in self._ahead.items() if judge.greatest(key.kind) >= key.parts]
        for row in range(lot.rows) if reached else ():
            self._take(lot, row)
        for name in reached:
            key = self._ahead.get(name)
            if key is not None and judge.greatest(key.kind) > key.parts:
                # what comes of it now is out of order
                del self._ahead[name]

    def _take(self, lot: Lot, row: int) -> None:
        csn, xid = lot.csns[row], lot.xids[row]
        if csn is None or xid is None or (csn, xid) not in self._waiting or not lot.is_whole(row):
            return
        here = lot.first(row)
        for place in [one for one in self._waiting[csn, xid] if one < here]:
            self._waiting[csn, xid].remove(place)
            self.lost -= 1
            self.again[place] = seen(lot, row)
        if not self._waiting[csn, xid]:
            del self._waiting[csn, xid]
            self._ahead.pop((csn, xid), None)
