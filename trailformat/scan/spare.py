"""Memory that one scan leaves to the next: a trail of many small files would pay for new pages with each file."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")
_MOST = 4


class Spare(Generic[T]):
    """A few buffers that are not in use, for any thread.

    Args:
        make: makes a buffer of a size.
    """

    def __init__(self, make: Callable[[int], T]) -> None:
        self._make = make
        self._buffers: deque[tuple[int, T]] = deque(maxlen=_MOST)

    def take(self, size: int) -> T:
        """A buffer of this size, with whatever was in it."""
        try:
            spare, buffer = self._buffers.pop()
        except IndexError:
            return self._make(size)
        return buffer if spare == size else self._make(size)

    def give(self, size: int, buffer: T) -> None:
        """Leave a buffer of this size that nothing refers to any more."""
        self._buffers.append((size, buffer))
