"""How far reading has come: what reads tells it, and an observer shows it.

Whatever goes over a file announces the files that it is to read and reports the places that it reaches; commands need
nothing of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Protocol


class Observer(Protocol):
    """What is told how far reading is, in the thread that reads."""

    def announce(self, paths: Iterable[Path]) -> None:
        """These files are to be read from now on, once more where that was told before."""

    def report(self, path: Path, rba: int) -> None:
        """A file is read up to an RBA."""


_observer: ContextVar[Observer | None] = ContextVar("observer", default=None)


@contextmanager
def observed(observer: Observer) -> Iterator[None]:
    """While it lasts, the observer is told how far reading of this thread is."""
    token = _observer.set(observer)
    try:
        yield
    finally:
        _observer.reset(token)


def announce(paths: Iterable[Path]) -> None:
    """Tell the observer, if there is one, which files are to be read."""
    if (observer := _observer.get()) is not None:
        observer.announce(paths)


def report(path: Path, rba: int) -> None:
    """Tell the observer, if there is one, how far a file is read."""
    if (observer := _observer.get()) is not None:
        observer.report(path, rba)
