"""The walk over transactions: a batch of records at a time, over files.

The begin and end of transactions in a batch are found by :mod:`trailformat.transactions.tracker`; the ways in which
they end are in :mod:`trailformat.transactions.extent`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from trailformat.records.record_header import CarriedTransaction, Transaction
from trailformat.scan import BAD_SPAN, PARTIAL, RECORD, StringColumn, Workers
from trailformat.scan.row_tokens import csn_and_xid_of
from trailformat.transactions.batches import (
    BEGIN_OF_FILE,
    DAMAGE,
    ENDINGS,
    HALF_A_RECORD,
    LAST,
    NOWHERE,
    BatchProgress,
    TrailMark,
    TransactionBatch,
    TransactionBatchColumns,
)
from trailformat.transactions.extent import Ended
from trailformat.transactions.tracker import Array, Segments
from trailformat.transactions.whole_trail import FIRST_PLACE, FileBatch, TrailPosition, WholeTrail

_CODES = {ended: number for number, ended in enumerate(ENDINGS)}


class _OpenTransaction(NamedTuple):
    """A transaction that is open at the end of a batch, or has ended and may be followed by fragments."""

    first: TrailPosition
    has_begin: bool
    after: TrailPosition | None
    records: int
    size: int
    is_damaged: bool
    transaction: Transaction


class ColumnWalk:
    """Converts batches of records, given in trail order, to batches of the transactions that end in them."""

    def __init__(self) -> None:
        self._growing: _OpenTransaction | None = None
        self._is_lost = False

    @property
    def is_open(self) -> bool:
        """True if further records (only fragments if ``has_ended``) may belong to a transaction of earlier batches."""
        return self._growing is not None

    @property
    def has_ended(self) -> bool:
        """True if that transaction has ended."""
        return self._growing is not None and self._growing.after is not None

    @property
    def open_places(self) -> tuple[TrailPosition | None, TrailPosition | None]:
        """The begin of that transaction and the position after its end; each None if not known."""
        growing = self._growing
        return (growing.first if growing.has_begin else None, growing.after) if growing is not None else (None, None)

    @property
    def carried(self) -> CarriedTransaction | None:
        """The name of that transaction, for rows that are read from here on; None if not known."""
        growing = self._growing
        if growing is None or not growing.has_begin or growing.is_damaged:
            return None
        return CarriedTransaction(growing.transaction, self.has_ended)

    def end(self) -> Iterator[TransactionBatch]:
        """Yield the transaction that is open at the end of a stretch of files."""
        self._is_lost = False
        yield from self._end_growing()

    def end_file(self) -> Iterator[TransactionBatch]:
        """Yield the transaction that has ended in a file, when the next file begins: no fragment follows there."""
        if self.has_ended:
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
        yield TransactionBatch(TransactionBatchColumns(*(np.array([value]) for value in values)), [csn], [xid], (), 1)

    def segments(self, file_batch: FileBatch) -> Segments:
        """Return the segments of the next batch."""
        return Segments(file_batch.batch, is_open=self.is_open, has_ended=self.has_ended)

    def take(self, file_batch: FileBatch, segments: Segments | None = None) -> TransactionBatch:
        """Return the transactions that end in a batch; ``segments`` is the result of that method, None: compute it."""
        growing = self._growing
        segments = segments or self.segments(file_batch)
        columns = self._columns(file_batch, segments)
        csns, xids = _csns_and_xids(file_batch, segments)
        stop = len(segments) if segments.is_over else len(segments) - 1
        self._growing = None if segments.is_over else self._left(columns, csns, xids)
        first = 0 if growing is not None else 1
        carried = int(first == 0 and stop > 0)
        before = growing.transaction if growing is not None and carried else None
        parts = csns.part(0, max(stop - 1, 0)), xids.part(0, max(stop - 1, 0))
        return TransactionBatch(
            TransactionBatchColumns(*(column[first:stop] for column in columns)),
            _CarriedTexts(before.csn if before else None, carried, parts[0]),
            _CarriedTexts(before.xid if before else None, carried, parts[1]),
            _marks(file_batch, segments),
            carried,
            parts[0],
            _progress_of(file_batch, segments),
            _commit(file_batch, segments),
            parts[1],
        )

    def _columns(self, file_batch: FileBatch, segments: Segments) -> tuple[Array, ...]:
        """Return the columns of TransactionBatchColumns for a batch, one row per segment."""
        number, growing = len(segments), self._growing
        files = np.full(number, file_batch.ordinal)
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
        fragments, owners = segments.own_fragments
        np.add.at(records, owners, 1)
        np.add.at(sizes, owners, segments.length[fragments])
        late = segments.has_end[owners] & (fragments > segments.end_rows[owners])
        for row, segment in zip(fragments[late].tolist(), owners[late].tolist(), strict=True):
            after_files[segment], after_rbas[segment] = file_batch.ordinal, segments.rba[row] + segments.length[row]
        records[0] += growing.records if growing is not None else 0
        sizes[0] += growing.size if growing is not None else 0
        cut = np.where(segments.has_restart, _CODES[Ended.CUT], _CODES[Ended.OVERTAKEN])
        endings = np.where(is_damaged, _CODES[Ended.DAMAGE], np.where(segments.has_end, LAST, cut)).astype(np.uint8)
        return files, rbas, begins, after_files, after_rbas, records, sizes, endings

    def _damaged(self, segments: Segments) -> Array:
        """Return a mask of the segments with damage inside, or directly before them if their begin is lost."""
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

    def _is_lost_before(self, row: int, resets: Array, spans: Array) -> bool:
        """Return True if there is damage between a row and the last transaction or restart before it."""
        index = np.searchsorted(resets, row)
        reset = int(resets[index - 1]) if index else -1
        before = np.searchsorted(spans, row)
        return bool(before and spans[before - 1] > reset) or (not index and self._is_lost)

    def _left(self, columns: tuple[Array, ...], csns: StringColumn, xids: StringColumn) -> _OpenTransaction:
        """Return the transaction that the last segment leaves open."""
        file, rba, begins, after_file, after_rba, records, size, ending = (column[-1].item() for column in columns)
        is_here = len(columns[0]) > 1
        assert is_here or self._growing is not None  # noqa: S101 - else no transaction is open
        transaction = Transaction(csns[-1], xids[-1]) if is_here else self._growing.transaction  # type: ignore[union-attr]
        after = TrailPosition(after_file, after_rba) if after_rba != NOWHERE else None
        is_damaged = ending == _CODES[Ended.DAMAGE]
        return _OpenTransaction(TrailPosition(file, rba), begins, after, records, size, is_damaged, transaction)


class _CarriedTexts(Sequence[str | None]):
    """Texts after that of the transaction carried from an earlier batch, if there is one."""

    def __init__(self, first: str | None, carried: int, texts: StringColumn) -> None:
        self._first, self._carried, self._texts = first, carried, texts

    def __len__(self) -> int:
        return self._carried + len(self._texts)

    def __getitem__(self, row: Any) -> Any:
        return self._texts[row - self._carried] if row >= self._carried else self._first


def _csns_and_xids(file_batch: FileBatch, segments: Segments) -> tuple[StringColumn, StringColumn]:
    """Return LOGCSN and TRANID of the transactions that begin in a batch, from their first records."""
    if file_batch.batch.end > len(file_batch.trail.buffer):
        file_batch.trail.refresh()
    return csn_and_xid_of(file_batch.batch, segments.starts, segments.begins, file_batch.trail.buffer)


def _progress_of(file_batch: FileBatch, segments: Segments) -> BatchProgress:
    batch = file_batch.batch
    place = TrailPosition(file_batch.ordinal, int(batch.rba[len(batch) - 1]))
    return BatchProgress(len(batch) - len(segments.spans), place, int(batch.io_time[len(batch) - 1]))


def _commit(file_batch: FileBatch, segments: Segments) -> int:
    return int(np.asarray(file_batch.batch.io_time)[segments.rows].max(initial=0))


def _marks(file_batch: FileBatch, segments: Segments) -> list[TrailMark]:
    marks = [TrailMark(TrailPosition(file_batch.ordinal, 0), 0, BEGIN_OF_FILE)] if file_batch.begins else []
    batch = file_batch.batch
    for row in segments.marked.tolist():
        place, after = TrailPosition(file_batch.ordinal, int(batch.rba[row])), int(batch.rba[row] + batch.length[row])
        if batch.kind[row] == RECORD:
            marks.append(TrailMark(place, after, int(batch.io_type[row]), int(batch.io_time[row])))
        else:
            marks.append(TrailMark(place, after, HALF_A_RECORD if batch.kind[row] == PARTIAL else DAMAGE))
    return marks


def transactions_in(batches: Iterable[FileBatch]) -> Iterator[TransactionBatch]:
    """Yield the transactions in the batches of a whole trail."""
    walk = ColumnWalk()
    for file_batch in batches:
        if file_batch.breaks:
            yield from walk.end()
        if file_batch.begins:
            yield from walk.end_file()
        yield walk.take(file_batch)
    yield from walk.end()


def transaction_batches(
    whole: WholeTrail, start: TrailPosition = FIRST_PLACE, workers: Workers | None = None
) -> Iterator[TransactionBatch]:
    """Yield the transactions of a trail from ``start``, the position of a record outside open transactions.

    Raises:
        CannotRead: a file can no longer be read.
    """
    return transactions_in(whole.batches(start, workers))
