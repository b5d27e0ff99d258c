"""The progress of a scan or a Spark job, in one line.

Spark: 5 of 16 tasks, 2 running
"""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers
from logdump.notation.times import format_timestamp
from logdump.session.events import JobProgress, Progress, SearchProgress
from logdump.session.settings import Settings


def progress_lines(shown: Progress, settings: Settings) -> Iterator[str]:
    """NOTIFY's line, as the manual prints it."""
    yield f"Scanned {shown.records} records, RBA {shown.rba},{format_timestamp(shown.time, settings.time_offset)}"


def search_lines(shown: SearchProgress, _settings: Settings) -> Iterator[str]:
    """The place that a search for a sound record has reached."""
    yield f"Searching for a good header, RBA {shown.rba}"


def job_lines(shown: JobProgress, _settings: Settings) -> Iterator[str]:
    """Yield the number of tasks of a job."""
    if shown.tasks:
        yield f"Spark: {shown.done} of {shown.tasks} tasks, {shown.running} running"
    else:
        yield "Spark is getting ready"


LINES: Renderers = {
    Progress: progress_lines,
    JobProgress: job_lines,
    SearchProgress: search_lines,
}
