"""Scans beside the screen: the index of the file, and the rows of the filter; they report four times a second."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from pathlib import Path

from textual.message import Message

from logdump.session.session import Session
from logdump.session.settings import Settings
from logdump.tui.reading.messages import Scanned
from logdump.tui.reading.reader import Reader

EVERY = 0.25


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
        self._run += 1
        self._reader.open(path)

    def go_on(self, extend: Callable[[Session], Iterator[int]]) -> None:
        """Scan; ``extend`` yields how far it is."""
        self._run += 1
        self.is_stopped = False
        run = self._run
        self._reader.ask("scan", lambda session: self._scan(session, extend, run))

    def give_up(self) -> None:
        """End the scan under way, whose result has no use any more."""
        self._run += 1

    def stop(self) -> None:
        """Stop for the user, and keep what there is."""
        if not self.is_idle:
            self._run += 1
            self.is_stopped = True

    def _scan(self, session: Session, extend: Callable[[Session], Iterator[int]], run: int) -> Message | None:
        told = time.monotonic()
        for covered in extend(session):
            if self._run != run:
                return None
            if time.monotonic() - told >= EVERY:
                told = time.monotonic()
                self._post(Scanned(self._name, covered, session.trail.size, is_done=False))
        size = session.trail.size
        return Scanned(self._name, size, size, is_done=True)

    def close(self) -> None:
        """Stop, and end the thread."""
        self._run += 1
        self._reader.close()
