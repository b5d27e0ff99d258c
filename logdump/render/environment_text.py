"""ENV, in the layout of the 11.1 and 12.1 transcripts."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.notation.escape import escape
from logdump.session.events import EnvironmentShown
from logdump.session.settings import Settings


def environment_lines(shown: EnvironmentShown, _settings: Settings) -> Iterator[str]:
    """A line for each setting."""
    for label, value in shown.rows:
        yield f"{label:<20}: {escape(value)}"
