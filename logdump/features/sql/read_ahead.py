"""Items that a thread makes while others are used, a few held ahead."""

from __future__ import annotations

import queue
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from trailformat.records import reached
from trailformat.scan.jobs import cores

T = TypeVar("T")
_HELD = 2
"""Batches of an iterator that are made and not used yet: each has up to 8 MiB of trail."""
_PATIENCE = 0.1
"""Seconds after which a thread that waits for room sees whether anybody still wants its batches."""


class Ahead(Generic[T]):
    """One iterator on a thread of its own; at most two of its items are held."""

    def __init__(self, items: Iterator[T], observer: reached.Observer | None = None) -> None:
        self._items = items
        self._observer = observer
        self._made: queue.Queue[tuple[T | None, BaseException | None, bool]] = queue.Queue(_HELD)
        self._is_wanted = True
        self._thread = threading.Thread(target=self._work, name="logdump batches", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        with reached.observed(self._observer) if self._observer is not None else nullcontext():
            self._make()

    def _make(self) -> None:
        error: BaseException | None = None
        try:
            for item in self._items:
                if not self._put((item, None, False)):
                    return
        except BaseException as raised:  # noqa: BLE001 - it is raised where the items are used
            error = raised
        finally:
            close = getattr(self._items, "close", None)
            if close is not None:
                close()
        self._put((None, error, True))

    def _put(self, made: tuple[T | None, BaseException | None, bool]) -> bool:
        while self._is_wanted:
            try:
                self._made.put(made, timeout=_PATIENCE)
            except queue.Full:
                continue
            return True
        return False

    def items(self, every: float | None = None) -> Iterator[Any]:
        """The items, and None whenever none has come for ``every`` seconds; raises what making them raised."""
        while True:
            try:
                item, error, is_last = self._made.get(timeout=every)
            except queue.Empty:
                yield None
                continue
            if error is not None:
                raise error
            if is_last:
                return
            yield item

    def stop(self, interrupt: Callable[[], object] = lambda: None) -> None:
        """End the thread; what it has made is dropped. ``interrupt`` ends what it waits for."""
        self._is_wanted = False
        if self._thread.is_alive():
            interrupt()
        self._thread.join()


def ahead(iterators: Iterable[Iterator[T]], observer: reached.Observer | None = None) -> Generator[T, None, None]:
    """The items of all iterators in order, of which as many are gone over at a time as there are cores.

    The observer is told how far the threads read.
    """
    source, running = iter(iterators), deque[Ahead[T]]()
    try:
        while True:
            while len(running) < cores() and (following := next(source, None)) is not None:
                running.append(Ahead(following, observer))
            if not running:
                return
            yield from running[0].items()
            running.popleft().stop()
    finally:
        for one in running:
            one.stop()
