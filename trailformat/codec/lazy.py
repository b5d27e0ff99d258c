"""Properties that are computed when first read, and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class Lazy(Generic[T]):
    """A property whose value is made when it is first read, and kept in the object then.

    It is ``functools.cached_property`` for objects by the million: without the lock that Python 3.11 has there, and
    without ``__dict__``, which makes every attribute of the object slower.

    Args:
        func: makes the value of an object.
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        self.func = func
        self.__doc__ = func.__doc__
        self._name = func.__name__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...

    @overload
    def __get__(self, owner: object, kind: type) -> T: ...

    def __get__(self, owner: object, kind: type) -> Self | T:
        if owner is None:
            return self
        value = self.make(owner)
        setattr(owner, self._name, value)
        return value

    def make(self, owner: Any) -> T:
        """Make the value of an object."""
        return self.func(owner)
