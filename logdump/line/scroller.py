"""Progress in one line of a terminal, written over and wiped away when something else is printed."""

from __future__ import annotations

import shutil
import sys
import time

from logdump.display.text import render
from logdump.line import terminal
from logdump.notation.escape import escape
from logdump.notation.plural import size_text
from logdump.session.events import JobProgress, Progress, SearchProgress
from logdump.session.read_progress import ReadSoFar
from logdump.session.settings import Settings

Shown = Progress | SearchProgress | JobProgress | ReadSoFar
_EVERY = 0.25
"""Seconds between two looks at the line."""
_LONG = 1.0
"""Seconds after which a search is shown."""
_ECHO = len("^C")
"""Cells that a terminal shows after the line for Ctrl+C."""


class Scroller:
    """Shows progress on standard error where that is a terminal, and nowhere else."""

    def __init__(self) -> None:
        self._started: float | None = None
        self._shown = 0.0
        self._width = 0
        self._scanned: Progress | None = None
        self._has_read = False

    def show(self, event: Shown, settings: Settings) -> None:
        """Show the part of the bytes that is read and the records scanned; or the tasks of a job."""
        self._has_read = self._has_read or isinstance(event, ReadSoFar)
        if isinstance(event, Progress):
            self._scanned = event._replace(size=0) if self._has_read else event
            if self._has_read:
                return
        now = time.monotonic()
        if self._started is None:
            self._started = now
        if isinstance(event, SearchProgress) and now - self._started < _LONG:
            return
        if now - self._shown < _EVERY or not sys.stderr.isatty():
            return
        self._shown = now
        room = max(1, shutil.get_terminal_size().columns - _ECHO - 1)
        text = self._text(event, settings, now - self._started)[:room]
        terminal.write_over(escape(text), self._width)
        self._width = len(text)

    def _text(self, event: Shown, settings: Settings, since: float) -> str:
        if isinstance(event, ReadSoFar):
            scanned = f"{render(self._scanned, settings)[0]}{_rate(self._scanned, since)}, " if self._scanned else ""
            where = "" if self._scanned else f", RBA {event.rba} of {event.path.name}"
            return f"{event.percent} %, {event.stops}, {scanned}{since:.0f} s{where}"
        rate = _rate(event, since) if isinstance(event, Progress) else f", {since:.0f} s"
        return render(event, settings)[0] + rate

    def clear(self) -> None:
        """Erase the line."""
        if self._width:
            terminal.wipe(self._width + _ECHO)
        self._started, self._width, self._scanned, self._has_read = None, 0, None, False


def _rate(event: Progress, seconds: float) -> str:
    rate = f", {event.records / seconds:,.0f} records/s" if seconds else ""
    return rate + (f", {100 * event.rba // event.size} % of {size_text(event.size)}" if event.size else "")
