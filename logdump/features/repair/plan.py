"""The plan of a copy: all sound records of a damaged trail, or those of whole transactions."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from itertools import chain, takewhile
from typing import NamedTuple

from logdump.features.recovery.model import Findings
from logdump.features.repair.definitions import CopiedDefinitions
from logdump.features.repair.file_survey import ByteRange, ByteRanges, FileSurvey
from logdump.features.repair.model import LossReason, RepairLoss
from trailformat import BadRecord, Record, TrailFile
from trailformat.changes.segments import Kind, kind_of
from trailformat.trail.packed import unpacked_size
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.batches import TransactionBatch, TransactionRecord, TransactionRecords, TransactionSummary
from trailformat.transactions.extent import Ended
from trailformat.transactions.walk import transaction_batches
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_END_OF_FILE = (1 << 63) - 1


class SurveyedFile(NamedTuple):
    """A file of the source, its damage and its definitions."""

    survey: FileSurvey
    definitions: CopiedDefinitions


class TransactionPlan:
    """The transactions that a copy lacks, and the byte ranges left out.

    Args:
        whole: the source.
        files: its files by ordinal; without those that are not trail files.
        is_all: True if sound records of transactions that are not whole are copied too.
        goes_on: True if the trail continues in a file after the last one.

    Attributes:
        losses: the transactions and records that the copy lacks.
        numbers: number of losses by reason.
        records: number of sound records left out.
        after_csn: the CSN of the last whole transaction in the copy that has one.
        restart_at: the position at which a reader of the copy continues in the source; None at the source's end.
    """

    def __init__(self, whole: WholeTrail, files: dict[int, SurveyedFile], *, is_all: bool, goes_on: bool) -> None:
        self._whole, self._files, self._is_all, self._goes_on = whole, files, is_all, goes_on
        self.losses = Findings[RepairLoss]()
        self.numbers: Counter[LossReason] = Counter()
        self.records = 0
        self.after_csn: str | None = None
        self.restart_at: TrailPosition | None = None
        self._stop = self._first_stop()
        self._continued = {
            TrailPosition(ordinal, rba) for ordinal, file in files.items() for rba in file.survey.continued
        }
        undefined = (
            TrailPosition(ordinal, rba) for ordinal, file in files.items() for rba in file.definitions.undefined
        )
        self._undefined = sorted(undefined)
        self._looks_at_all = bool(self._continued or self._undefined or any(f.survey.embedded for f in files.values()))
        self._not_whole: dict[int, list[ByteRange]] = {}
        self._ranges: dict[int, ByteRanges] = {}
        self._overtaken: TrailPosition | None = None
        """The first of the overtaken transactions with which the copy would end so far: nothing follows them there."""
        self._overtaken_ones: list[TransactionSummary] = []
        """The overtaken transactions with which the copy would end so far, since the last restart."""
        self._joined: set[TrailPosition] = set()
        """The begins of those that are lost because rows without a begin would go on with them."""

    def run(self) -> Iterator[TransactionBatch]:
        """Decide on each transaction; yield each batch after it was processed."""
        for batch in transaction_batches(self._whole):
            self._take(batch)
            yield batch
        if self._overtaken is not None and not self._is_all:
            self._lose_overtaken(self._overtaken)
        self._merge()
        if not self._is_all:
            self._leave_out_fragments()
        self._note_unknown()
        self._note_end()

    def left_out(self, ordinal: int) -> ByteRanges:
        """Return the byte ranges of records that are left out of a file."""
        return ByteRanges() if self._is_all else self._ranges.get(ordinal, ByteRanges())

    def takes(self, place: TrailPosition) -> bool:
        """Return True if the transaction that begins at a position is copied; requires a complete plan."""
        return not self._is_beyond(place) and self.left_out(place.ordinal).at(place.rba) is None

    def _first_stop(self) -> TrailPosition | None:
        stops = (
            TrailPosition(ordinal, file.survey.stop)
            for ordinal, file in self._files.items()
            if file.survey.stop is not None
        )
        return min(stops, default=None)

    def _is_beyond(self, place: TrailPosition) -> bool:
        """Return True if a position is after the end of the copy, or inside a damaged record."""
        file = self._files.get(place.ordinal)
        return self._is_after_end(place) or (file is not None and file.survey.damage.at(place.rba) is not None)

    def _is_after_end(self, place: TrailPosition) -> bool:
        """Return True if a position is after the end of the copy, or after the surveyed size of its file."""
        if self._stop is not None and place >= self._stop:
            return True
        file = self._files.get(place.ordinal)
        return file is not None and place.rba >= file.survey.size

    def _take(self, batch: TransactionBatch) -> None:
        inside = (row for row in reversed(range(batch.rows)) if not self._is_beyond(batch.first(row)))
        last = next(inside, None)
        if last is None:
            if any(mark.is_restart for mark in batch.marks):
                self._overtaken_ones.clear()
            return
        left: set[int] = set()
        for row in range(batch.rows) if self._looks_at_all else sorted({*batch.not_whole(), last}):
            transaction = batch.transaction(row)
            if not self._is_beyond(transaction.first) and (reason := self._reason(transaction)) is not None:
                left.add(row)
                self._lose(transaction, reason)
        if not self._is_all:
            self._lose_joined(batch, left)
        self._note_last(batch, (row for row in chain((last,), inside) if row not in left))

    def _note_last(self, batch: TransactionBatch, kept: Iterator[int]) -> None:
        """Note the last CSN of the rows that are kept, given from the last on, and the overtaken transactions there."""
        overtaken = None
        for row in kept:
            if batch.ended(row) is Ended.OVERTAKEN:
                overtaken = batch.first(row)
                continue
            self._overtaken = overtaken
            csns = (batch.csns[index] for index in chain((row,), kept) if batch.is_whole(index))
            self.after_csn = next((csn for csn in csns if csn is not None), self.after_csn)
            return
        self._overtaken = self._overtaken or overtaken

    def _lose_joined(self, batch: TransactionBatch, left: set[int]) -> None:
        """Leave out overtaken transactions with which rows without a begin would go on, as all between is lost."""
        restarts = [mark.place for mark in batch.marks if mark.is_restart]
        done, following = 0, 0
        for row in sorted({*batch.not_whole(), *left}):
            transaction = batch.transaction(row)
            before, done = done, bisect_left(restarts, transaction.first)
            if row > following or done > before:
                self._overtaken_ones.clear()
            following = row + 1
            if row in left or self._is_beyond(transaction.first):
                continue
            if not transaction.has_begin:
                for overtaken in self._overtaken_ones:
                    self._lose(overtaken, LossReason.OVERTAKEN)
                    self._joined.add(overtaken.first)
            if not transaction.has_begin or transaction.ended is not Ended.OVERTAKEN:
                self._overtaken_ones.clear()
            if transaction.ended is Ended.OVERTAKEN:
                self._overtaken_ones.append(transaction)
        if following < batch.rows or done < len(restarts):
            self._overtaken_ones.clear()

    def _lose_overtaken(self, first: TrailPosition) -> None:
        """Leave out the overtaken transactions from one on: in the copy the last of them would be open."""
        for batch in transaction_batches(self._whole, first):
            for row in batch.not_whole():
                transaction = batch.transaction(row)
                is_lost = transaction.first in self._joined or self._reason(transaction) is not None
                if not is_lost and not self._is_beyond(transaction.first) and transaction.ended is Ended.OVERTAKEN:
                    self._lose(transaction, LossReason.OPEN)

    def _reason(self, transaction: TransactionSummary) -> LossReason | None:
        """Return the reason why a transaction is lost; None if it is whole, or cut in the source itself."""
        if transaction.ended is Ended.DAMAGE or transaction.after in self._continued:
            return LossReason.DAMAGE
        if self._undefined_in(transaction) is not None:
            return LossReason.NO_DEFINITION
        if not transaction.has_begin and self._breaks(transaction.first.ordinal):
            return LossReason.MISSING_FILE
        if transaction.ended is not Ended.FILE_END and (
            transaction.after is None or not self._is_grown(transaction.after)
        ):
            return None
        last = self._stretch_end(transaction.first.ordinal)
        if last < len(self._whole) - 1:
            return LossReason.MISSING_FILE
        is_torn = last in self._files and self._files[last].survey.half is not None
        return LossReason.OPEN if is_torn or not self._goes_on else None

    def _is_grown(self, after: TrailPosition) -> bool:
        """Return True if a transaction has ended since the survey, which saw it open."""
        file = self._files.get(after.ordinal)
        return file is not None and after.rba > file.survey.size

    def _breaks(self, ordinal: int) -> bool:
        """Return True if the file before this one is missing or not a trail file; False for the first one."""
        if not ordinal:
            return False
        return self._whole.missing_before(ordinal) is not None or ordinal - 1 not in self._files

    def _stretch_end(self, ordinal: int) -> int:
        last = len(self._whole) - 1
        return next((index for index in range(ordinal, last) if self._whole.missing_after(index) is not None), last)

    def _end(self, transaction: TransactionSummary) -> TrailPosition:
        """Return the end of a transaction; for an open one the end of all files that it may be in."""
        if transaction.after is None or self._is_grown(transaction.after):
            return TrailPosition(self._stretch_end(transaction.first.ordinal) + 1, 0)
        if transaction.after not in self._continued:
            return transaction.after
        damage = self._files[transaction.after.ordinal].survey.damage.after(transaction.after.rba)
        return TrailPosition(transaction.after.ordinal, damage.stop) if damage is not None else transaction.after

    def _undefined_in(self, transaction: TransactionSummary) -> TrailPosition | None:
        index = bisect_left(self._undefined, transaction.first)
        is_in = index < len(self._undefined) and self._undefined[index] < self._end(transaction)
        return self._undefined[index] if is_in else None

    def _lose(self, transaction: TransactionSummary, reason: LossReason) -> None:
        begin, end = transaction.first, self._end(transaction)
        if not transaction.has_begin and reason is LossReason.DAMAGE and begin.ordinal in self._files:
            before = self._files[begin.ordinal].survey.damage.before(begin.rba)
            begin = TrailPosition(begin.ordinal, before.start) if before is not None else begin
        for ordinal in range(begin.ordinal, min(end.ordinal, len(self._whole) - 1) + 1):
            start = begin.rba if ordinal == begin.ordinal else 0
            stop = end.rba if ordinal == end.ordinal else _END_OF_FILE
            self._not_whole.setdefault(ordinal, []).append(ByteRange(start, stop))
        records = self._records_of(transaction, end)
        self.records += 0 if self._is_all else records
        is_last = end.ordinal == len(self._whole) and not self._goes_on
        if transaction.has_begin and not self._is_all and (is_last or (self._stop is not None and self._stop < end)):
            self.restart_at = transaction.first
        place = self._undefined_in(transaction) if reason is LossReason.NO_DEFINITION else self._damage_in(begin, end)
        positions = (self.position(transaction.first) if transaction.has_begin else None), self.position(place)
        self._add(
            RepairLoss(
                transaction.csn, transaction.xid, positions[0], records, reason, positions[1], is_copied=self._is_all
            )
        )

    def _records_of(self, transaction: TransactionSummary, end: TrailPosition) -> int:
        """Return the number of records of a transaction before the end of the copy."""
        is_over = transaction.after is not None and not self._is_grown(transaction.after)
        if (self._stop is None or end <= self._stop) and (is_over or not self._has_grown()):
            return transaction.records
        with TransactionRecords(self._whole) as records:
            return sum(1 for _ in takewhile(self._is_surveyed, records.of(transaction.first, transaction.records)))

    def _is_surveyed(self, record: TransactionRecord) -> bool:
        return not self._is_after_end(record.place)

    def _has_grown(self) -> bool:
        """Return True if the last file has grown since the survey."""
        last = self._files.get(len(self._whole) - 1)
        return last is not None and unpacked_size(last.survey.path) > last.survey.size

    def _damage_in(self, begin: TrailPosition, end: TrailPosition) -> TrailPosition | None:
        """Return the first damage that starts from ``begin`` to ``end``, both included; None without one."""
        for ordinal in range(begin.ordinal, min(end.ordinal, len(self._whole) - 1) + 1):
            if ordinal in self._files:
                damage = self._files[ordinal].survey.damage.after(begin.rba if ordinal == begin.ordinal else 0)
                if damage is not None and TrailPosition(ordinal, damage.start) <= end:
                    return TrailPosition(ordinal, damage.start)
        return None

    def position(self, place: TrailPosition | None) -> FilePosition | None:
        """Return a position of the source as file and RBA."""
        return FilePosition(self._whole.paths[place.ordinal], place.rba) if place is not None else None

    def _add(self, loss: RepairLoss) -> None:
        self.numbers[loss.reason] += 1
        self.losses.add(loss)

    def _merge(self) -> None:
        self._ranges = {ordinal: ByteRanges(spans) for ordinal, spans in self._not_whole.items()}

    def _leave_out_fragments(self) -> None:
        """Leave out fragments right after damage whose first part is lost: they belong to no transaction."""
        for ordinal, (survey, _) in self._files.items():
            if not len(survey.damage) or survey.stop is not None:
                continue
            known = self._ranges.get(ordinal, ByteRanges())
            with TrailFile(survey.path) as trail:
                following = (takewhile(_is_fragment, _records_after(trail, damage)) for damage in survey.damage)
                orphans = [record for fragments in following for record in fragments if known.at(record.rba) is None]
            ranges = (ByteRange(record.rba, record.rba + record.length) for record in orphans)
            self._not_whole.setdefault(ordinal, []).extend(ranges)
            self.records += len(orphans)
        self._merge()

    def _note_unknown(self) -> None:
        """Add damage outside of known transactions to the losses."""
        for ordinal, (survey, _) in sorted(self._files.items()):
            known = self._ranges.get(ordinal, ByteRanges())
            for start, _ in survey.damage:
                if start not in survey.rowless and known.at(start) is None:
                    reason = LossReason.HALF_RECORD if start == survey.half else LossReason.UNKNOWN
                    self._add(RepairLoss(None, None, None, 0, reason, self.position(TrailPosition(ordinal, start))))

    def _note_end(self) -> None:
        """Set the position at which a reader of the copy continues: the beginning of the part cut off."""
        last = len(self._whole) - 1
        if self._stop is not None:
            self.restart_at = self.restart_at or self._stop
        elif self.restart_at is None and last in self._files and (half := self._files[last].survey.half) is not None:
            self.restart_at = TrailPosition(last, half)


def _records_after(trail: TrailFile, damage: ByteRange) -> Iterator[Record]:
    """Yield the records after damage, up to the next damage."""
    with suppress(BadRecord):
        yield from trail.records(damage.stop)


def _is_fragment(record: Record) -> bool:
    return kind_of(record) is Kind.FRAGMENT
