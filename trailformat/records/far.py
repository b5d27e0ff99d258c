"""The observer of a long search: which RBA it has reached."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_observer: ContextVar[Callable[[int], object] | None] = ContextVar("observer", default=None)


@contextmanager
def observed(tell: Callable[[int], object]) -> Iterator[None]:
    """Context in which searches of this thread report from time to time the RBA that they have reached."""
    token = _observer.set(tell)
    try:
        yield
    finally:
        _observer.reset(token)


def observer() -> Callable[[int], object]:
    """Return the observer of this thread, for searches of another thread."""
    return _observer.get() or (lambda _rba: None)


def report(rba: int) -> None:
    """Report the RBA that a search has reached to the observer, if there is one."""
    tell = _observer.get()
    if tell is not None:
        tell(rba)
