"""A batch of records, taken apart into transactions: the one place that tells where a transaction begins and ends.

What stands in a batch is divided at the records that matter, those of transactions and restarts:

    record       only  first middle  restart  first last  only
    start        x     x                      x           x         where a transaction begins or is found
    segment      1     2---------------------  3---------  4        0 is what was open before the batch
    closes       x                   x              x     x

A record fragment belongs to the transaction in front of it, whatever its TransInd, unless a restart or, behind its end,
damage lies between.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np

from trailformat.records.io_types import NOT_TRANSACTIONAL, RECORD_FRAGMENT, RESTARTS
from trailformat.records.record_header import BEGINS, ENDS
from trailformat.scan import FILE_HEADER, RECORD, Batch
from trailformat.transactions.batches import NOWHERE

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


def first_begin(batch: Batch) -> int | None:
    """The RBA where a transaction begins first in a batch; None if none does."""
    segments = Segments(batch, is_open=False, has_ended=False)
    rows = segments.starts[segments.begins]
    return int(batch.rba[rows[0]]) if len(rows) else None


def last_begin(batch: Batch) -> int:
    """The row where a transaction begins last in a batch, on which nothing before it has a bearing; 0 if none does."""
    rows = np.flatnonzero(_BEGINS[np.asarray(batch.trans_ind)] & (np.asarray(batch.kind) == RECORD))
    io_type = np.asarray(batch.io_type)[rows]
    begins = ~(_IS_OUTSIDE[io_type] | _IS_RESTART[io_type] | (io_type == RECORD_FRAGMENT))
    return int(rows[begins][-1]) if begins.any() else 0
