"""The event of SQL."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


class RowsShown(NamedTuple):
    """The result of an SQL statement: names of its columns, which may come twice, and a value for each in every row.

    ``width`` is that of the terminal on which they are shown; None elsewhere.
    """

    columns: tuple[str, ...]
    rows: Sequence[tuple[object, ...]]
    width: int | None = None
