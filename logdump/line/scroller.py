"""Progress in one line of a terminal, written over and wiped away when something else is printed."""

from __future__ import annotations

import sys
import time

from logdump.line import terminal
from logdump.notation.escape import escape
from logdump.render.text import render
from logdump.session.events import JobProgress, Progress, SearchProgress
from logdump.session.settings import Settings

_EVERY = 0.25
"""Seconds between two looks at the line."""
_LONG = 1.0
"""Seconds after which a search is shown."""


class Scroller:
    """Shows progress on standard error where that is a terminal, and nowhere else."""

    def __init__(self) -> None:
        self._started: float | None = None
        self._shown = 0.0
        self._width = 0

    def show(self, event: Progress | SearchProgress | JobProgress, settings: Settings) -> None:
        """Show the records scanned, the rate, and the part of the file that is done; or the tasks of a job."""
        now = time.monotonic()
        if self._started is None:
            self._started = now
        if isinstance(event, SearchProgress) and now - self._started < _LONG:
            return
        if now - self._shown < _EVERY or not sys.stderr.isatty():
            return
        self._shown = now
        since = now - self._started
        rate = _rate(event, since) if isinstance(event, Progress) else f", {since:.0f} s"
        text = escape(render(event, settings)[0] + rate)
        terminal.write_over(text, self._width)
        self._width = len(text)

    def clear(self) -> None:
        """Wipe the line away."""
        if self._width:
            terminal.wipe(self._width)
        self._started, self._width = None, 0


def _rate(event: Progress, seconds: float) -> str:
    rate = f", {event.records / seconds:,.0f} records/s" if seconds else ""
    return rate + (f", {100 * event.rba // event.size} %" if event.size else "")
