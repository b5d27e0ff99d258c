"""REPORT as text: the page was written."""

from __future__ import annotations

from collections.abc import Iterator

from logdump.display.text import Renderers
from logdump.features.report.model import ReportWritten
from logdump.session.settings import Settings


def written_lines(written: ReportWritten, _settings: Settings) -> Iterator[str]:
    """Yield the path of the page, and its number of sections."""
    yield f"Wrote a report of {written.sections} sections to {written.path}"


LINES: Renderers = {ReportWritten: written_lines}
