"""Rows of SQL as JSON."""

from __future__ import annotations

from logdump.arrow.plain_values import named
from logdump.display.json_shape import Shape, member
from logdump.features.sql.model import RowsShown

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
    RowsShown,
    lambda shown: [(shown.columns, row) for row in shown.rows],
)
