"""One file scanned by several threads: ranges in parallel, their results in the order of the file.

The ranges begin at RBAs where records probably begin. A start is confirmed when the range before it has been scanned:
that scan must end there, in the same byte order. If it does not, or if a range depends on bytes before it, the range is
scanned again from the confirmed position. So the results are those of one scan, whatever the bytes are. Only a few
ranges are scanned ahead of the one whose results are returned.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Self, TypeVar

from trailformat.codec.on_demand import on_demand
from trailformat.errors import CannotRead, TrailError
from trailformat.records.framing import detect_order
from trailformat.scan.batch import BATCH_SIZE, Batch
from trailformat.scan.counting import NO_BREAKDOWN, Breakdown, CountBounds, CountFiller, KernelTotals
from trailformat.scan.names import Names, NeedsEarlier
from trailformat.scan.position import FileRange, ScanPosition, first_position
from trailformat.scan.scanning import EarlierNames, Scan, Scanning, T, scan, scan_range
from trailformat.trail import command_files
from trailformat.trail.file import TrailFile

with on_demand:
    from trailformat.scan import split

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor


Item = TypeVar("Item")


def cores() -> int:
    """Return the number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Ordered(Iterator[Item], Generic[Item]):
    """Iterator over items in order that draws some in advance; drawing an item starts a job.

    The first ``ahead`` items are drawn at once. As a context manager it ends the jobs of unused items.

    Args:
        begun: the items.
        ahead: the number of items that are drawn in advance.
        end: ends the job of an item.
    """

    def __init__(self, begun: Iterable[Item], ahead: int, end: Callable[[Item], object]) -> None:
        self._begun = iter(begun)
        self._end = end
        self._waiting: deque[Item] = deque()
        self._draw(ahead)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._waiting:
            self._end(self._waiting.popleft())

    def __next__(self) -> Item:
        """Return the next item and draw another one."""
        self._draw(1)
        if not self._waiting:
            raise StopIteration
        return self._waiting.popleft()

    def _draw(self, count: int) -> None:
        self._waiting.extend(islice(self._begun, count))


PIECE = 1 << 25
"""Approximate number of bytes of a range."""
_FIRST = 8
"""Ratio of PIECE to the size of the first range, which is smaller because the caller waits for its results."""
_MOST_WORKERS = 8
_AHEAD = 2
"""Number of ranges that are started beyond the number of threads."""

K = TypeVar("K")
R = TypeVar("R")
Earlier = Callable[[], Names]
Scanner = Callable[[TrailFile, ScanPosition, int | None, Earlier | None], Scanning[T]]
"""Starts a scan of a file from a position to before an RBA, given the names before that position."""
Work = Callable[[T, TrailFile], R]
"""Applied to every result of a scan, in the scanning thread, with that thread's own TrailFile."""


class Workers:
    """The threads that scan, each with its own TrailFile of every file.

    Args:
        number: the number of threads; None: that of the cores of this process, at most eight.
    """

    def __init__(self, number: int | None = None) -> None:
        self.number = min(cores(), _MOST_WORKERS) if number is None else number
        self._pool: ThreadPoolExecutor | None = None
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)

    def submit(self, job: Callable[[Callable[[], bool]], R]) -> Future[R]:
        """Run a job in a thread; its argument is a function that returns True once the result is no longer needed."""
        if self._pool is None:
            from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - not needed for a single range

            self._pool = ThreadPoolExecutor(self.number, "scan")
        return self._pool.submit(self._observed, job, command_files.search_observer())

    def in_order(self, jobs: Iterable[tuple[K, Callable[[Callable[[], bool]], R]]]) -> Iterator[tuple[K, R]]:
        """Run jobs in threads, some of them in advance; yield each key with its result, in order.

        A TrailError or CannotRead raised by ``jobs`` is raised after the results of the jobs before it.
        """
        failed: list[TrailError | CannotRead] = []

        def begun() -> Iterator[tuple[K, Future[R]]]:
            try:
                for key, job in jobs:
                    yield key, self.submit(job)
            except (TrailError, CannotRead) as error:
                failed.append(error)

        with Ordered(begun(), self.number + 1, lambda item: item[1].cancel()) as done:
            for key, future in done:
                yield key, future.result()
        if failed:
            raise failed[0]

    def _observed(self, job: Callable[[Callable[[], bool]], R], tell: Callable[[int], object]) -> R:
        """Run a job; its searches report to the caller's observer ``tell`` and stop when the workers are closed."""
        from concurrent.futures import CancelledError  # noqa: PLC0415 - loaded by now

        def observe(rba: int) -> None:
            if self._is_over.is_set():
                raise CancelledError
            tell(rba)

        with command_files.search_observed(observe):
            return job(self._is_over.is_set)


class _Done(NamedTuple, Generic[R]):
    """A scanned range: its results, and its final position, names and number of transactions."""

    results: list[R]
    position: ScanPosition
    names: Names
    transactions: int


class ParallelScan(Generic[T, R]):
    """The scan of one file; the constructor starts the first ranges.

    Args:
        trail: the file, for use by the caller's thread.
        workers: the threads.
        scanner: starts the scan of a range.
        work: applied to each result of a scan.
        is_certain: returns whether a result is right, once all its names are known; if not, its range is scanned again.
        start: the RBA of the first record.
        stop: the RBA before which the last record begins; None: all records.
    """

    def __init__(
        self,
        trail: TrailFile,
        workers: Workers,
        scanner: Scanner[T],
        work: Work[T, R],
        is_certain: Callable[[R], bool] = lambda _: True,
        start: int = 0,
        stop: int | None = None,
    ) -> None:
        self._trail, self._workers, self._scanner, self._work = trail, workers, scanner, work
        self._is_certain = is_certain
        self._stop = stop
        self._size = _end(trail, stop)
        self._position = self._first = first_position(trail, start)
        self._names: Names | None = None
        self._transactions = 0
        ahead = workers.number + _AHEAD - 1
        self._begun = Ordered(self._begin() if workers.number > 1 else (), ahead, lambda begun: begun[1].cancel())

    def results(self) -> Generator[tuple[R, int], None, None]:
        """Yield the results in file order, each with the number of transactions that ended in earlier ranges.

        Raises:
            CannotRead: the file was truncated or can no longer be read.
        """
        if self._first.rba:
            self._names = EarlierNames(self._trail, self._first.rba)()
        for part, future in self._begun:
            done = future.result()
            if done is None or not self._fits(part, done):
                yield from self._scan_here(part.stop)
                continue
            before = self._transactions
            self._go_on(done.position, done.names, done.transactions)
            command_files.report(self._trail.path, done.position.rba)
            for result in done.results:
                yield result, before
        yield from self._scan_here(self._stop)

    @property
    def names(self) -> Names | None:
        """The names at the end of the last confirmed range; None before the first one."""
        return self._names

    def _fits(self, part: FileRange, done: _Done[R]) -> bool:
        if part.start != self._position:
            return False
        if self._names is not None:
            done.names.settle(self._names)
        return all(self._is_certain(result) for result in done.results)

    def _begin(self) -> Iterator[tuple[FileRange, Future[_Done[R] | None]]]:
        """Yield the ranges of the file, each with the future of its scan (None: it must be scanned again)."""
        start: ScanPosition | None = self._first
        while start is not None:
            following = self._next_start(start)
            part = FileRange(start, self._size if following is None else following.rba)
            yield part, self._workers.submit(_Job(self._trail, part, self._scanner, self._work))
            start = following

    def _next_start(self, start: ScanPosition) -> ScanPosition | None:
        """Return the expected start of the range after the one that begins at ``start``; the first ranges are smaller.

        None if it is the last range.
        """
        offset = start.rba + min(PIECE, max(PIECE // _FIRST, start.rba - self._first.rba))
        while offset + PIECE // 2 < self._size:
            boundary = split.likely_boundary(self._trail, offset)
            if boundary is not None and boundary < self._size:
                order = detect_order(self._trail.bytes, boundary, self._size, start.order) or start.order
                return ScanPosition(boundary, order, start.order_known or order is not start.order)
            offset += PIECE
        return None

    def _scan_here(self, stop: int | None) -> Generator[tuple[R, int], None, None]:
        """Scan from the current position to ``stop`` in this thread."""
        if self._position.rba >= _end(self._trail, stop):
            return
        names = self._names
        scanning = self._scanner(self._trail, self._position, stop, None if names is None else lambda: names)
        for scanned in scanning:
            yield self._work(scanned, self._trail), self._transactions
        if names is not None:
            scanning.names.settle(names)
        self._go_on(scanning.position, scanning.names, scanning.transactions)

    def _go_on(self, position: ScanPosition, names: Names, transactions: int) -> None:
        self._position, self._names = position, names
        self._transactions += transactions


class _Job(Generic[T, R]):
    """The scan of one range in a thread; None if it must be scanned again."""

    def __init__(self, trail: TrailFile, part: FileRange, scanner: Scanner[T], work: Work[T, R]) -> None:
        self._trail, self._range, self._scanner, self._work = trail, part, scanner, work

    def __call__(self, is_over: Callable[[], bool]) -> _Done[R] | None:
        results: list[R] = []
        with self._trail.twin() as trail:
            try:
                scanning = self._scanner(trail, self._range.start, self._range.stop, _no_earlier_names)
                for scanned in scanning:
                    if is_over():
                        return None
                    results.append(self._work(scanned, trail))
            except NeedsEarlier:
                return None
        return _Done(results, scanning.position, scanning.names, scanning.transactions)


def _no_earlier_names() -> Names:
    raise NeedsEarlier


def parallel_scan(
    trail: TrailFile, workers: Workers, batch_size: int = BATCH_SIZE, start: int = 0, stop: int | None = None
) -> Iterator[Batch]:
    """Return the records of ``scan(trail)`` in batches filled by several threads, with other boundaries."""
    pairs = parallel_batches(trail, workers, lambda batch, _trail: batch, batch_size, start, stop=stop)
    return (batch for batch, _ in pairs)


def parallel_batches(
    trail: TrailFile,
    workers: Workers,
    work: Callable[[Batch, TrailFile], R],
    batch_size: int = BATCH_SIZE,
    start: int = 0,
    *,
    stop: int | None = None,
    by_definition: bool = False,
) -> Iterator[tuple[Batch, R]]:
    """Yield the batches of ``parallel_scan``, each with the result of ``work``.

    ``work`` runs in the thread that fills the batch, with a TrailFile of its own; there, ``transaction`` counts from
    the beginning of a range and names may be unknown. ``by_definition``: see Names.
    """

    def scanner(file: TrailFile, position: ScanPosition, end: int | None, earlier: Earlier | None) -> Scanning[Batch]:
        return Scan(file, position, end, batch_size, earlier, by_definition=by_definition)

    def worked(batch: Batch, file: TrailFile) -> tuple[Batch, R]:
        return batch, work(batch, file)

    parallel = ParallelScan(trail, workers, scanner, worked, start=start, stop=stop)
    for (batch, result), transactions in parallel.results():
        shift(batch, transactions)
        yield batch, result


def scan_in_threads(trail: TrailFile, workers: Workers, start: int = 0, stop: int | None = None) -> Iterator[Batch]:
    """Return the batches from ``start`` to before ``stop`` (None: the end), by threads if the range is large enough."""
    if is_for_threads(trail, workers, start, stop):
        return parallel_scan(trail, workers, start=start, stop=stop)
    return scan(trail, start) if stop is None else scan_range(trail, FileRange(first_position(trail, start), stop))


def is_for_threads(trail: TrailFile, workers: Workers, start: int = 0, stop: int | None = None) -> bool:
    """Return True if the range from ``start`` to ``stop`` (None: the end) is large enough for two threads."""
    return workers.number > 1 and _end(trail, stop) - start >= 2 * PIECE


def _end(trail: TrailFile, stop: int | None) -> int:
    return trail.size if stop is None else min(stop, trail.size)


def shift(batch: Batch, transactions: int) -> None:
    """Count the transactions of a batch from the beginning of the file: this number of them end before its range."""
    if not transactions:
        return
    column: Any = batch.transaction
    inside = column >= 0
    if inside.all():
        column += transactions
    else:
        column[inside] += transactions


def parallel_counts(
    trail: TrailFile, workers: Workers, bounds: CountBounds, breakdown: Breakdown = NO_BREAKDOWN
) -> ParallelScan[KernelTotals, KernelTotals]:
    """Return a count by several threads; its first ranges are started at once.

    If ``bounds`` tests names, a range assumes that an index means the same as in the ranges confirmed so far; if the
    assumption fails, the range is scanned again.
    """
    begun: list[ParallelScan[KernelTotals, KernelTotals]] = []

    def scanner(
        file: TrailFile, position: ScanPosition, stop: int | None, earlier: Earlier | None
    ) -> Scanning[KernelTotals]:
        return Scanning(file, position, stop, lambda names: CountFiller(names, bounds, breakdown, likely), earlier)

    def likely() -> Names | None:
        return begun[0].names if begun else None

    def is_certain(counted: KernelTotals) -> bool:
        return counted.is_certain and counted.is_as_assumed(bounds)

    begun.append(ParallelScan(trail, workers, scanner, lambda counted, _file: counted, is_certain))
    return begun[0]


def first_counted_time(trail: TrailFile, bounds: CountBounds, stop: int) -> int | None:
    """Return the IO Time of the first record that is counted; None if none begins before ``stop``.

    Raises:
        CannotRead: the file can no longer be read.
    """
    intervals = Breakdown(interval=1 << 60)  # one for all times
    sums = Scanning(trail, first_position(trail), stop, lambda names: CountFiller(names, bounds, intervals))
    return next((counted.first_time for counted in sums if counted.first_time is not None), None)
