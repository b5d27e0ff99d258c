"""Jobs that are begun before their results are needed: the cores for them, and how far ahead they run."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Generic, Self, TypeVar

T = TypeVar("T")


def cores() -> int:
    """The number of cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Ordered(Iterator[T], Generic[T]):
    """The items of an iterator in its order, of which a few are drawn before they are used: drawing one begins a job.

    The first ones are drawn at once. As a context manager it ends what was begun and not used.

    Args:
        begun: gives the items.
        ahead: how many of them wait.
        end: ends the job of an item that is not used.
    """

    def __init__(self, begun: Iterable[T], ahead: int, end: Callable[[T], object]) -> None:
        self._begun = iter(begun)
        self._end = end
        self._waiting: deque[T] = deque()
        self._draw(ahead)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        while self._waiting:
            self._end(self._waiting.popleft())

    def __next__(self) -> T:
        """The next item; another one is drawn."""
        self._draw(1)
        if not self._waiting:
            raise StopIteration
        return self._waiting.popleft()

    def _draw(self, count: int) -> None:
        self._waiting.extend(islice(self._begun, count))
