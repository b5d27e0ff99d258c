"""A search: the position stays when it fails or is stopped, and what was searched in vain is said."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TypeVar

from logdump.session.across import Place, place_of, return_to
from logdump.session.errors import CommandError, ExitStatus
from logdump.session.events import Event, Notice
from logdump.session.session import Session
from trailformat.trail.sequence import Spot

T = TypeVar("T")


class Searching:
    """A search of a session.

    Args:
        session: its position goes along with the search.
        what: what is looked for, in words that follow "no".
        start: the position that stays; that of the session now unless given.
        since: where a search begins that leaves the position alone; it notes how far it is.

    Attributes:
        what: the same; it may become another one in the middle.
        since: from where on that is looked for.
        reached: up to where there is none; None: up to the position.
    """

    def __init__(self, session: Session, what: str, *, start: Place | None = None, since: Spot | None = None) -> None:
        self._session = session
        self.what = what
        self._start = start or place_of(session)
        self.since = _here(session) if since is None else since
        self.reached = since

    def run(self, search: Generator[Event, None, T]) -> Generator[Event, None, T]:
        """Search.

        Raises:
            CommandError: as the search, at the former position.
            KeyboardInterrupt: the same, after a notice of what was searched in vain.
        """
        try:
            try:
                return (yield from search)
            except CommandError:
                self.reached = self.reached or _here(self._session)
                yield from return_to(self._session, self._start)
                raise
        except KeyboardInterrupt:
            message = self._told(self.reached or _here(self._session))
            yield from return_to(self._session, self._start)
            yield Notice((message,), ExitStatus.INTERRUPTED)
            raise

    def run_whole(self, search: Callable[[], T]) -> Generator[Event, None, T]:
        """Run a search that consists of one step."""

        def run() -> Generator[Event, None, T]:
            yield from ()
            return search()

        return self.run(run())

    def look_on(self, what: str) -> None:
        """Look for something else from the position on."""
        self.what, self.since = what, _here(self._session)

    def note(self, spot: Spot) -> None:
        """Note that no match is before a position."""
        self.reached = spot

    def _told(self, reached: Spot) -> str:
        since = self.since
        if reached == since:
            return f"Stopped with nothing searched yet for {self.what}: the position stays."
        of = f" of {since.path}" if since.path != reached.path else ""
        return (
            f"Stopped at RBA {reached.rba} of {reached.path}: "
            f"no {self.what} from RBA {since.rba}{of} to there, the position stays."
        )


def _here(session: Session) -> Spot:
    return Spot(session.trail.path, session.cursor.next)
