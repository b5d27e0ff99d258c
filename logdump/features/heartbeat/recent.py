"""The newest value by a key, of a bounded number of keys."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

MOST_KEYS = 10_000


class Recent(Generic[K, V]):
    """The newest value of each key; beyond ``MOST_KEYS`` keys the one that was set longest ago is forgotten."""

    def __init__(self) -> None:
        self._values: OrderedDict[K, V] = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value of a key; None where there is none, or none any more."""
        return self._values.get(key)

    def set(self, key: K, value: V) -> None:
        """Take a value as the newest of its key."""
        self._values[key] = value
        self._values.move_to_end(key)
        if len(self._values) > MOST_KEYS:
            self._values.popitem(last=False)

    def drop(self, key: K) -> None:
        """Remove a key if it is present."""
        self._values.pop(key, None)

    def newest_first(self) -> Iterator[tuple[K, V]]:
        """Keys with their values, the one set last first."""
        return reversed(self._values.items())

    def __iter__(self) -> Iterator[tuple[K, V]]:
        return iter(self._values.items())
