"""The progress of a scan or a Spark job as JSON."""

from __future__ import annotations

from logdump.display.json_shape import Shape, member, time_at
from logdump.session.events import JobProgress, Progress

PROGRESS = Shape(
    "progress",
    "How far a scan has come (NOTIFY).",
    (
        member("records", "number", "Records scanned"),
        member("rba", "number", "RBA of the last"),
        member("time", "string or null", "IO Time of the last", time_at("time")),
    ),
    Progress,
)

JOB_PROGRESS = Shape(
    "job_progress",
    "How far a Spark job has come; line mode shows it at a terminal only.",
    (
        member("done", "number", "Tasks that are done"),
        member("running", "number", "Tasks that run"),
        member("tasks", "number", "All tasks known so far"),
    ),
    JobProgress,
)
