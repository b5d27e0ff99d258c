"""Memory that one scan leaves to the next: a trail of many small files would pay for new pages with each file."""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")
_MOST = 4


class Spare(Generic[T]):
    """A few buffers that are not in use, for any thread."""

    def __init__(self) -> None:
        self._buffers: deque[T] = deque(maxlen=_MOST)

    def take(self) -> T | None:
        """One of them, with whatever was in it; None where there is none."""
        try:
            return self._buffers.pop()
        except IndexError:
            return None

    def give(self, buffer: T) -> None:
        """Leave a buffer that nothing refers to any more."""
        self._buffers.append(buffer)
