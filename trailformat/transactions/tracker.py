"""LOGCSN and TRANID as columns: the transaction of each row of a scan's batches.

    tracker = TransactionTracker(trail)
    for batch in scan(trail):
        owners = tracker.of(batch)
        print([owners.transactions[number].csn for number in owners.index])

The begin and end of transactions are found by :class:`Segments`. Only the first record of a transaction has its LOGCSN
and TRANID; rows whose first record is missing, and rows after damage in a transaction, have neither.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from trailformat.changes.transaction_context import TransactionSearch
from trailformat.codec.byte_order import ByteOrder
from trailformat.native.scan.arguments import ABSENT
from trailformat.records.record_header import (
    BEGINS,
    ENDS,
    NO_TRANSACTION,
    NOT_TRANSACTIONAL,
    RECORD_FRAGMENT,
    RESTARTS,
    CarriedTransaction,
    Transaction,
)
from trailformat.scan import FILE_HEADER, RECORD
from trailformat.scan.batch import Batch, BatchColumn, StringColumn
from trailformat.scan.row_tokens import csn_and_xid_of
from trailformat.trail.file import TrailFile
from trailformat.transactions.batches import NOWHERE

if TYPE_CHECKING:
    from trailformat.scan.rows.row_bytes import RowBuffer


Array = np.ndarray[Any, Any]
_ZERO = np.zeros(1, np.int64)


def _table(values: Iterable[int]) -> Array:
    table = np.zeros(256, bool)
    table[list(values)] = True
    return table


_IS_OUTSIDE, _IS_RESTART, _BEGINS, _ENDS = map(_table, (NOT_TRANSACTIONAL, RESTARTS, BEGINS, ENDS))


class Segments:
    """The records of a batch by transaction; segment 0 is the transaction that was open before, if any.

    Args:
        batch: of one file.
        is_open: True if the first records may belong to a transaction of earlier batches.
        has_ended: True if that transaction has its last record, so that only fragments may belong to it.

    Attributes:
        kind, rba, length: the columns of the batch.
        fragments, spans, restarts: the rows of record fragments, of damage or an incomplete end, and of restarts.
        rows: the rows of transactions, without fragments.
        starts: the first row of each segment but segment 0.
        begins: True where a transaction begins at that row; False where its begin is lost.
        records, sizes: number of records of each segment and their bytes, without fragments.
        has_end, has_restart: True if the segment has its last record; if a restart follows its records.
        end_rows: the row of the last record; -1 if it is in an earlier batch.
        restart_rows: the row of the restart after the segment; the number of rows without one.
    """

    def __init__(self, batch: Batch, *, is_open: bool, has_ended: bool) -> None:
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
        self.restarts, self.rows = rows[restart], rows[~restart]
        self._exists = is_open
        self._divide(rows, restart, trans_ind[rows], is_closed=has_ended or not is_open)
        if has_ended and not self.records[0]:
            self.has_end[0] = True

    def _divide(self, rows: Array, restart: Array, trans_ind: Array, *, is_closed: bool) -> None:
        """Set the columns of the segments, given the rows of transactions and restarts."""
        begins, closes = _BEGINS[trans_ind] & ~restart, _ENDS[trans_ind] | restart
        closed = np.concatenate((np.array([is_closed]), closes))[:-1]
        indexes = np.flatnonzero(~restart & (begins | closed))
        self.starts, self.begins = rows[indexes], begins[indexes]
        first, stop = np.concatenate((_ZERO, indexes)), np.concatenate((indexes, np.array([len(rows)])))
        records = np.concatenate((_ZERO, np.cumsum(~restart)))
        sizes = np.concatenate((_ZERO, np.cumsum(np.where(restart, 0, self.length[rows]))))
        self.records, self.sizes = records[stop] - records[first], sizes[stop] - sizes[first]
        next_rows = first + self.records
        self.has_restart = next_rows < stop
        padded = np.concatenate((rows, np.array([len(self.kind), -1])))
        self.restart_rows = np.where(self.has_restart, padded[np.minimum(next_rows, len(rows))], len(self.kind))
        last = np.where(self.records > 0, next_rows - 1, len(rows) + 1)
        self.has_end = np.concatenate((closes & ~restart, np.zeros(2, bool)))[last]
        self.end_rows = padded[last]

    def __len__(self) -> int:
        return len(self.records)

    def of(self, rows: Array) -> Array:
        """Return the segment of each of these rows of the batch."""
        return np.searchsorted(self.starts, rows, "right")

    def exists(self, segments: Array) -> Array:
        """Return a mask of the segments that are transactions; segment 0 is none if nothing was open."""
        return (segments > 0) | self._exists

    def is_open_at(self, segments: Array, rows: Array) -> Array:
        """Return a mask: True where a segment is a transaction that is still open at its row."""
        close = np.where(self.has_end, self.end_rows, self.restart_rows)
        mask: Array = self.exists(segments) & (close[segments] > rows)
        return mask

    def after_rbas(self) -> Array:
        """Return the first RBA after each segment; NOWHERE for the last one while it is open."""
        next_rows = np.concatenate((self.rba + self.length, np.array([NOWHERE])))
        after = np.concatenate((self.rba[self.starts], np.array([NOWHERE])))
        after = np.where(self.has_restart, next_rows[self.restart_rows], after)
        rbas: Array = np.where(self.has_end, next_rows[self.end_rows], after)
        return rbas

    @cached_property
    def own_fragments(self) -> tuple[Array, Array]:
        """The fragments of transactions, and their segments; not after a restart, nor after damage past the end."""
        segments = self.of(self.fragments)
        own = self.exists(segments) & (self.restart_rows[segments] > self.fragments)
        for number in np.flatnonzero(own & self.has_end[segments]).tolist() if len(self.spans) else ():
            own[number] = not self.is_damaged_after(int(segments[number]), int(self.fragments[number]))
        return self.fragments[own], segments[own]

    @cached_property
    def marked(self) -> Array:
        """The rows of restarts and of damage, ascending."""
        return np.sort(np.concatenate((self.restarts, self.spans)))

    @property
    def is_empty(self) -> bool:
        """True if no row of the batch is of a transaction, a restart or damage."""
        return not (len(self.rows) or len(self.fragments) or len(self.marked))

    def first_row(self) -> int | None:
        """Return the first row that continues a transaction begun before the batch; None without one."""
        first = int(self.fragments[0]) if len(self.fragments) else len(self.kind)
        if len(self.starts) and self.starts[0] < first:
            first = int(self.starts[0]) if not self.begins[0] else len(self.kind)
        return first if first < min(self.marked[:1], default=len(self.kind)) else None

    def members(self) -> tuple[Array, Array]:
        """Return the rows of transactions, with fragments, ascending, and their segments."""
        fragments, owners = self.own_fragments
        segments = self.of(self.rows)
        if not len(fragments):
            return self.rows, segments
        rows = np.concatenate((self.rows, fragments))
        order = np.argsort(rows, kind="stable")
        return rows[order], np.concatenate((segments, owners))[order]

    def is_damaged_after(self, segment: int, row: int) -> bool:
        """Return True if there is damage between the last record of a segment that has ended and a row."""
        first = np.searchsorted(self.spans, self.end_rows[segment], "right")
        return bool(first < len(self.spans) and self.spans[first] < row)

    @property
    def is_over(self) -> bool:
        """True if no record after the batch can belong to the last segment."""
        last = len(self) - 1
        ends_in_damage = bool(self.has_end[last]) and self.is_damaged_after(last, len(self.kind))
        return ends_in_damage or bool(self.has_restart[last]) or not self.exists(np.array([last]))[0]


class OpenAtEnd(NamedTuple):
    """The transaction that is open at the end: its records, their bytes, the time of the first one (Julian)."""

    records: int = 0
    size: int = 0
    begun: int | None = None


class TransactionCounts:
    """What batches, given in file order, add up to; fragments have no bytes of their own here.

    Attributes:
        ended: number of transactions with their last record.
        cut: number of those without: a restart of the writer or another transaction follows.
        restarts: number of restarts of the writer.
        largest: bytes of the largest one that has ended.
        open: the one that is open at the end; None without one.
    """

    def __init__(
        self, ended: int = 0, cut: int = 0, restarts: int = 0, largest: int = 0, last: OpenAtEnd | None = None
    ) -> None:
        self.ended, self.cut, self.restarts, self.largest, self.open = ended, cut, restarts, largest, last

    def add(self, batch: Batch) -> None:
        """Add a batch; its first transaction may have begun before, its last one may go on after it."""
        segments = Segments(batch, is_open=self.open is not None, has_ended=False)
        self.restarts += len(segments.restarts)
        last = len(segments) - 1
        if self.open is not None:
            self._add(segments, 0, self.open, is_last=last == 0)
        if last > 1:
            is_ended = segments.has_end[1:last]
            self.ended += int(is_ended.sum())
            self.cut += int((~is_ended).sum())
            self.largest = max(self.largest, int(np.max(segments.sizes[1:last][is_ended], initial=0)))
        if last > 0:
            begun = int(np.asarray(batch.io_time)[segments.starts[last - 1]])
            self._add(segments, last, OpenAtEnd(begun=begun), is_last=True)

    def _add(self, segments: Segments, number: int, former: OpenAtEnd, *, is_last: bool) -> None:
        """Add a segment to what is there of its transaction."""
        records = former.records + int(segments.records[number])
        size = former.size + int(segments.sizes[number])
        self.open = None
        if segments.has_end[number]:
            self.ended += 1
            self.largest = max(self.largest, size)
        elif segments.has_restart[number] or not is_last:
            self.cut += 1
        else:
            self.open = former._replace(records=records, size=size)


def _begins(batch: Batch) -> Array:
    """Return the rows at which a transaction begins, whatever precedes them."""
    rows = np.flatnonzero(_BEGINS[np.asarray(batch.trans_ind)] & (np.asarray(batch.kind) == RECORD))
    io_type = np.asarray(batch.io_type)[rows]
    begin_rows: Array = rows[~(_IS_OUTSIDE[io_type] | _IS_RESTART[io_type] | (io_type == RECORD_FRAGMENT))]
    return begin_rows


def first_begin(batch: Batch) -> int | None:
    """Return the RBA of the first begin of a transaction in a batch; None without one."""
    rows = _begins(batch)
    return int(batch.rba[rows[0]]) if len(rows) else None


def last_begin(batch: Batch) -> int:
    """Return the row of the last begin of a transaction in a batch; 0 without one."""
    rows = _begins(batch)
    return int(rows[-1]) if len(rows) else 0


_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)
_NONE, _OPEN = range(2)
"""Numbers of transactions in a batch: no transaction, and the one that is open at the start of the batch."""


class RowTransactions:
    """The transaction of each row of a batch: ``transactions[index[row]]``.

    Attributes:
        index: int32; 0, NO_TRANSACTION, for damage and rows outside transactions. Others are numbered in file order;
            one of unknown name equals NO_TRANSACTION too.
        csns: LOGCSN of the transactions by number.
        xids: TRANID of the transactions by number.
    """

    def __init__(self, index: BatchColumn, csns: StringColumn, xids: StringColumn) -> None:
        self.index = index
        self.csns = csns
        self.xids = xids

    @classmethod
    def of_one(cls, transaction: Transaction) -> RowTransactions:
        """Return the transactions of a batch of one row."""
        absent = np.full(_OPEN + 1, ABSENT, np.int64)
        texts = (StringColumn(b"", absent, absent, {_OPEN: text}) for text in transaction)
        return cls(np.full(1, _OPEN, np.int32), *texts)

    @classmethod
    def unknown(cls, rows: int) -> RowTransactions:
        """Return NO_TRANSACTION for every row, for readers that need no transactions."""
        absent = np.full(1, ABSENT, np.int64)
        texts = StringColumn(b"", absent, absent, {})
        return cls(np.zeros(rows, np.int32), texts, texts)

    @cached_property
    def transactions(self) -> list[Transaction]:
        """The transactions by number; built on first access, 1 to 2 microseconds each."""
        return [NO_TRANSACTION, *map(Transaction, islice(self.csns, 1, None), islice(self.xids, 1, None))]

    def of_row(self, row: int) -> Transaction:
        """Return the transaction of a row."""
        return self.transaction(self.index[row])

    def transaction(self, number: int) -> Transaction:
        """Return the transaction with this number."""
        return Transaction(self.csns[number], self.xids[number])


class TrackerState(NamedTuple):
    """The state of a tracker, to resume from it with another one.

    Attributes:
        rba: the end of its last batch.
        last: the transaction that may continue there.
        is_unknown: True if no row so far has shown whether a transaction is open.
    """

    rba: int
    last: CarriedTransaction | None
    is_unknown: bool


class TransactionTracker:
    """LOGCSN and TRANID carried over the rows of batches, in file order.

    After a jump (a batch that does not begin at the end of the last one) the begin of the transaction is searched for
    backwards, in earlier files too.

    Args:
        trail: the file of the batches.
        before: the transaction that is open at the first batch, if the caller has it.
    """

    def __init__(self, trail: TrailFile, *, before: Transaction | None = None) -> None:
        self._trail = trail
        self._search = TransactionSearch(trail)
        self._expected_rba = -1
        self._before = before
        self._last: CarriedTransaction | None = None
        self._is_unknown = False

    @property
    def state(self) -> TrackerState:
        """The position and the transaction that continues there."""
        return TrackerState(self._expected_rba, self._last, self._is_unknown)

    def resume(self, state: TrackerState) -> None:
        """Continue from the state of another tracker of the same file."""
        self._expected_rba, self._last, self._is_unknown = state

    def of(self, batch: Batch, row_buffer: RowBuffer | None = None) -> RowTransactions:
        """Return the transactions of the next batch; ``row_buffer`` has its bytes if they have been read.

        Raises:
            NotATrail: the file is closed.
            CannotRead: the file can no longer be read, or is shorter than when the batch was made.
        """
        self._trail.refresh()
        segments = self._divided(batch)
        starts, is_told = segments.starts, segments.begins
        texts = [
            _later_part(text, self._last.transaction[field] if self._last is not None else None)
            for field, text in enumerate(csn_and_xid_of(batch, starts, is_told, self._trail.buffer, row_buffer))
        ]
        index = np.zeros(len(batch), np.int32)
        rows, numbers = segments.members()
        index[rows] = numbers + _OPEN
        damaged, first = np.unique(segments.of(segments.spans), return_index=True)
        stops = np.append(starts, len(batch))[damaged]
        for span, stop in zip(segments.spans[first].tolist(), stops.tolist(), strict=True):
            index[span:stop] = _NONE
        owners = RowTransactions(index, *texts)
        self._leave(batch, segments, lambda: owners.transaction(len(segments) - 1 + _OPEN))
        return owners

    def pass_over(self, batch: Batch) -> None:
        """Update the state by the next batch as ``of`` does, but read only its last transaction. Raises like ``of``."""
        self._trail.refresh()
        batch = batch.part(last_begin(batch), len(batch))
        segments = self._divided(batch)

        def last() -> Transaction:
            if len(segments) == 1:
                return self._last.transaction if self._last is not None else NO_TRANSACTION
            rows, is_told = segments.starts[-1:], segments.begins[-1:]
            csns, xids = csn_and_xid_of(batch, rows, is_told, self._trail.buffer)
            return Transaction(csns[0], xids[0])

        self._leave(batch, segments, last)

    def _divided(self, batch: Batch) -> Segments:
        """Return the segments of a batch; if the transaction open at its start is not known, search for its begin."""
        if self._before is not None:
            self._last, self._before = CarriedTransaction(self._before), None
        elif int(batch.rba[0]) != self._expected_rba:
            self._last, self._is_unknown = None, True
        segments = self._with_last(batch)
        row = segments.first_row() if self._is_unknown else None
        self._is_unknown = self._is_unknown and row is None and segments.is_empty
        if row is not None:
            is_fragment = batch.io_type[row] == RECORD_FRAGMENT
            order = _ORDERS[batch.order[row]]
            self._last = self._search.carried_at(int(batch.rba[row]), order, is_fragment=bool(is_fragment))
            segments = self._with_last(batch)
        return segments

    def _with_last(self, batch: Batch) -> Segments:
        last = self._last
        return Segments(batch, is_open=last is not None, has_ended=last is not None and last.has_ended)

    def _leave(self, batch: Batch, segments: Segments, last: Callable[[], Transaction]) -> None:
        """Note the transaction that may continue after a batch; after damage its name is unknown.

        ``last`` returns the last transaction of the batch.
        """
        number = len(segments) - 1
        self._expected_rba = batch.end
        if segments.is_over:
            self._last = None
            return
        is_known = not len(segments.spans) or int(segments.of(segments.spans[-1:])[0]) < number
        transaction = last() if is_known else NO_TRANSACTION
        self._last = CarriedTransaction(transaction, bool(segments.has_end[number]))


def _later_part(column: StringColumn, before: str | None) -> StringColumn:
    """Return texts by transaction number; ``before`` is that of the transaction open at the start of the batch."""
    absent = np.full(_OPEN + 1, ABSENT, np.int64)
    starts, sizes = (np.concatenate((absent, np.asarray(places))) for places in (column.starts, column.sizes))
    known = {number + _OPEN + 1: text for number, text in column.known.items()}
    return StringColumn(column.data, starts, sizes, known | {_OPEN: before})
