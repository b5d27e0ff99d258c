"""The findings of a survey as events; records of cut transactions and second copies are compared."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from itertools import pairwise, zip_longest
from pathlib import Path
from types import TracebackType
from typing import Self

from logdump.features.recovery.model import (
    BeginMissingShown,
    CutShown,
    KeepShown,
    OrderBreakShown,
    OverwriteShown,
    ProducerChangeShown,
    RecoveryShown,
    RestartShown,
    SecondCopy,
    SecondCopyShown,
    TrailFileShown,
    TransactionRef,
)
from logdump.features.recovery.survey import Survey
from logdump.features.recovery.versions import FileFacts, changes_between
from trailformat.changes.canonical import canonical
from trailformat.changes.encrypted import looks_encrypted
from trailformat.errors import NotATrail
from trailformat.trail.file import TrailFile
from trailformat.trail.packed import is_file, unpacked_size
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.batches import TransactionRecord, TransactionRecords, TransactionSummary
from trailformat.transactions.restart_places import restart_places
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail


def records_of(records: TransactionRecords, whole: WholeTrail, ref: TransactionRef) -> Iterator[TransactionRecord]:
    """Return the records of a transaction in order, none if its first record is missing."""
    if ref.begin is None:
        return iter(())
    return records.of(TrailPosition(whole.ordinals[ref.begin.path], ref.begin.rba), ref.records)


class FoundRecords:
    """Reader of the records of findings in trail order. A context manager.

    First and second copies have a reader each, so that the definitions of a file are read once for all findings.
    """

    def __init__(self, whole: WholeTrail) -> None:
        self._whole = whole
        self._records, self._others = TransactionRecords(whole), TransactionRecords(whole)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._records.close()
        self._others.close()

    def tables(self, ref: TransactionRef) -> dict[str, int]:
        """Return the number of records of a transaction by table."""
        return dict(
            Counter(record.trail.name_of(record.record) for record in records_of(self._records, self._whole, ref))
        )

    def compared(self, cut: TransactionRef, again: TransactionRef) -> SecondCopy:
        """Return the whole copy of a cut transaction, compared with it record by record."""
        ours, theirs = (
            records_of(records, self._whole, ref) for records, ref in ((self._records, cut), (self._others, again))
        )
        for first, second in zip_longest(ours, theirs):
            if first is None:
                return SecondCopy(again, "prefix")
            if second is None or not _is_equal(first, second):
                return SecondCopy(again, "differs", (first.position, second.position if second else None))
        return SecondCopy(again, "equal")


def _is_equal(record: TransactionRecord, other: TransactionRecord) -> bool:
    return record.is_same(other) or canonical(record.trail, record.record) == canonical(other.trail, other.record)


_MOST_RECORDS = 10_000
"""The tables of larger transactions are not counted."""
Takes = Callable[[TransactionRef], bool]


class RecoveryReport:
    """The findings of a survey, each as an event.

    Args:
        survey: the survey of the trail.
        takes: returns True for a transaction to be listed; None: all are listed.
        reader: the newest version that the reader can read, None for any.
        keep: the position of a reader; None: the last recovery point.
    """

    def __init__(
        self, survey: Survey, takes: Takes | None = None, reader: int | None = None, keep: FilePosition | None = None
    ) -> None:
        self._survey, self._whole = survey, survey.whole
        self._is_filtered = takes is not None
        self._takes = takes or (lambda _: True)
        self._reader = reader
        self._keep = keep

    def _position(self, place: TrailPosition) -> FilePosition:
        return FilePosition(self._whole.paths[place.ordinal], place.rba)

    def _ref(self, transaction: TransactionSummary, records: FoundRecords | None = None) -> TransactionRef:
        """Return a reference to a transaction, with its tables if ``records`` is given and it is not too large."""
        first, after = (
            self._position(transaction.first),
            self._position(transaction.after) if transaction.after is not None else None,
        )
        begin = first if transaction.has_begin else None
        ref = TransactionRef(
            transaction.csn, transaction.xid, begin, after, transaction.records, transaction.size, transaction.ended
        )
        if records is None or begin is None or transaction.records > _MOST_RECORDS:
            return ref
        return ref._replace(tables=records.tables(ref))

    def _again(self, cut: TransactionSummary, ref: TransactionRef, records: FoundRecords) -> SecondCopy | None:
        copy = self._survey.cuts.again.get(cut.first)
        return records.compared(ref, self._ref(copy)) if copy is not None else None

    def restarts(self) -> Iterator[RestartShown]:
        """Yield the restarts; one that has cut a transaction only if the transaction is to be listed."""
        with FoundRecords(self._whole) as records:
            for restart in self._survey.restarts:
                last = self._ref(restart.last_complete) if restart.last_complete is not None else None
                shown = RestartShown(
                    self._position(restart.place), restart.kind, restart.time, last, last.after if last else None
                )
                cut = self._survey.cut_at.get(restart.place)
                if cut is None:
                    yield shown
                elif self._takes(ref := self._ref(cut, records)):
                    yield shown._replace(cut=ref, again=self._again(cut, ref, records))

    def cuts(self, *, is_alone: bool) -> Iterator[CutShown]:
        """Yield the cut transactions: all, or those that no restart shows."""
        shown = set() if is_alone else {cut.first for cut in self._survey.cut_at.values()}
        with FoundRecords(self._whole) as records:
            for cut in self._survey.cuts.found:
                if cut.first not in shown and self._takes(ref := self._ref(cut, records)):
                    yield CutShown(ref, self._again(cut, ref, records))

    def begins_missing(self) -> Iterator[BeginMissingShown]:
        """Yield the transactions whose first records are missing in the middle of the trail."""
        for transaction in self._survey.begins_missing:
            yield BeginMissingShown(self._position(transaction.first), self._ref(transaction))

    def second_copies(self) -> Iterator[SecondCopyShown]:
        """Yield the later copies of whole transactions."""
        with FoundRecords(self._whole) as records:
            for copy in self._survey.twice:
                ref = self._ref(copy.transaction, records)
                if self._takes(ref):
                    yield SecondCopyShown(ref.csn or "", ref.xid or "", self._position(copy.first), ref)

    def order_breaks(self) -> Iterator[OrderBreakShown]:
        """Yield the positions at which CSNs decrease."""
        for fall in self._survey.falls:
            if self._takes(self._ref(fall.transaction)):
                position = self._position(fall.transaction.first)
                yield OrderBreakShown(
                    position, fall.transaction.csn, fall.transaction.xid, fall.greatest, fall.transactions
                )

    def overwritten(self) -> Iterator[OverwriteShown]:
        """Yield damage that may be followed by older data."""
        for finding in self._survey.overwritten:
            mark = finding.damage
            yield OverwriteShown(
                self._position(mark.place), mark.after - mark.place.rba, finding.transaction.csn, finding.was_passed
            )

    def producer_changes(self) -> Iterator[ProducerChangeShown]:
        """Yield the differences between the header of each file and that of the file before it."""
        files = self._survey.files
        for before, after in pairwise(files):
            yield from changes_between(before, after)

    def keep(self) -> KeepShown | None:
        """Return the files that a reader needs; None without a whole transaction, or if a file is unreadable."""
        position = self._keep
        if position is None:
            restart = self._survey.restarts.last
            last = restart.last_complete if restart is not None else self._survey.last_whole
            if last is None or last.after is None:
                return None
            position = self._position(last.after)
        try:
            with TrailFile(position.path) as trail:
                places = restart_places(trail, position.rba)
        except NotATrail:
            return None  # a later file, in which the transaction at the position may continue
        needed = places.extent.first if places.extent is not None and not places.is_safe else None
        here = self._whole.ordinals[position.path]
        begin = min(here, self._whole.ordinals.get(needed.path, here)) if needed is not None else here
        first, free = self._whole.paths[begin], self._whole.paths[:begin]
        return KeepShown(position, first, free, sum(path.stat().st_size for path in free if path.exists()))

    def files(self) -> Iterator[TrailFileShown]:
        """Yield the files and the facts of their headers."""
        keep = self.keep()
        free = frozenset(keep.free) if keep is not None else frozenset()
        known = {facts.path: facts for facts in self._survey.files}
        for path in self._whole.paths:
            error = self._whole.unreadable.get(path)
            facts = known.get(path) or FileFacts(path, unpacked_size(path) if is_file(path) else 0, None, None)
            keeps = path not in free if keep is not None else None
            yield TrailFileShown(
                path,
                facts.size,
                facts.version,
                facts.number("ContinunityInfo", "RecoveryMode"),
                facts.created,
                facts.text("FirstCSN"),
                facts.text("LastCSN"),
                error.problem if error else None,
                self._is_too_new(facts),
                keeps,
                self._looks_encrypted(path),
                facts.mismatches,
                facts.text("DbUniqueName", "DatabaseInfo"),
            )
        for path in self._whole.unborn:
            yield TrailFileShown.of_unborn(path, unpacked_size(path) if is_file(path) else 0)

    def _looks_encrypted(self, path: Path) -> bool:
        trail = self._whole.open(self._whole.ordinals[path])
        if trail is None:
            return False
        with trail:
            return looks_encrypted(trail)

    def _is_too_new(self, facts: FileFacts) -> bool:
        return self._reader is not None and facts.version is not None and facts.version > self._reader

    def shown(self, title: str, reader: str | None, *, is_partial: bool, is_stopped: bool = False) -> RecoveryShown:
        """Return the summary."""
        survey, judge = self._survey, self._survey.judge
        modes = (facts.number("ContinunityInfo", "RecoveryMode") for facts in survey.files)
        half_record = self._position(survey.half_record) if survey.half_record is not None else None
        lists = (survey.restarts, survey.twice, survey.falls, survey.overwritten, survey.begins_missing)
        with FoundRecords(self._whole) as records:
            open_at_end = self._ref(survey.open, records) if survey.open is not None else None
        return RecoveryShown(
            title,
            modes=_each_once(modes),
            state=survey.state,
            files=len(self._whole),
            transactions=survey.transactions,
            effective=judge.applied,
            after_damage=judge.after_damage,
            cut=survey.cuts.number,
            twice_records=survey.twice_records,
            unnamed=judge.unnamed,
            is_unsure=judge.is_unsure or survey.cuts.is_unsure,
            incomplete=survey.incomplete,
            has_earlier=survey.has_earlier,
            versions=_each_once(facts.version for facts in survey.files),
            reader=reader,
            too_new=tuple(facts.path for facts in survey.files if self._is_too_new(facts)),
            open=open_at_end,
            half_record=half_record,
            is_partial=is_partial,
            is_stopped=is_stopped,
            is_filtered=self._is_filtered,
            is_listed=all(findings.is_listed for findings in lists) and survey.cuts.number == len(survey.cuts.found),
        )


def _each_once(values: Iterator[int | None]) -> tuple[int, ...]:
    return tuple(sorted({value for value in values if value is not None}))
