"""What a statement of SQL gives in this process."""

from __future__ import annotations

from typing import Any

from logdump.commands import REGISTRY
from logdump.features.sql.model import RowsShown
from logdump.language.execute import run_line
from logdump.session.events import Event, Failure
from logdump.session.session import Session


class Asked:
    """A session, and what its last line yielded."""

    def __init__(self, line: str = "") -> None:
        self.session = Session()
        self.events: list[Event] = []
        if line:
            self(line)

    def __call__(self, line: str) -> list[Event]:
        """Run a line."""
        self.events = [*run_line(self.session, REGISTRY, line)]
        return self.events

    def rows(self, statement: str) -> list[tuple[Any, ...]]:
        """The rows of a statement."""
        self(f"sql {statement}")
        assert not self.failures, self.failures
        return [tuple(row) for event in self.events if isinstance(event, RowsShown) for row in event.rows]

    @property
    def failures(self) -> list[Failure]:
        return [event for event in self.events if isinstance(event, Failure)]

    def refusal(self, statement: str) -> str:
        """The lines that say why a statement gives no rows."""
        self(f"sql {statement}")
        assert not [event for event in self.events if isinstance(event, RowsShown)]
        [failure] = self.failures
        return "\n".join(failure.lines)
