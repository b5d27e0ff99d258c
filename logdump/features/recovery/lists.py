"""Lists of findings that stop growing, and a count that does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

MOST_LISTED = 10_000
"""So many findings of a kind are listed; all are counted."""

T = TypeVar("T")


class Findings(Generic[T]):
    """Findings of one kind, the first ones in a list, and the last one."""

    def __init__(self) -> None:
        self.listed: list[T] = []
        self.number = 0
        self.last: T | None = None

    def add(self, finding: T) -> None:
        """One more."""
        self.number += 1
        self.last = finding
        if len(self.listed) < MOST_LISTED:
            self.listed.append(finding)

    def add_made(self, make: Callable[[], T]) -> None:
        """One more, which is made only where it is listed; it is not ``last``."""
        self.number += 1
        if len(self.listed) < MOST_LISTED:
            self.listed.append(make())

    def __iter__(self) -> Iterator[T]:
        return iter(self.listed)

    @property
    def is_listed(self) -> bool:
        """Whether all are."""
        return self.number == len(self.listed)
