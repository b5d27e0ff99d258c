"""Lists of findings that stop growing, and a count that does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

MOST_LISTED = 10_000
"""Maximum number of listed findings of a kind; all are counted."""

T = TypeVar("T")


class Findings(Generic[T]):
    """Findings of one kind: the first ones in a list, the last one, and the number of all."""

    def __init__(self) -> None:
        self.listed: list[T] = []
        self.number = 0
        self.last: T | None = None

    def add(self, finding: T) -> None:
        """Add a finding."""
        self.number += 1
        self.last = finding
        if len(self.listed) < MOST_LISTED:
            self.listed.append(finding)

    def add_made(self, make: Callable[[], T]) -> None:
        """Add a finding that is made only if it is listed; it does not become ``last``."""
        self.number += 1
        if len(self.listed) < MOST_LISTED:
            self.listed.append(make())

    def __iter__(self) -> Iterator[T]:
        return iter(self.listed)

    @property
    def is_listed(self) -> bool:
        """True if all findings are listed."""
        return self.number == len(self.listed)
