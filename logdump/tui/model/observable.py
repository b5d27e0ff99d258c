"""An object with parts that can be observed: who shows a part is called when it has changed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class Part(Generic[T]):
    """A part of the model that can be observed."""

    def __init__(self, first: T) -> None:
        self._first = first
        self._name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, model: None, owner: type) -> Self: ...

    @overload
    def __get__(self, model: Observable, owner: type) -> T: ...

    def __get__(self, model: Observable | None, owner: type) -> Self | T:
        return self if model is None else model.__dict__.get(self._name, self._first)

    def __set__(self, model: Observable, value: T) -> None:
        if value != self.__get__(model, type(model)):
            model.__dict__[self._name] = value
            model.announce(self)


class Observable:
    """Parts, and those who observe them. It is used by the thread of the screen alone."""

    def __init__(self) -> None:
        self._observers: list[tuple[Callable[[], None], frozenset[Part[Any]]]] = []
        self._changed: set[Part[Any]] = set()
        self._is_held = False

    def observe(self, observer: Callable[[], None], *parts: Part[Any]) -> None:
        """Have ``observer`` called after changes of any of these parts, in the order in which observers came."""
        self._observers.append((observer, frozenset(parts)))

    def announce(self, part: Part[Any]) -> None:
        """Call the observers of a part that has changed, at the end of :meth:`changing` where that is under way."""
        self._changed.add(part)
        self._call_observers()

    @contextmanager
    def changing(self) -> Iterator[None]:
        """Changes that belong together: no observer sees some of them without the others."""
        was_held, self._is_held = self._is_held, True
        try:
            yield
        finally:
            self._is_held = was_held
        self._call_observers()

    def _call_observers(self) -> None:
        while self._changed and not self._is_held:
            changed, self._changed = self._changed, set()
            with self.changing():  # what an observer changes is announced when all have been called
                for observer, parts in self._observers:
                    if not parts.isdisjoint(changed):
                        observer()
