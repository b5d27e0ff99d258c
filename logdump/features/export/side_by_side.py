"""Jobs of an export that threads do side by side, their results in order; a few are begun ahead."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from trailformat.scan.jobs import cores

WORKERS = min(cores(), 8)
"""Threads that are of use; kernels, Arrow and the disk let go of Python's lock."""
_MOST_BEGUN = WORKERS + 1
"""Jobs that are begun and not handed on."""


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
    """Have what the jobs among the items return written in order by one more thread.

    ``writing`` makes the job that writes a result, while the next one is waited for; None for what is no result, which
    is yielded.
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
