"""Jobs of an export that threads do side by side, their results in order; a few are begun ahead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import Any

from trailformat.scan.jobs import Ordered, cores

_WORKERS = min(cores(), 8)
"""Threads that are of use; kernels, Arrow and the disk let go of Python's lock."""
_AHEAD = 3
"""Jobs that are begun beyond those."""


def new_pool() -> ThreadPoolExecutor:
    """Threads for jobs."""
    return ThreadPoolExecutor(_WORKERS)


def results(pool: Executor, items: Iterable[Any]) -> Iterator[Any]:
    """What the jobs among the items return; items that cannot be called stand as they are between them."""
    begun = (pool.submit(item) if callable(item) else item for item in items)
    with Ordered(begun, _WORKERS + _AHEAD, _cancel) as ordered:
        for item in ordered:
            yield item.result() if isinstance(item, Future) else item


def _cancel(item: object) -> None:
    if isinstance(item, Future):
        item.cancel()
