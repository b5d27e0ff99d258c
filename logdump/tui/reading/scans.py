"""Scans beside the screen: the index of the file, and the rows of the filter; they report four times a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable
from contextlib import closing
from pathlib import Path
from typing import Protocol

from textual.message import Message

from logdump.session.reading import Reading
from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.tui.reading.background import Reader
from logdump.tui.reading.messages import Scanned
from trailformat.records import reached

INDEX, FILTER, OVER_TIME, OPEN_TRANSACTIONS = "index", "filter", "timeline", "open transactions"
SHAPE = "strip"
"""The names of the scans: all rows of the file, those of the filter, the file over time, the trail for long ones, the
records over time."""
EVERY = 0.25


class Extended(Protocol):
    """What a scan makes."""

    def extend(self, session: Session) -> Generator[int, None, None]:
        """Read on in the session's file; yields how far that is."""

    def lacks(self) -> Reading:
        """What has not been read, but for what the user has stopped."""


class _EndedError(Exception):
    """A scan is not wanted any more."""


class _Watch:
    """Ends a scan that is not wanted any more wherever it reads: a step of it may go over all files of a trail."""

    def __init__(self, is_over: Callable[[], bool]) -> None:
        self._is_over = is_over

    def check(self) -> None:
        """Raise where it is over."""
        if self._is_over():
            raise _EndedError

    def announce(self, _paths: Iterable[Path]) -> None:
        """Files are to be read."""
        self.check()

    def report(self, _path: Path, _rba: int) -> None:
        """A file is read up to an RBA."""
        self.check()

    def search(self, _rba: int) -> None:
        """A search for a good header has reached an RBA."""
        self.check()


class BackgroundScan:
    """One kind of scan over the open file; begun again with another file, stopped by the user, gone on with later.

    Args:
        name: which scan; its messages bear it.
        settings: of the session.
        post: takes the messages.
    """

    def __init__(self, name: str, settings: Settings, post: Callable[[Message], object]) -> None:
        self._name = name
        self._post = post
        self._reader = Reader(name, settings, post)
        self._run = 0
        self.is_stopped = False

    @property
    def is_idle(self) -> bool:
        """Whether no scan is under way."""
        return self._reader.is_idle

    def open(self, path: Path | None) -> None:
        """Give up the scan under way; the next one is over another file."""
        self.give_up()
        self._reader.open(path)

    def go_on(self, extended: Extended) -> None:
        """Scan on."""
        self._run += 1
        self.is_stopped = False
        run = self._run
        self._reader.ask("scan", lambda session: self._scan(session, extended, run))

    def give_up(self) -> None:
        """End the scan under way, whose result has no use any more."""
        self.is_stopped = False
        self._run += 1

    def stop(self) -> None:
        """Stop for the user, and keep what there is."""
        if not self.is_idle:
            self.is_stopped = True
            self._run += 1

    def _scan(self, session: Session, extended: Extended, run: int) -> Message | None:
        told, covered = time.monotonic(), 0
        watch = _Watch(lambda: self._run != run)
        try:
            with (
                reached.search_observed(watch.search),
                reached.observed(watch),
                closing(extended.extend(session)) as steps,
            ):
                for covered in steps:
                    watch.check()
                    if time.monotonic() - told >= EVERY:
                        told = time.monotonic()
                        self._post(Scanned(self._name, covered, session.trail.size, None))
        except _EndedError:
            if not self.is_stopped:
                return None
            stopped = extended.lacks()._replace(is_stopped=True)
            return Scanned(self._name, covered, session.trail.size, stopped)
        size = session.trail.size
        return Scanned(self._name, size, size, extended.lacks())

    def close(self) -> None:
        """Stop, and end the thread."""
        self._run += 1
        self._reader.close()
