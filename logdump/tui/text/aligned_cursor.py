"""The cursor on the page of two trails."""

from __future__ import annotations

from typing import NamedTuple


class AlignedCursor(NamedTuple):
    """The row under the cursor, the side (0 or 1), and the first row that is visible."""

    at: int
    side: int = 0
    top: int = 0
