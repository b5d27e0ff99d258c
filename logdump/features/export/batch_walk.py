"""The records to export as pieces of batches, in bounded memory, and the threads that process pieces in parallel."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

import numpy as np

from logdump.arrow.tables.group import Piece, batch_bytes, pieces
from logdump.features.export.target import ExportTally
from logdump.session.events import Event, Progress
from logdump.session.session import Session
from trailformat.scan import PARTIAL, Batch, scan
from trailformat.scan.parallel import cores
from trailformat.scan.rows import learn_definitions
from trailformat.trail.sequence import FilePosition
from trailformat.transactions.tracker import TransactionTracker

WORKERS = min(cores(), 8)
"""Number of useful threads; kernels, Arrow and the disk release Python's lock."""
_MOST_BEGUN = WORKERS + 1
"""Maximum number of jobs that are begun and whose results are not yet yielded."""


def new_pool(waiting: int = 0) -> ThreadPoolExecutor:
    """Return a pool of worker threads, with ``waiting`` further ones that may wait for the disk."""
    return ThreadPoolExecutor(WORKERS + waiting)


def results(pool: Executor, items: Iterable[Any]) -> Iterator[Any]:
    """Yield the results of callable items, and the other items unchanged, in order.

    Items that are not callable do not count towards the jobs begun ahead, and wait only for jobs before them.
    """
    waiting: deque[Any] = deque()
    begun = 0
    try:
        for item in items:
            begun += callable(item)
            waiting.append(pool.submit(item) if callable(item) else item)
            while waiting and (begun >= _MOST_BEGUN or not isinstance(waiting[0], Future)):
                begun -= isinstance(waiting[0], Future)
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        for item in waiting:
            if isinstance(item, Future):
                item.cancel()


def written(items: Iterable[Any], writing: Callable[[Any], Callable[[], None] | None]) -> Iterator[Any]:
    """Write the results of the jobs among the items in order, in one more thread.

    ``writing`` returns the function that writes a result, which runs while the next result is awaited; None for an item
    that is not a result, which is yielded.
    """
    pool, writer = new_pool(), ThreadPoolExecutor(1)
    former: Future[None] | None = None
    try:
        for item in results(pool, items):
            write = writing(item)
            if write is None:
                yield item
                continue
            if former is not None:
                former.result()
            former = writer.submit(write)
        if former is not None:
            former.result()
    finally:
        writer.shutdown(cancel_futures=True)
        pool.shutdown(cancel_futures=True)


def _result(item: Any) -> Any:
    return item.result() if isinstance(item, Future) else item


_ROWS = 1 << 16
"""Records of a batch: each table in a batch costs some time, however few its rows are."""


class BatchWalk:
    """The records from the session's position on that pass its filter, at most ``limit``; damage is noted.

    Only records that begin before the RBA ``stop`` are read, if it is given.
    """

    def __init__(self, session: Session, tally: ExportTally, limit: int | None, stop: int | None = None) -> None:
        self._session = session
        self._trail = session.trail
        self._tally = tally
        self._limit = limit
        self._stop = stop
        self._scanned = 0

    def items(self) -> Iterator[Piece | Event]:
        """Yield the pieces, with Progress between them.

        Raises:
            CannotRead: the file can no longer be read.
        """
        session, trail, start = self._session, self._trail, self._session.cursor.next
        transactions = session.cursor.transactions
        selection = session.selection()
        carrier = TransactionTracker(trail, before=transactions.open_at(start))
        self._tally.end = FilePosition(trail.path, start)
        for batch in scan(trail, start, self._stop, batch_size=_ROWS):
            learn_definitions(trail, batch)
            passing = np.flatnonzero(selection.rows(batch))
            rows = passing if self._limit is None else passing[: self._limit - self._tally.selected]
            self._tally.selected += len(rows)
            is_over = self._limit is not None and self._tally.selected >= self._limit
            end = int(batch.rba[rows[-1]]) + int(batch.length[rows[-1]]) if is_over and len(rows) else batch.end
            self._note_damage(batch, end)
            row_buffer = batch_bytes(trail, batch, rows)
            yield from pieces(trail, batch, rows, carrier.of(batch, row_buffer), row_buffer)
            yield from self._progress(batch, end)
            if is_over:
                return

    def _note_damage(self, batch: Batch, end: int) -> None:
        """Note the bytes before ``end`` that are not sound records.

        The export ends before an incomplete record, and before damage at the end of the file: more may follow.
        """
        path = self._trail.path
        self._tally.end = FilePosition(path, end)
        for row in batch.spans():
            rba, length = int(batch.rba[row]), int(batch.length[row])
            if rba >= end:
                return
            if (error := self._trail.error_at(rba)) is not None:
                self._tally.note_damage(error.at(path, rba), length)
            if batch.kind[row] == PARTIAL or rba + length == self._trail.size:
                self._tally.end = FilePosition(path, rba)

    def _progress(self, batch: Batch, end: int) -> Iterator[Event]:
        """Yield the reports of NOTIFY that are due in the batch before ``end``; damage does not count as a record."""
        rows = int(np.searchsorted(np.asarray(batch.rba), end))
        spans, step, before = batch.spans(), self._session.settings.notify, self._scanned
        self._scanned += rows - sum(span < rows for span in spans)
        for due in range(step - before % step, self._scanned - before + 1, step):
            row = due - 1
            for span in spans:
                row += span <= row
            yield Progress(before + due, int(batch.rba[row]), int(batch.io_time[row]), self._trail.size)
