"""Progress of reading and of searching: readers report it, and an observer shows it.

Code that reads files announces them and reports the RBAs that it reaches; commands need no code of their own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol


class Observer(Protocol):
    """Receives the progress of reading, in the thread that reads."""

    def announce(self, paths: Iterable[Path]) -> None:
        """Receive the files that are read from now on; progress in a file announced before restarts at 0."""

    def report(self, path: Path, rba: int) -> None:
        """Receive the RBA up to which a file has been read."""


_observer: ContextVar[Observer | None] = ContextVar("observer", default=None)
_search_observer: ContextVar[Callable[[int], object] | None] = ContextVar("search_observer", default=None)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """Return a context in which the observer receives the progress of this thread."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def announce(paths: Iterable[Path]) -> None:
    """Announce files to be read to the observer, if there is one."""
    if (observer := _observer.get()) is not None:
        observer.announce(paths)


def report(path: Path, rba: int) -> None:
    """Report the RBA reached in a file to the observer, if there is one."""
    if (observer := _observer.get()) is not None:
        observer.report(path, rba)


@contextmanager
def search_observed(tell: Callable[[int], object]) -> Iterator[None]:
    """Return a context in which searches of this thread among damaged bytes report the RBAs that they reach."""
    token = _search_observer.set(tell)
    try:
        yield
    finally:
        _search_observer.reset(token)


def search_observer() -> Callable[[int], object]:
    """Return the observer of this thread's searches, to be used in another thread."""
    return _search_observer.get() or (lambda _rba: None)


def report_search(rba: int) -> None:
    """Report the RBA that a search has reached to the observer, if there is one."""
    if (tell := _search_observer.get()) is not None:
        tell(rba)
