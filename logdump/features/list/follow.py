"""Following a trail as it is written: over half records, files that follow, and files that are cut or replaced."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from pathlib import Path

from logdump.notation.plural import amount
from logdump.session.across import go_to
from logdump.session.errors import ExitStatus
from logdump.session.events import Event, Notice, Pause
from logdump.session.file_state import FileState, file_state
from logdump.session.scan import DamagePassed, over_damage
from logdump.session.session import Session
from trailformat import NotATrail, PartialRecord, Record
from trailformat.errors import CannotRead
from trailformat.trail.sequence import next_file

_SETTLED_LOOKS = 2
"""Looks at the last file but one before its end is taken to be the last: a writer may still be closing it."""


class Follower:
    """Shows the records of a session's trail from its position on, and waits for more.

    Args:
        session: its filter applies.
        show: makes the events of a record that was just read.
        every: seconds between two looks.
        idle: seconds without a record after which it ends; None: never.
    """

    def __init__(
        self, session: Session, show: Callable[[Session, Record], Iterator[Event]], *, every: int, idle: int | None
    ) -> None:
        self._session, self._show = session, show
        self._every, self._idle = every, idle
        self._size = session.trail.size
        self._said: set[tuple[str, Path]] = set()
        self._looks_at_end = 0

    def run(self) -> Iterator[Event]:
        """The events."""
        quiet_since = time.monotonic()
        while True:
            if (yield from self._new()):
                quiet_since, self._looks_at_end = time.monotonic(), 0
            yield Pause()
            if (yield from self._went_on()):
                quiet_since = time.monotonic()
                continue
            if self._idle is not None and time.monotonic() - quiet_since >= self._idle:
                return
            time.sleep(self._every)

    def _new(self) -> Generator[Event, None, int]:
        """Show what there is in the open file; returns how many records."""
        done = 0
        try:
            with closing(over_damage(self._session, stays=True, waits=True)) as items:
                for item in items:
                    if isinstance(item, Record):
                        done += 1
                        yield from self._show(self._session, item)
                    elif isinstance(item, DamagePassed):
                        text = (
                            item.text if item.good is not None else f"{item.text}; waiting for a good record after it"
                        )
                        yield from self._say_once(f"damage at {item.rba}", text, ExitStatus.BAD_DATA)
                    else:
                        yield item
        except PartialRecord:
            pass
        except CannotRead as error:
            yield from self._after_cut(error)
        return done

    def _went_on(self) -> Generator[Event, None, bool]:
        """See what has become of the file; whether there is something to read at once."""
        try:
            state = file_state(self._session.trail)
        except CannotRead as error:
            yield from self._after_cut(error)
            return False
        grown, self._size = state.size > self._size, state.size
        if grown:
            return True
        if state.is_replaced:
            return (yield from self._reopened("was replaced: reading the new file from its beginning"))
        if state.following is not None:
            return (yield from self._next_file(state))
        if state.is_gone:
            yield from self._say_once("gone", "was removed: waiting for the next file", ExitStatus.OK)
        return False

    def _next_file(self, state: FileState) -> Generator[Event, None, bool]:
        """Go on in the file that follows, when this one has not grown since that was there."""
        self._looks_at_end += 1
        if state.following is None or (self._looks_at_end < _SETTLED_LOOKS and next_file(state.following)[0] is None):
            return False
        cursor = self._session.cursor
        rest = state.size - cursor.next
        if rest > 0:
            what = f"ends inside a record, {amount(rest, 'byte')} from RBA {cursor.next} on: the next file follows"
            yield from self._say_once("rest", what, ExitStatus.BAD_DATA)
        try:
            yield from go_to(self._session, state.following)
        except (NotATrail, CannotRead):
            return False  # its first record is not written yet
        self._size, self._looks_at_end = self._session.trail.size, 0
        return True

    def _after_cut(self, error: CannotRead) -> Iterator[Event]:
        """Stand at the end of a file that was cut."""
        self._size = self._session.trail.size
        cursor = self._session.cursor
        yield Notice((f"{self._session.trail.path}: {error.problem}",), ExitStatus.OK)
        if cursor.next > self._size:
            cursor.move(self._session.trail.end_of_records())

    def _reopened(self, what: str) -> Generator[Event, None, bool]:
        path = self._session.trail.path
        try:
            self._session.open(path)
        except (NotATrail, CannotRead):
            return False  # the new one has no record yet
        self._size = self._session.trail.size
        yield Notice((f"{path} {what}",), ExitStatus.OK)
        return True

    def _say_once(self, what: str, text: str, status: ExitStatus) -> Iterator[Event]:
        path = self._session.trail.path
        if (what, path) not in self._said:
            self._said.add((what, path))
            yield Notice((text if text.startswith("Error") else f"{path} {text}",), status)
