"""The largest transactions of a file, a bounded number of them, and the open one."""

from __future__ import annotations

import heapq
from typing import NamedTuple

MOST_TRANSACTIONS = 1000
MOST_NAMES = 1000
"""Maximum number of table names kept of one transaction."""


class TransactionSpan(NamedTuple):
    """A transaction as far as it is in the file.

    ``begin`` and ``end`` are the RBAs of its first and last record; ``end`` is None as long as it is open, and where a
    restart of Extract has cut it, whose RBA is ``cut_at``.
    ``data_bytes`` are those of the records' data, headers aside; times are Julian microseconds.
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
        """The transaction whose beginning this is, and whose further records are ``rest``."""
        tables = self.tables if len(self.tables) >= MOST_NAMES else self.tables | rest.tables
        return TransactionSpan(
            self.begin,
            rest.end,
            self.records + rest.records,
            self.data_bytes + rest.data_bytes,
            tables,
            self.first_time,
            rest.last_time,
        )


class TransactionSpans:
    """The largest transactions by their bytes, of equal ones the earliest, and the open one.

    Attributes:
        open: the transaction that is open at the end of the index; None without one.
        ended: the number of those that have ended.
    """

    def __init__(self) -> None:
        self.open: TransactionSpan | None = None
        self.ended = 0
        self._heap: list[tuple[int, int, TransactionSpan]] = []

    @property
    def least(self) -> int:
        """Ended transactions with no more bytes than this are of no interest; -1: all are."""
        return self._heap[0][0] if len(self._heap) == MOST_TRANSACTIONS else -1

    @property
    def largest(self) -> list[TransactionSpan]:
        """Those kept, the largest first, cut ones too; the open one is not among them."""
        return [span for _, _, span in sorted(self._heap, reverse=True)]

    def add(self, spans: list[TransactionSpan], ended: int) -> None:
        """Take in a batch: its first transaction and its last, those between that are larger than ``least``.

        ``ended`` is how many ended in the batch.
        """
        self.ended += ended
        for part in spans:
            span = part if self.open is None else self.open.followed_by(part)
            self.open = span if span.end is None else None
            if span.end is not None:
                self.keep(span)

    def cut(self, marker: int) -> None:
        """End the open transaction, if there is one, at the restart at this RBA."""
        if self.open is not None:
            self.keep(self.open._replace(cut_at=marker))
            self.open = None

    def keep(self, span: TransactionSpan) -> None:
        """Keep a finished transaction if it is one of the largest."""
        entry = (span.data_bytes, -span.begin, span)
        if len(self._heap) < MOST_TRANSACTIONS:
            heapq.heappush(self._heap, entry)
        elif entry > self._heap[0]:
            heapq.heapreplace(self._heap, entry)
