"""The largest transactions of one file, at most MOST_TRANSACTIONS, and the open one."""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, NamedTuple

from trailformat.codec.on_demand import on_demand
from trailformat.scan.batch import Batch

with on_demand:
    import numpy as np

    from trailformat.transactions import tracker

if TYPE_CHECKING:
    from trailformat.transactions.tracker import Segments

MOST_TRANSACTIONS = 1000
MOST_NAMES = 1000
"""Maximum number of table names kept of one transaction."""


class TransactionSpan(NamedTuple):
    """The part of a transaction that is in the file.

    ``begin`` and ``end`` are the RBAs of its first and last record; ``end`` is None while it is open, and if it was cut
    at ``cut_at``: by a restart of Extract or by the next transaction. ``data_bytes`` is the size of the records' data
    without headers; times are Julian microseconds.
    """

    begin: int
    end: int | None
    records: int
    data_bytes: int
    tables: frozenset[str]
    first_time: int
    last_time: int
    cut_at: int | None = None

    def followed_by(self, rest: TransactionSpan) -> TransactionSpan:
        """Return the transaction of this span's records and the further records ``rest``."""
        tables = self.tables if len(self.tables) >= MOST_NAMES else self.tables | rest.tables
        return TransactionSpan(
            self.begin,
            rest.end if self.end is None else self.end,
            self.records + rest.records,
            self.data_bytes + rest.data_bytes,
            tables,
            self.first_time,
            rest.last_time,
            rest.cut_at,
        )


class TransactionSpans:
    """The largest transactions by data bytes, the earliest of equal ones, and the open one.

    Attributes:
        ended: number of all transactions whose last record is in the batches so far.
    """

    def __init__(self) -> None:
        self.ended = 0
        self._growing: TransactionSpan | None = None
        self._heap: list[tuple[int, int, TransactionSpan]] = []

    @property
    def open(self) -> TransactionSpan | None:
        """The transaction that is open after the last batch; None without one."""
        return self._growing if self._growing is not None and self._growing.end is None else None

    @property
    def largest(self) -> list[TransactionSpan]:
        """The kept transactions, the largest first, including cut ones, without the open one."""
        heap = self._heap
        if self._growing is not None and self._growing.end is not None:
            heap = [*heap, _entry(self._growing)]
        return [span for _, _, span in sorted(heap, reverse=True)[:MOST_TRANSACTIONS]]

    def add(self, batch: Batch) -> None:
        """Add the next batch."""
        growing, self._growing = self._growing, None
        segments = tracker.Segments(
            batch, is_open=growing is not None, has_ended=growing is not None and growing.end is not None
        )
        self.ended += int((segments.has_end & (segments.end_rows >= 0)).sum())
        spans = self._spans(batch, segments)
        if growing is not None:
            spans[0] = (
                growing.followed_by(spans[0]) if 0 in spans else growing._replace(cut_at=_cut(batch, segments, 0))
            )
        last = None if segments.is_over else len(segments) - 1
        for number, span in spans.items():
            if number == last:
                self._growing = span
            else:
                self._keep(span)

    def _spans(self, batch: Batch, segments: Segments) -> dict[int, TransactionSpan]:
        """Return transactions of a batch by segment: the first, the last, and those that may be among the largest."""
        rows, owners = segments.members()
        if not len(rows):
            return {}
        tables = np.asarray(batch.table)
        first = np.flatnonzero(np.diff(owners, prepend=-1))
        stops = np.append(first[1:], len(rows))
        totals = np.add.reduceat(np.asarray(batch.record_length)[rows], first)
        middle = np.flatnonzero(totals > self._least)
        if len(middle) > MOST_TRANSACTIONS:
            middle = middle[np.argsort(-totals[middle], kind="stable")[:MOST_TRANSACTIONS]]
        spans = {}
        for index in sorted({0, len(first) - 1, *middle.tolist()}):
            number, own = int(owners[first[index]]), rows[first[index] : stops[index]]
            end = int(segments.end_rows[number]) if segments.has_end[number] else -1
            spans[number] = TransactionSpan(
                int(batch.rba[own[0]]),
                int(batch.rba[end]) if end >= 0 else None,
                len(own),
                int(totals[index]),
                frozenset(batch.names[key] for key in np.unique(tables[own])[:MOST_NAMES].tolist()),
                int(batch.io_time[own[0]]),
                int(batch.io_time[own[-1]]),
                _cut(batch, segments, number),
            )
        return spans

    @property
    def _least(self) -> int:
        """Data bytes of the smallest kept transaction if the heap is full, else -1."""
        return self._heap[0][0] if len(self._heap) >= MOST_TRANSACTIONS else -1

    def _keep(self, span: TransactionSpan) -> None:
        """Keep a finished transaction if it is one of the largest."""
        entry = _entry(span)
        if len(self._heap) < MOST_TRANSACTIONS:
            heapq.heappush(self._heap, entry)
        elif entry > self._heap[0]:
            heapq.heapreplace(self._heap, entry)


def _entry(span: TransactionSpan) -> tuple[int, int, TransactionSpan]:
    return span.data_bytes, -span.begin, span


def _cut(batch: Batch, segments: Segments, number: int) -> int | None:
    """Return the RBA at which a segment is cut; None if it has its end, or continues after the batch."""
    if segments.has_end[number]:
        return None
    if segments.has_restart[number]:
        return int(batch.rba[segments.restart_rows[number]])
    return int(batch.rba[segments.starts[number]]) if number < len(segments) - 1 else None
