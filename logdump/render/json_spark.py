"""Spark's jobs and the rows of SQL as JSON."""

from __future__ import annotations

from logdump.render.json_shape import Shape, member
from logdump.render.row_values import named
from logdump.session.events import JobProgress

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
ROW = Shape(
    "row",
    "A row of an SQL result.",
    (
        member(
            "values",
            "object",
            "Its values by the names of the columns (`op_2`: the second that is named `op`): bytes as hex digits, "
            "times in ISO 8601, structures and maps as objects",
            lambda pair: named(*pair),
        ),
    ),
)
"""Of the names of the columns and the values of a row."""
