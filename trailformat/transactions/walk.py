"""The lots by columns, with numpy: a batch of records at a time.

What stands in a batch is taken apart at the records that matter, those of transactions and restarts:

    record       only  first middle  restart  first last  only
    start        x     x                      x           x         where a transaction begins or is found
    segment      1     2---------------------  3---------  4        0 is what was open before the batch
    closes       x                   x              x     x
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from trailformat.changes.transactions import BEGINS, ENDS, Transaction
from trailformat.records.io_types import NOT_TRANSACTIONAL, RECORD_FRAGMENT, RESTARTS
from trailformat.scan import BAD_SPAN, FILE_HEADER, PARTIAL, RECORD, StringColumn
from trailformat.scan.transactions.told import told_by
from trailformat.transactions.batches import (
    BEGIN_OF_FILE,
    DAMAGE,
    ENDINGS,
    HALF_A_RECORD,
    LAST,
    NOWHERE,
    Columns,
    Reached,
    TrailMark,
    TransactionBatch,
)
from trailformat.transactions.extents import Ended
from trailformat.transactions.whole_trail import FileBatch, TrailPosition

_Array = np.ndarray[Any, Any]
_ZERO = np.zeros(1, np.int64)
_CODES = {ended: number for number, ended in enumerate(ENDINGS)}


def _table(values: Iterable[int]) -> _Array:
    table = np.zeros(256, bool)
    table[list(values)] = True
    return table


_IS_OUTSIDE, _IS_RESTART, _BEGINS, _ENDS = map(_table, (NOT_TRANSACTIONAL, RESTARTS, BEGINS, ENDS))


class _Growing(NamedTuple):
    """A transaction that is open where a batch ends, or has ended and may have fragments behind it."""

    first: TrailPosition
    has_begin: bool
    after: TrailPosition | None
    records: int
    size: int
    is_damaged: bool
    transaction: Transaction


class _Segments:
    """The records of a batch by transaction; segment 0 is what was open before, if anything was.

    Attributes:
        kind, rba, length: of the batch.
        fragments, spans, restarts: rows of these kinds.
        starts: rows where a transaction begins or is found.
        begins: whether it begins there.
        records, sizes: of each segment, without fragments.
        has_end, has_restart: how each closes.
        end_rows: the row of its last record, where that is here; -1 where it was before.
        restart_rows: the row of the restart behind it; beyond all rows where there is none.
    """

    def __init__(self, found: FileBatch, growing: _Growing | None) -> None:
        batch = found.batch
        self.kind, self.rba, self.length = map(np.asarray, (batch.kind, batch.rba, batch.length))
        io_type, trans_ind = np.asarray(batch.io_type), np.asarray(batch.trans_ind)
        is_record = self.kind == RECORD
        is_row = is_record & ~_IS_OUTSIDE[io_type]
        self.fragments = np.flatnonzero(is_row & (io_type == RECORD_FRAGMENT))
        self.spans = np.flatnonzero(self.kind > FILE_HEADER)
        is_row[self.fragments] = False
        is_restart = is_record & _IS_RESTART[io_type]
        rows = np.flatnonzero(is_row | is_restart)
        restart = is_restart[rows]
        self.restarts = rows[restart]
        is_ended_before = growing is not None and growing.after is not None
        self._divide(rows, restart, trans_ind[rows], is_closed=growing is None or is_ended_before)
        self._exists = growing is not None
        if is_ended_before and not self.records[0]:
            self.has_end[0] = True

    def _divide(self, rows: _Array, restart: _Array, trans_ind: _Array, *, is_closed: bool) -> None:
        """Find where transactions begin among the rows that matter, and what lies between."""
        begins, closes = _BEGINS[trans_ind] & ~restart, _ENDS[trans_ind] | restart
        closed = np.concatenate((np.array([is_closed]), closes))[:-1]
        at = np.flatnonzero(~restart & (begins | closed))
        self.starts, self.begins = rows[at], begins[at]
        first, stop = np.concatenate((_ZERO, at)), np.concatenate((at, np.array([len(rows)])))
        records = np.concatenate((_ZERO, np.cumsum(~restart)))
        sizes = np.concatenate((_ZERO, np.cumsum(np.where(restart, 0, self.length[rows]))))
        self.records, self.sizes = records[stop] - records[first], sizes[stop] - sizes[first]
        behind = first + self.records
        self.has_restart = behind < stop
        padded = np.concatenate((rows, np.array([len(self.kind), -1])))
        self.restart_rows = np.where(self.has_restart, padded[np.minimum(behind, len(rows))], len(self.kind))
        last = np.where(self.records > 0, behind - 1, len(rows) + 1)
        self.has_end = np.concatenate((closes & ~restart, np.zeros(2, bool)))[last]
        self.end_rows = padded[last]

    def __len__(self) -> int:
        return len(self.records)

    def of(self, rows: _Array) -> _Array:
        """The segments in which rows stand."""
        return np.searchsorted(self.starts, rows, "right")

    def exists(self, segments: _Array) -> _Array:
        """Whether they are transactions; segment 0 is none where nothing was open."""
        return (segments > 0) | self._exists

    def is_open_at(self, segments: _Array, rows: _Array) -> _Array:
        """Whether these segments are not closed at these rows."""
        close = np.where(self.has_end, self.end_rows, self.restart_rows)
        found: _Array = self.exists(segments) & (close[segments] > rows)
        return found

    def after_rbas(self) -> _Array:
        """The first RBA behind each; NOWHERE of the last one while it is open."""
        behind = np.concatenate((self.rba + self.length, np.array([NOWHERE])))
        after = np.concatenate((self.rba[self.starts], np.array([NOWHERE])))
        after = np.where(self.has_restart, behind[self.restart_rows], after)
        found: _Array = np.where(self.has_end, behind[self.end_rows], after)
        return found

    def own_fragments(self) -> tuple[_Array, _Array]:
        """The fragments that belong to a transaction, and their segments: nothing has come between that closed it."""
        segments = self.of(self.fragments)
        own = self.exists(segments) & (self.restart_rows[segments] > self.fragments)
        for number in np.flatnonzero(own & self.has_end[segments]).tolist() if len(self.spans) else ():
            own[number] = not self.is_damaged_behind(int(segments[number]), int(self.fragments[number]))
        return self.fragments[own], segments[own]

    def is_damaged_behind(self, segment: int, row: int) -> bool:
        """Whether there is damage between the last record of a segment that has ended and a row."""
        first = np.searchsorted(self.spans, self.end_rows[segment], "right")
        return bool(first < len(self.spans) and self.spans[first] < row)

    @property
    def is_over(self) -> bool:
        """Whether nothing that comes can belong to the last one."""
        last = len(self) - 1
        ends_in_damage = bool(self.has_end[last]) and self.is_damaged_behind(last, len(self.kind))
        return ends_in_damage or bool(self.has_restart[last]) or not self.exists(np.array([last]))[0]


class _ColumnWalk:
    """Takes batches, gives lots."""

    def __init__(self) -> None:
        self._growing: _Growing | None = None
        self._is_lost = False

    def end(self) -> Iterator[TransactionBatch]:
        """What is open where a stretch of files ends."""
        self._is_lost = False
        yield from self._end_growing()

    def end_file(self) -> Iterator[TransactionBatch]:
        """What has ended in a file, when another begins: no fragment is over there."""
        if self._growing is not None and self._growing.after is not None:
            yield from self._end_growing()

    def _end_growing(self) -> Iterator[TransactionBatch]:
        growing, self._growing = self._growing, None
        if growing is None:
            return
        has_end = growing.after is not None
        ended = Ended.DAMAGE if growing.is_damaged else Ended.LAST if has_end else Ended.FILE_END
        after = growing.after or TrailPosition(NOWHERE, NOWHERE)
        values = (*growing.first, growing.has_begin, *after, growing.records, growing.size, _CODES[ended])
        csn, xid = growing.transaction
        yield TransactionBatch(Columns(*(np.array([value]) for value in values)), [csn], [xid], (), 1)

    def take(self, found: FileBatch) -> TransactionBatch:
        """What has ended in a batch."""
        growing = self._growing
        segments = _Segments(found, growing)
        columns = self._columns(found, segments)
        csns, xids = _told(found, segments.starts)
        stop = len(segments) if segments.is_over else len(segments) - 1
        self._growing = None if segments.is_over else self._left(columns, csns, xids)
        first = 0 if growing is not None else 1
        carried = int(first == 0 and stop > 0)
        before = growing.transaction if growing is not None and carried else None
        kept = csns.part(0, max(stop - 1, 0)), xids.part(0, max(stop - 1, 0))
        return TransactionBatch(
            Columns(*(column[first:stop] for column in columns)),
            _Joined(before.csn if before else None, carried, kept[0]),
            _Joined(before.xid if before else None, carried, kept[1]),
            _marks(found, segments),
            carried,
            kept[0],
            _reached(found, segments),
            _commit(found),
        )

    def _columns(self, found: FileBatch, segments: _Segments) -> tuple[_Array, ...]:
        """Those of a lot, one row a segment."""
        number, growing = len(segments), self._growing
        files = np.full(number, found.ordinal)
        after_files = files.copy()
        rbas, begins = np.zeros(number, np.int64), np.zeros(number, bool)
        rbas[1:], begins[1:] = segments.rba[segments.starts], segments.begins
        records, sizes, after_rbas = segments.records.copy(), segments.sizes.copy(), segments.after_rbas()
        is_damaged = self._damaged(segments)
        if growing is not None:
            files[0], rbas[0] = growing.first
            begins[0] = growing.has_begin
            is_damaged[0] |= growing.is_damaged
            if growing.after is not None:
                after_files[0], after_rbas[0] = growing.after
        fragments, owners = segments.own_fragments()
        np.add.at(records, owners, 1)
        np.add.at(sizes, owners, segments.length[fragments])
        late = segments.has_end[owners] & (fragments > segments.end_rows[owners])
        for row, segment in zip(fragments[late].tolist(), owners[late].tolist(), strict=True):
            after_files[segment], after_rbas[segment] = found.ordinal, segments.rba[row] + segments.length[row]
        records[0] += growing.records if growing is not None else 0
        sizes[0] += growing.size if growing is not None else 0
        cut = np.where(segments.has_restart, _CODES[Ended.CUT], _CODES[Ended.OVERTAKEN])
        endings = np.where(is_damaged, _CODES[Ended.DAMAGE], np.where(segments.has_end, LAST, cut)).astype(np.uint8)
        return files, rbas, begins, after_files, after_rbas, records, sizes, endings

    def _damaged(self, segments: _Segments) -> _Array:
        """Which segments have damage inside, or before what is left of them where their beginning is lost."""
        is_damaged = np.zeros(len(segments), bool)
        spans = segments.spans[segments.kind[segments.spans] == BAD_SPAN]
        if not len(spans) and not self._is_lost:
            return is_damaged
        owners = segments.of(spans)
        is_inside = segments.is_open_at(owners, spans)
        is_damaged[owners[is_inside]] = True
        outside = spans[~is_inside]
        resets = np.sort(np.concatenate((segments.starts, segments.restarts)))
        for number in np.flatnonzero(~segments.begins).tolist():
            is_damaged[number + 1] |= self._is_lost_before(int(segments.starts[number]), resets, outside)
        self._is_lost = self._is_lost_before(len(segments.kind), resets, outside)
        return is_damaged

    def _is_lost_before(self, row: int, resets: _Array, spans: _Array) -> bool:
        """Whether there is damage between a row and the last transaction or restart before it."""
        at = np.searchsorted(resets, row)
        reset = int(resets[at - 1]) if at else -1
        before = np.searchsorted(spans, row)
        return bool(before and spans[before - 1] > reset) or (not at and self._is_lost)

    def _left(self, columns: tuple[_Array, ...], csns: StringColumn, xids: StringColumn) -> _Growing:
        """What the last segment leaves open."""
        file, rba, begins, after_file, after_rba, records, size, ending = (column[-1].item() for column in columns)
        is_here = len(columns[0]) > 1
        assert is_here or self._growing is not None  # noqa: S101 - else there is nothing to leave
        transaction = Transaction(csns[-1], xids[-1]) if is_here else self._growing.transaction  # type: ignore[union-attr]
        after = TrailPosition(after_file, after_rba) if after_rba != NOWHERE else None
        is_damaged = ending == _CODES[Ended.DAMAGE]
        return _Growing(TrailPosition(file, rba), begins, after, records, size, is_damaged, transaction)


class _Joined(Sequence[str | None]):
    """Texts behind the one that was carried, if one was."""

    def __init__(self, first: str | None, carried: int, texts: StringColumn) -> None:
        self._first, self._carried, self._texts = first, carried, texts

    def __len__(self) -> int:
        return self._carried + len(self._texts)

    def __getitem__(self, row: Any) -> Any:
        return self._texts[row - self._carried] if row >= self._carried else self._first


def _told(found: FileBatch, rows: _Array) -> tuple[StringColumn, StringColumn]:
    if not len(rows):
        none = StringColumn(b"", np.zeros(0, np.int64), np.zeros(0, np.int64), {})
        return none, none
    found.trail.refresh()
    return told_by(found.batch, rows, found.trail.buffer)


def _reached(found: FileBatch, segments: _Segments) -> Reached:
    batch = found.batch
    place = TrailPosition(found.ordinal, int(batch.rba[len(batch) - 1]))
    return Reached(len(batch) - len(segments.spans), place, int(batch.io_time[len(batch) - 1]))


def _commit(found: FileBatch) -> int:
    batch = found.batch
    is_inside = (np.asarray(batch.transaction) >= 0) & (np.asarray(batch.io_type) != RECORD_FRAGMENT)
    return int(np.asarray(batch.io_time)[is_inside].max(initial=0))


def _marks(found: FileBatch, segments: _Segments) -> list[TrailMark]:
    marks = [TrailMark(TrailPosition(found.ordinal, 0), 0, BEGIN_OF_FILE)] if found.begins else []
    batch = found.batch
    for row in np.sort(np.concatenate((segments.restarts, segments.spans))).tolist():
        place, after = TrailPosition(found.ordinal, int(batch.rba[row])), int(batch.rba[row] + batch.length[row])
        if batch.kind[row] == RECORD:
            marks.append(TrailMark(place, after, int(batch.io_type[row]), int(batch.io_time[row])))
        else:
            marks.append(TrailMark(place, after, HALF_A_RECORD if batch.kind[row] == PARTIAL else DAMAGE))
    return marks


def transactions_in(batches: Iterable[FileBatch]) -> Iterator[TransactionBatch]:
    """The transactions in the batches of a whole trail."""
    walk = _ColumnWalk()
    for found in batches:
        if found.breaks:
            yield from walk.end()
        if found.begins:
            yield from walk.end_file()
        yield walk.take(found)
    yield from walk.end()
