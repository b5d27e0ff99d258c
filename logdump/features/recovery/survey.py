"""One pass over a trail that collects all traces of restarts."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from logdump.features.recovery.model import MOST_LISTED, Findings, TrailState
from logdump.features.recovery.versions import FileFacts, facts_of, is_rollover
from trailformat.scan import Workers
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.applied import AppliedTransactions, AwaitedCopies, OrderVerdict
from trailformat.transactions.batches import (
    BEGIN_OF_FILE,
    DAMAGE,
    HALF_A_RECORD,
    TrailMark,
    TransactionBatch,
    TransactionSummary,
)
from trailformat.transactions.extent import Ended
from trailformat.transactions.walk import transactions_in
from trailformat.transactions.whole_trail import FileBatch, TrailPosition, WholeTrail


class Cuts:
    """The cut transactions of a trail, collected batch by batch.

    Attributes:
        found: cut transactions in trail order, at most MOST_LISTED.
        number: number of all cut transactions.
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
        """True if copies of some were not searched for, because too many were pending at a time."""
        return self._awaited.is_unsure

    def add(self, cut: TransactionSummary, *, is_shown: bool = False) -> None:
        """Add a cut transaction and await its copy, which is kept if the transaction is listed or ``is_shown``."""
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
        """Find the copies of cut transactions in a judged batch; ``verdicts`` are on its rows out of order."""
        for row, places in self._awaited.found(batch, verdicts, judge):
            self.lost -= len(places)
            again = batch.transaction(row)
            self.again.update((place, again) for place in places if place in self._shown)


_OVERWRITE_MODE = 0
NOWHERE_YET = TrailPosition(1 << 62, 0)


class TrailRestart(NamedTuple):
    """A restart: its position, kind and time, and the last whole transaction before it."""

    place: TrailPosition
    kind: str
    time: int | None
    last_complete: TransactionSummary | None


class Copy(NamedTuple):
    """A later copy of a whole transaction, and the position of the first copy."""

    transaction: TransactionSummary
    first: TrailPosition


@dataclass
class Fall:
    """A transaction at which CSNs go back, the greatest CSN before it, and the number of transactions below that."""

    transaction: TransactionSummary
    greatest: str
    transactions: int


class Overwritten(NamedTuple):
    """Damage before data that may be older than the data before it, and the first whole transaction after it.

    ``was_passed``: True if the trail had reached that transaction's CSN before; else the file is in overwrite mode.
    """

    damage: TrailMark
    transaction: TransactionSummary
    was_passed: bool


class Survey:
    """The findings of a pass over a trail, so far.

    Attributes:
        files: facts from the headers of the files.
        restarts, cuts, twice, falls, overwritten, damage: findings of that kind.
        begins_missing: transactions whose first records are missing in the middle of the trail, without damage there.
        cut_at: the transaction that each restart cut, by the position of the restart.
        judge: decides which transactions are applied.
        transactions, twice_records: number of transactions, and of records in copies.
        incomplete: number of transactions that lack a part by damage, a missing file, or in files before the first.
        has_earlier: True if a transaction has begun before the first file.
        open: the transaction that is open at the end of the trail.
        half_record: position of the incomplete record at the end of the trail.
        last_whole: the last whole transaction.
    """

    def __init__(self, whole: WholeTrail) -> None:
        self.whole = whole
        self.files: list[FileFacts] = []
        self.restarts = Findings[TrailRestart]()
        self.cuts = Cuts()
        self.cut_at: dict[TrailPosition, TransactionSummary] = {}
        self.twice, self.falls, self.overwritten = Findings[Copy](), Findings[Fall](), Findings[Overwritten]()
        self.judge = AppliedTransactions(whole)
        self.damage = Findings[TrailMark]()
        self.begins_missing = Findings[TransactionSummary]()
        self.transactions = self.incomplete = self.twice_records = 0
        self.open: TransactionSummary | None = None
        self.half_record: TrailPosition | None = None
        self.last_whole: TransactionSummary | None = None
        self._unbound: list[TrailPosition] = []
        self._pending: list[TrailMark] = []
        self._behind_gaps = [whole.ordinals[gap.file_after] for gap in whole.gaps]
        self._before: TrailPosition | None = None
        self.has_earlier = False

    @property
    def state(self) -> TrailState:
        """The state of the trail, so far."""
        later = self.files[1:] if self.files else []
        return TrailState(
            trail=self.whole.name,
            damaged=self.damage.number,
            gaps=self.whole.gaps,
            unreadable=tuple(self.whole.unreadable),
            mismatches=tuple(mismatch for facts in self.files for mismatch in facts.mismatches),
            begins_missing=self.begins_missing.number,
            lost=self.cuts.lost,
            twice=self.twice.number,
            order_breaks=self.falls.number,
            restarts=self.restarts.number,
            left_open=tuple(facts.path for facts, _ in zip(self.files, later, strict=False) if facts.is_left_open),
        )

    def run(self, workers: Workers, batches: Iterable[FileBatch] | None = None) -> Iterator[TransactionBatch]:
        """Read the trail, or take its ``batches`` from who reads it; yield each batch once it is included."""
        for batch in transactions_in(self.whole.batches(workers=workers) if batches is None else batches):
            self._take(batch)
            yield batch

    def damaged_from(self, position: FilePosition | None) -> int:
        """Return the number of places of damage and unreadable files that end after a position, None for all."""
        unreadable = len(self.whole.unreadable)
        if position is None:
            return self.damage.number + unreadable
        place = TrailPosition(self.whole.ordinals[position.path], position.rba)
        passed = sum(TrailPosition(mark.place.ordinal, mark.after) <= place for mark in self.damage)
        passed += sum(self.whole.ordinals[path] < place.ordinal for path in self.whole.unreadable)
        return self.damage.number + unreadable - passed

    def _take(self, batch: TransactionBatch) -> None:
        verdicts, whole = self.judge.judge(batch).verdicts, batch.whole()
        self.transactions += batch.rows
        for mark in batch.marks:
            self._mark(batch, whole, mark)
        for row in batch.not_whole():
            self._not_whole(batch, row)
        self._before = self._last_before(batch, batch.rows, None)
        for verdict in verdicts:
            self._verdict(batch, verdict)
        self._look_after_damage(batch, whole, verdicts)
        self.cuts.look_for_copies(batch, verdicts, self.judge)
        if whole:
            self.last_whole = batch.transaction(whole[-1])
            del self._unbound[: bisect_right(self._unbound, self.last_whole.first)]

    def _mark(self, batch: TransactionBatch, whole: Sequence[int], mark: TrailMark) -> None:
        if mark.io_type == BEGIN_OF_FILE:
            self._begin_file(batch, whole, mark)
        elif mark.io_type == DAMAGE:
            self.damage.add(mark)
            self._pending.append(mark)
        elif mark.io_type == HALF_A_RECORD:
            self.half_record = mark.place
        else:
            self._restart(batch, whole, mark.place, "abend" if mark.has_abended else "ok", mark.time)

    def _begin_file(self, batch: TransactionBatch, whole: Sequence[int], mark: TrailMark) -> None:
        trail = self.whole.open(mark.place.ordinal)
        if trail is None:
            return
        with trail:
            facts = facts_of(trail)
        before = self.files[-1] if self.files else None
        self.files.append(facts)
        if before is not None and is_rollover(before, facts):
            self._restart(batch, whole, mark.place, "rollover", facts.created)

    def _restart(
        self, batch: TransactionBatch, whole: Sequence[int], place: TrailPosition, kind: str, time: int | None
    ) -> None:
        before = bisect_right(whole, place, key=lambda row: batch.after(row) or NOWHERE_YET)
        last = batch.transaction(whole[before - 1]) if before else self.last_whole
        self.restarts.add(TrailRestart(place, kind, time, last))
        if self.restarts.is_listed:
            self._unbound.append(place)

    def _not_whole(self, batch: TransactionBatch, row: int) -> None:
        transaction = batch.transaction(row)
        is_headless = not transaction.has_begin and transaction.ended is not Ended.DAMAGE
        if is_headless and self._lies_behind_others(batch, row, transaction.first):
            self.begins_missing.add(transaction)
        elif is_headless and not self._stretch_of(transaction.first.ordinal):
            self.has_earlier = True
        if transaction.ended in (Ended.CUT, Ended.OVERTAKEN) and transaction.has_begin:
            self.cuts.add(transaction, is_shown=self._bind(transaction))
        elif transaction.ended is Ended.FILE_END and self.whole.is_newest(self._last_file(transaction)):
            self.open = transaction
        elif self.begins_missing.last is not transaction:
            self.incomplete += 1

    def _lies_behind_others(self, batch: TransactionBatch, row: int, first: TrailPosition) -> bool:
        """Return True if a transaction or a restart is before a position in its stretch of files."""
        before = self._last_before(batch, row, first)
        return before is not None and before >= TrailPosition(self._stretch_of(first.ordinal), 0)

    def _last_before(self, batch: TransactionBatch, row: int, stop: TrailPosition | None) -> TrailPosition | None:
        """Return the last transaction before a row, or restart before ``stop`` (None: any), of all batches so far."""
        restarts = (mark.place for mark in batch.marks if mark.is_restart and (stop is None or mark.place < stop))
        places = [*restarts, *([batch.first(row - 1)] if row else []), *([self._before] if self._before else [])]
        return max(places, default=None)

    def _stretch_of(self, ordinal: int) -> int:
        """Return the ordinal of the first file of a stretch: no file is missing or unreadable in it."""
        unreadable = (self.whole.ordinals[path] + 1 for path in self.whole.unreadable)
        return max((begin for begin in (*self._behind_gaps, *unreadable) if begin <= ordinal), default=0)

    def _bind(self, cut: TransactionSummary) -> bool:
        """Assign a cut transaction to the first restart inside it; return False if no listed restart is."""
        index = bisect_right(self._unbound, cut.first)
        if index == len(self._unbound) or self._unbound[index] >= (cut.after or NOWHERE_YET):
            return False
        self.cut_at[self._unbound[index]] = cut
        return True

    def _last_file(self, transaction: TransactionSummary) -> int:
        """Return the ordinal of the last file in which an open transaction can end: before a gap or unreadable file."""
        unreadable = (self.whole.ordinals[path] for path in self.whole.unreadable)
        ends = (end for end in (*self._behind_gaps, *unreadable) if end > transaction.first.ordinal)
        return min(ends, default=len(self.whole)) - 1

    def _verdict(self, batch: TransactionBatch, verdict: OrderVerdict) -> None:
        if (first := verdict.copy_of) is not None:
            self.twice.add_made(lambda: Copy(batch.transaction(verdict.row), first))
            self.twice_records += int(batch.columns.records[verdict.row])
        if verdict.is_below and (verdict.goes_back or not self.falls.number):
            self.falls.add_made(lambda: Fall(batch.transaction(verdict.row), verdict.greatest, 1))
        elif verdict.is_below and self.falls.is_listed:
            self.falls.listed[-1].transactions += 1

    def _look_after_damage(self, batch: TransactionBatch, whole: Sequence[int], verdicts: list[OrderVerdict]) -> None:
        """Find old data after damage: the trail had reached its CSN before, or the file is in overwrite mode."""
        pending, self._pending = self._pending, []
        out_of_order = {verdict.row for verdict in verdicts} if pending else set()
        before = None
        for damage in pending:
            index = bisect_right(whole, damage.place, key=batch.first)
            if index == len(whole):
                # of several places of damage before one transaction only the first counts
                self._pending = self._pending or [damage]
                continue
            row = whole[index]
            if row != before and (row in out_of_order or self._overwrites(self.whole.paths[damage.place.ordinal])):
                self.overwritten.add(Overwritten(damage, batch.transaction(row), row in out_of_order))
            before = row

    def _overwrites(self, path: Path) -> bool:
        """Return True if the header of a file has RecoveryMode overwrite."""
        facts = next((file for file in reversed(self.files) if file.path == path), None)
        return facts is not None and facts.number("ContinunityInfo", "RecoveryMode") == _OVERWRITE_MODE
