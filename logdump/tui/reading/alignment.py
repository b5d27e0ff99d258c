"""Two trails side by side on the screen: rows are kept as they come, and reported four times a second."""

from __future__ import annotations

import time
from collections.abc import Callable

from textual.message import Message

from logdump.features.diff.model import AlignedRow, DifferenceShown, DiffShown
from logdump.features.diff.side_by_side import AlignedListing, AlignedSoFar
from logdump.tui.reading.messages import AlignedGrew

_EVERY = 0.25


class ReportedAlignment:
    """The rows of one comparison; the first report comes at once, the last with :meth:`close`."""

    def __init__(self, listing: AlignedListing, post: Callable[[Message], object]) -> None:
        self._listing, self._post = listing, post
        self._report(is_ended=False)

    def add(self, row: AlignedRow) -> None:
        """The next row."""
        self._listing.add(row)
        if time.monotonic() - self._told >= _EVERY:
            self._report(is_ended=False)

    def shows(self, event: object) -> bool:
        """Whether the page has what an event is about."""
        return isinstance(event, DifferenceShown)

    def end(self, shown: DiffShown) -> None:
        """Both trails in numbers."""
        self._listing.end(shown)

    def close(self) -> None:
        """Report the last rows."""
        self._report(is_ended=True)

    def _report(self, *, is_ended: bool) -> None:
        self._told = time.monotonic()
        self._post(AlignedGrew(AlignedSoFar(self._listing, len(self._listing.rows), is_ended)))
