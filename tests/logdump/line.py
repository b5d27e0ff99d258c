"""Running command lines in a session, for tests of commands."""

from __future__ import annotations

from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.language.execute import run_line
from logdump.session.events import Event, Failure
from logdump.session.known_record import KnownRecord
from logdump.session.session import Session


class Line:
    """A session that takes lines and keeps what they yield."""

    def __init__(self) -> None:
        self.session = Session()
        self.events: list[Event] = []

    def __call__(self, line: str) -> list[str]:
        """Run a line; returns what it prints."""
        shown: list[str] = []
        self.events = []
        for event in run_line(self.session, REGISTRY, line):
            self.events.append(event)
            shown += render(event, self.session.settings)
        return shown

    @property
    def failures(self) -> list[Failure]:
        """What went wrong in the last line."""
        return [event for event in self.events if isinstance(event, Failure)]

    @property
    def rbas(self) -> list[int]:
        """Where the records stand that the last line displayed."""
        return [event.record.rba for event in self.events if isinstance(event, KnownRecord)]
