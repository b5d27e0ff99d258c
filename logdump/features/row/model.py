"""The events of ROW."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from logdump.display.record_row import RecordRow


class RowChangeShown(NamedTuple):
    """One change of the row, as a line."""

    path: Path
    row: RecordRow


class RowStoryShown(NamedTuple):
    """ROW: the end of the story.

    Attributes:
        table: its table.
        keys: the keys that it had, in order of time.
        changes: how many are shown.
        is_there: whether it is there after the last one.
        is_partial: whether anything was not read, so that changes may be missing and there is no verdict.
    """

    table: str
    keys: tuple[str, ...]
    changes: int
    is_there: bool
    is_partial: bool = False
