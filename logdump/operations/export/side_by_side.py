"""Jobs in threads, a few at a time, their results in the order of the jobs."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Executor, Future
from typing import Any

WORKERS = min(os.cpu_count() or 1, 8)
"""Threads that are of use; kernels, Arrow and the disk let go of Python's lock."""


def results(items: Iterable[Any], pool: Executor, most: int = WORKERS + 3) -> Iterator[Any]:
    """What each job (a callable) returns, and what is no job as it is; ``most`` of them are under way at a time.

    Raises whatever a job raises, in its turn.
    """
    waiting: deque[Any] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(item) if callable(item) else item)
            if len(waiting) > most:
                yield _result(waiting.popleft())
        while waiting:
            yield _result(waiting.popleft())
    finally:
        for one in waiting:
            if isinstance(one, Future):
                one.cancel()


def _result(item: Any) -> Any:
    return item.result() if isinstance(item, Future) else item
