"""REPORT as JSON: the page was written."""

from __future__ import annotations

from logdump.display.json_shape import Shape, member
from logdump.features.report.model import ReportWritten

REPORT = Shape(
    "report",
    "REPORT: the page is written.",
    (
        member("file", "string", "Path of the page", "path"),
        member("sections", "number", "Sections"),
        member("status", "number", "Exit status of what it says", lambda written: written.status.value),
    ),
    ReportWritten,
)
