"""Cut transactions, and their whole copies later in the trail."""

from __future__ import annotations

from logdump.features.recovery.lists import MOST_LISTED
from trailformat.transactions.applied import AppliedTransactions, OrderVerdict
from trailformat.transactions.batches import TransactionBatch, TransactionSummary
from trailformat.transactions.copies import AwaitedCopies
from trailformat.transactions.whole_trail import TrailPosition


class Cuts:
    """The cut transactions of a trail, collected batch by batch.

    Attributes:
        found: cut transactions in trail order, at most MOST_LISTED.
        number: their number.
        again: the whole copies of the transactions in ``found``.
        lost: number of cut transactions without a copy so far.
    """

    def __init__(self) -> None:
        self.found: list[TransactionSummary] = []
        self.number = self.lost = 0
        self.again: dict[TrailPosition, TransactionSummary] = {}
        self._shown: set[TrailPosition] = set()
        self._awaited = AwaitedCopies()

    @property
    def is_unsure(self) -> bool:
        """True if the copies of some were not looked for, because too many were pending at a time."""
        return self._awaited.is_unsure

    def add(self, cut: TransactionSummary, *, is_shown: bool = False) -> None:
        """Take one more in; its copy is waited for. ``is_shown``: it is shown with a restart, if it is not listed."""
        self.number += 1
        self.lost += 1
        if len(self.found) < MOST_LISTED:
            self.found.append(cut)
            is_shown = True
        if is_shown:
            self._shown.add(cut.first)
        self._awaited.add(cut.csn, cut.xid, cut.first)

    def look_for_copies(
        self, batch: TransactionBatch, verdicts: list[OrderVerdict], judge: AppliedTransactions
    ) -> None:
        """Find the copies of what is waited for in a judged batch, given what is out of order in it."""
        for row, places in self._awaited.found(batch, verdicts, judge):
            self.lost -= len(places)
            again = batch.transaction(row)
            self.again.update((place, again) for place in places if place in self._shown)
