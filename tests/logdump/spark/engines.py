"""Two sessions that are told the same: one works here, the other in Spark."""

from __future__ import annotations

from logdump.commands import REGISTRY
from logdump.display.text import render
from logdump.language.execute import run_line
from logdump.session.events import Event, JobProgress, Notice
from logdump.session.session import Session

ENGINE = "engine spark local[2,4]"
"""Spark as the fixture ``spark`` has started it."""


class Told:
    """A session, and what its last line yielded."""

    def __init__(self, *lines: str) -> None:
        self.session = Session()
        self.events: list[Event] = []
        for line in lines:
            self(line)

    def __call__(self, line: str) -> list[str]:
        """Run a line; returns what it prints, but for progress and what the local engine says of itself."""
        self.events = [*run_line(self.session, REGISTRY, line)]
        shown = [event for event in self.events if not isinstance(event, JobProgress) and not _is_aside(event)]
        return [text for event in shown for text in render(event, self.session.settings)]

    @property
    def has_run_a_job(self) -> bool:
        return any(isinstance(event, JobProgress) for event in self.events)

    @property
    def asides(self) -> list[str]:
        return [line for event in self.events if isinstance(event, Notice) and _is_aside(event) for line in event.lines]


def _is_aside(event: Event) -> bool:
    return isinstance(event, Notice) and not event.status


class BothEngines:
    """Runs lines in both."""

    def __init__(self) -> None:
        self.local, self.spark = Told("timeoffset gmt"), Told("timeoffset gmt", ENGINE)

    def __call__(self, line: str) -> list[str]:
        """Run a line in both; returns what both print."""
        local, spark = self.local(line), self.spark(line)
        assert spark == local
        return local

    def in_spark(self, line: str) -> list[str]:
        """Run a line in both, and see that Spark did it."""
        shown = self(line)
        assert self.spark.has_run_a_job
        assert not self.spark.asides
        return shown

    def end(self) -> None:
        self.local.session.end()
        self.spark.session.end()
