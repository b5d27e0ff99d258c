"""LOGCSN and TRANID as columns: which transaction each row of a scan's batches belongs to.

    tracker = TransactionTracker(trail)
    for batch in scan(trail):
        owners = tracker.of(batch)
        print([owners.transactions[number].csn for number in owners.index])

Where a transaction begins and ends: :class:`Segments`. What it is called stands on its first
record; of rows whose first record is not there, and of rows behind damage in a transaction, nothing is known.
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
    """The records of a batch by transaction; segment 0 is what was open before, if anything was.

    Args:
        batch: of one file.
        is_open: whether a transaction was found before the batch to which what comes may belong.
        has_ended: whether its last record is there, so that only fragments may.

    Attributes:
        kind, rba, length: of the batch.
        fragments, spans, restarts: rows of these kinds.
        rows: those of transactions without fragments.
        starts: rows where a transaction begins or is found.
        begins: whether it begins there.
        records, sizes: of each segment, without fragments.
        has_end, has_restart: how each closes.
        end_rows: the row of its last record, where that is here; -1 where it was before.
        restart_rows: the row of the restart behind it; beyond all rows where there is none.
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

    def of(self, rows: Array) -> Array:
        """The segments in which rows stand."""
        return np.searchsorted(self.starts, rows, "right")

    def exists(self, segments: Array) -> Array:
        """Whether they are transactions; segment 0 is none where nothing was open."""
        return (segments > 0) | self._exists

    def is_open_at(self, segments: Array, rows: Array) -> Array:
        """Whether these segments are not closed at these rows."""
        close = np.where(self.has_end, self.end_rows, self.restart_rows)
        found: Array = self.exists(segments) & (close[segments] > rows)
        return found

    def after_rbas(self) -> Array:
        """The first RBA behind each; NOWHERE of the last one while it is open."""
        behind = np.concatenate((self.rba + self.length, np.array([NOWHERE])))
        after = np.concatenate((self.rba[self.starts], np.array([NOWHERE])))
        after = np.where(self.has_restart, behind[self.restart_rows], after)
        found: Array = np.where(self.has_end, behind[self.end_rows], after)
        return found

    @cached_property
    def own_fragments(self) -> tuple[Array, Array]:
        """The fragments that belong to a transaction, and their segments: nothing has come between that closed it."""
        segments = self.of(self.fragments)
        own = self.exists(segments) & (self.restart_rows[segments] > self.fragments)
        for number in np.flatnonzero(own & self.has_end[segments]).tolist() if len(self.spans) else ():
            own[number] = not self.is_damaged_behind(int(segments[number]), int(self.fragments[number]))
        return self.fragments[own], segments[own]

    @cached_property
    def marked(self) -> Array:
        """The rows of restarts and of spans, in order."""
        return np.sort(np.concatenate((self.restarts, self.spans)))

    @property
    def is_empty(self) -> bool:
        """Whether nothing stands in the batch that tells of transactions."""
        return not (len(self.rows) or len(self.fragments) or len(self.marked))

    def first_row(self) -> int | None:
        """The first row that goes on with what was before the batch, if anything was; None where there is none."""
        first = int(self.fragments[0]) if len(self.fragments) else len(self.kind)
        if len(self.starts) and self.starts[0] < first:
            first = int(self.starts[0]) if not self.begins[0] else len(self.kind)
        return first if first < min(self.marked[:1], default=len(self.kind)) else None

    def members(self) -> tuple[Array, Array]:
        """The rows of transactions with their fragments, in order, and their segments."""
        fragments, owners = self.own_fragments
        segments = self.of(self.rows)
        if not len(fragments):
            return self.rows, segments
        rows = np.concatenate((self.rows, fragments))
        order = np.argsort(rows, kind="stable")
        return rows[order], np.concatenate((segments, owners))[order]

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


def _begins(batch: Batch) -> Array:
    """The rows where a transaction begins, on which nothing before them has a bearing."""
    rows = np.flatnonzero(_BEGINS[np.asarray(batch.trans_ind)] & (np.asarray(batch.kind) == RECORD))
    io_type = np.asarray(batch.io_type)[rows]
    found: Array = rows[~(_IS_OUTSIDE[io_type] | _IS_RESTART[io_type] | (io_type == RECORD_FRAGMENT))]
    return found


def first_begin(batch: Batch) -> int | None:
    """The RBA where a transaction begins first in a batch; None if none does."""
    rows = _begins(batch)
    return int(batch.rba[rows[0]]) if len(rows) else None


def last_begin(batch: Batch) -> int:
    """The row where a transaction begins last in a batch; 0 if none does."""
    rows = _begins(batch)
    return int(rows[-1]) if len(rows) else 0


_ORDERS = (ByteOrder.BIG, ByteOrder.LITTLE)
_NONE, _OPEN = range(2)
"""Numbers of transactions in a batch: none, and the one that is open where the batch begins."""


class RowTransactions:
    """For each row of a batch its transaction: ``transactions[index[row]]``.

    Attributes:
        index: int32; 0 is NO_TRANSACTION, of rows that stand outside of every transaction and of damage. The others are
            numbered in the order of the file; one of which nothing is known is equal to NO_TRANSACTION too.
        csns: LOGCSN of the transactions by their numbers.
        xids: TRANID of the transactions by their numbers.
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
        """Nothing, for a reader who does not ask for transactions."""
        absent = np.full(1, ABSENT, np.int64)
        texts = StringColumn(b"", absent, absent, {})
        return cls(np.zeros(rows, np.int32), texts, texts)

    @cached_property
    def transactions(self) -> list[Transaction]:
        """The transactions by their numbers; made when first needed, 1 to 2 microseconds each."""
        return [NO_TRANSACTION, *map(Transaction, islice(self.csns, 1, None), islice(self.xids, 1, None))]

    def of_row(self, row: int) -> Transaction:
        """The transaction of one row."""
        return self.transaction(self.index[row])

    def transaction(self, number: int) -> Transaction:
        """The transaction with this number."""
        return Transaction(self.csns[number], self.xids[number])


class TrackerState(NamedTuple):
    """Where a tracker is, and what it carries, for another that goes on from there.

    Attributes:
        rba: the end of its last batch.
        last: the transaction that may go on there.
        is_unknown: whether nothing has told of transactions so far.
    """

    rba: int
    last: CarriedTransaction | None
    is_unknown: bool


class TransactionTracker:
    """LOGCSN and TRANID carried over the rows of batches, in the order of the file.

    After a jump (a batch that does not begin where the last one ended) the beginning of the transaction is looked for
    by walking back, into the file before this one where it began there.

    Args:
        trail: where the batches come from.
        before: the transaction open where the first batch begins, for a caller that knows it.
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
        """Go on from where another tracker of the same file was."""
        self._expected_rba, self._last, self._is_unknown = state

    def of(self, batch: Batch, held: RowBuffer | None = None) -> RowTransactions:
        """The transactions of the next batch; ``held`` has its bytes, where they have been read.

        Raises:
            NotATrail: the file is closed, cannot be read any more, or is shorter than when the batch was made.
        """
        self._trail.refresh()
        segments = self._divided(batch)
        starts, is_told = segments.starts, segments.begins
        texts = [
            _behind(text, self._last.transaction[at] if self._last is not None else None)
            for at, text in enumerate(csn_and_xid_of(batch, starts, is_told, self._trail.buffer, held))
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
        """Note what goes on behind the next batch, as ``of`` does, but look at the last transaction of it alone.

        Raises like ``of``.
        """
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
        """A batch by transactions; what goes on at its beginning is looked for where it is not known."""
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
            self._last = self._search.found_at(int(batch.rba[row]), order, is_fragment=bool(is_fragment))
            segments = self._with_last(batch)
        return segments

    def _with_last(self, batch: Batch) -> Segments:
        last = self._last
        return Segments(batch, is_open=last is not None, has_ended=last is not None and last.has_ended)

    def _leave(self, batch: Batch, segments: Segments, last: Callable[[], Transaction]) -> None:
        """Note what may go on behind a batch; nothing is known of it behind damage. ``last``: its last transaction."""
        number = len(segments) - 1
        self._expected_rba = batch.end
        if segments.is_over:
            self._last = None
            return
        is_known = not len(segments.spans) or int(segments.of(segments.spans[-1:])[0]) < number
        transaction = last() if is_known else NO_TRANSACTION
        self._last = CarriedTransaction(transaction, bool(segments.has_end[number]))


def _behind(column: StringColumn, before: str | None) -> StringColumn:
    """Texts by the numbers of their transactions, given that of the one that is open where the batch begins."""
    absent = np.full(_OPEN + 1, ABSENT, np.int64)
    starts, sizes = (np.concatenate((absent, np.asarray(one))) for one in (column.starts, column.sizes))
    known = {number + _OPEN + 1: text for number, text in column.known.items()}
    return StringColumn(column.data, starts, sizes, known | {_OPEN: before})
