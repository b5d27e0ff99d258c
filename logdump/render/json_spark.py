"""Spark's jobs and the rows of SQL as JSON."""

from __future__ import annotations

from logdump.render.json_shape import Field, Shape
from logdump.render.row_values import named

JOB_PROGRESS = Shape(
    "job_progress",
    "How far a Spark job has come; line mode shows it at a terminal only.",
    (
        Field("done", "number", "Tasks that are done", lambda event: event.done),
        Field("running", "number", "Tasks that run", lambda event: event.running),
        Field("tasks", "number", "All tasks known so far", lambda event: event.tasks),
    ),
)
ROW = Shape(
    "row",
    "A row of an SQL result.",
    (
        Field(
            "values",
            "object",
            "Its values by the names of the columns (`op_2`: the second that is named `op`): bytes as hex digits, "
            "times in ISO 8601, structures and maps as objects",
            lambda pair: named(*pair),
        ),
    ),
)
"""Of the names of the columns and the values of a row."""
