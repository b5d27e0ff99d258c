"""Properties that are computed on first access and then kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class Lazy(Generic[T]):
    """A property whose value is computed on first access and then kept in the object.

    It is ``functools.cached_property`` for millions of objects: without the lock that Python 3.11 takes there, and
    without ``__dict__``, which makes every attribute of the object slower.

    Args:
        func: computes the value for an object.
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
        """Compute the value for an object."""
        return self.func(owner)
