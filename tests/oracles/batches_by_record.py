"""The transactions of a whole trail in batches, as a walk record by record tells them."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path

from tests.oracles.walk_by_record import WalkByRecord
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.batches import (
    BEGIN_OF_FILE,
    DAMAGE,
    ENDINGS,
    HALF_A_RECORD,
    NOWHERE,
    BatchProgress,
    TrailMark,
    TransactionBatch,
    TransactionBatchColumns,
)
from trailformat.transactions.extent import Damage, Extent, Restart
from trailformat.transactions.whole_trail import TrailPosition, WholeTrail

_MOST_ROWS = 4096


class _Rows:
    """A batch while it is gathered."""

    def __init__(self) -> None:
        self._columns = [array(code) for code in "qqBqqqqB"]
        self._csns: list[str | None] = []
        self._xids: list[str | None] = []
        self.marks: list[TrailMark] = []
        self._records = 0
        self._progress: BatchProgress | None = None
        self._commit = 0

    def __len__(self) -> int:
        return len(self._csns)

    def add(self, whole: WholeTrail, extent: Extent) -> None:
        """Take a transaction in, and the damage in it."""
        if extent.first is None:
            return
        first, after = _place(whole, extent.first), _place(whole, extent.after) if extent.after else None
        ending = ENDINGS.index(extent.ended)
        values = (*first, extent.begin is not None, *(after or (NOWHERE, NOWHERE)), extent.records, extent.size, ending)
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)
        self._records += extent.records
        if extent.last is not None:
            self._progress = BatchProgress(self._records, _place(whole, extent.last), extent.last_moment.time)
        self._commit = max(self._commit, extent.latest)
        self._csns.append(extent.transaction.csn)
        self._xids.append(extent.transaction.xid)

    def batch(self) -> TransactionBatch:
        """What there is."""
        columns = TransactionBatchColumns(*self._columns)
        return TransactionBatch(
            columns, self._csns, self._xids, self.marks, progress=self._progress, commit=self._commit
        )


def _place(whole: WholeTrail, position: FilePosition) -> TrailPosition:
    return TrailPosition(whole.ordinals[position.path], position.rba)


class BatchesByRecord:
    """The batches in plain Python: one walk for each stretch of files."""

    def __init__(self, whole: WholeTrail, start: TrailPosition) -> None:
        self._whole, self._start = whole, start
        self._rows = _Rows()
        self._ordinal = start.ordinal

    def batches(self) -> Iterator[TransactionBatch]:
        """All of them."""
        ordinal = self._start.ordinal
        while ordinal < len(self._whole):
            self._ordinal = ordinal
            yield from self._stretch(ordinal)
            ordinal = self._ordinal + 1

    def _stretch(self, ordinal: int) -> Iterator[TransactionBatch]:
        trail = self._whole.open(ordinal)
        if trail is None:
            return
        with trail:
            start = FilePosition(trail.path, self._start.rba if ordinal == self._start.ordinal else 0)
            self._rows.marks.append(TrailMark(TrailPosition(ordinal, 0), 0, BEGIN_OF_FILE))
            for item in WalkByRecord(trail, start, following=self._following):
                self._take(item)
                is_cut = isinstance(item, Extent) and item.marker is not None
                if len(self._rows) >= _MOST_ROWS and not is_cut:
                    yield self._lot()
        yield self._lot()

    def _following(self, path: Path) -> tuple[Path | None, Path | None]:
        following, missing = self._whole.following(path)
        if following is not None:
            self._ordinal = self._whole.ordinals[following]
            self._rows.marks.append(TrailMark(TrailPosition(self._ordinal, 0), 0, BEGIN_OF_FILE))
        return following, missing

    def _take(self, item: Extent | Damage | Restart) -> None:
        if isinstance(item, Extent):
            self._rows.add(self._whole, item)
            for damage in item.damage:
                self._mark_damage(damage)
        elif isinstance(item, Damage):
            self._mark_damage(item)
        else:
            self._rows.marks.append(TrailMark(_place(self._whole, item.position), item.after, item.io_type, item.time))

    def _mark_damage(self, damage: Damage) -> None:
        place = _place(self._whole, FilePosition(damage.path, damage.rba))
        is_half = damage.is_partial and self._whole.is_newest(place.ordinal)
        mark = TrailMark(place, damage.rba + damage.length, HALF_A_RECORD if is_half else DAMAGE)
        if mark not in self._rows.marks:
            self._rows.marks.append(mark)

    def _lot(self) -> TransactionBatch:
        rows, self._rows = self._rows, _Rows()
        rows.marks.sort()
        return rows.batch()
