"""Searches that are long: one that is worth its start where many places only look like records, and their observer."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from trailformat.codec.mapped_file import Source

Search = Callable[[Source, int, int, int], int | None]


def _no_search(_size: int) -> Search | None:
    return None


search_for: Callable[[int], Search | None] = _no_search
"""The search that pays for so many bytes, None for none; set by :mod:`trailformat`, as it is built on records.

It takes a buffer, the RBAs where it begins and stops, and the end of the buffer, and gives the first place where a
sound record starts in either byte order.
"""

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
