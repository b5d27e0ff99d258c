"""How far a Spark job has come, in one line.

Spark: 5 of 16 tasks, 2 running
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.session.events import JobProgress
from logdump.session.settings import Settings


def job_lines(shown: JobProgress, _settings: Settings) -> Iterator[str]:
    """The line."""
    if shown.tasks:
        yield f"Spark: {shown.done} of {shown.tasks} tasks, {shown.running} running"
    else:
        yield "Spark is getting ready"
