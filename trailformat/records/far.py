"""The observer of a long search: which RBA it has reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_observer: ContextVar[Callable[[int], object] | None] = ContextVar("observer", default=None)


@contextmanager
def observed(tell: Callable[[int], object]) -> Iterator[None]:
    """While it lasts, searches of this thread tell again and again which RBA they have reached."""
    token = _observer.set(tell)
    try:
        yield
    finally:
        _observer.reset(token)


def observer() -> Callable[[int], object]:
    """What :func:`report` tells, for searches of another thread."""
    return _observer.get() or (lambda _rba: None)


def report(rba: int) -> None:
    """Tell the observer, if there is one, how far a search is."""
    tell = _observer.get()
    if tell is not None:
        tell(rba)
