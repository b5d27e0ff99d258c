"""The event of SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class RowsShown(NamedTuple):
    """The result of an SQL statement: its column names, which may repeat, and rows with a value for each column.

    ``width`` is the width of the terminal on which they are shown; None elsewhere.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    width: int | None = None
