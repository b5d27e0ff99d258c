"""The events of ROW."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from logdump.display.record_row import RecordRow
    from trailformat.records.record import UserTokens


class RowChangeShown(NamedTuple):
    """One change of the row, as a line.

    Attributes:
        path: the file.
        row: the change.
        is_applied: whether a Replicat applies it, None where that is not known.
        user_tokens: those of its records, None where they do not decode.
    """

    path: Path
    row: RecordRow
    is_applied: bool | None = None
    user_tokens: UserTokens | None = ()


class RowStoryShown(NamedTuple):
    """ROW: the end of the story.

    Attributes:
        table: its table.
        keys: the keys that it had, in order of time.
        changes: how many are shown.
        is_there: whether it is there after the last one that is applied.
        is_partial: whether changes may be missing, because of what was not read or a filter: there is no verdict.
        is_filtered: whether a filter is switched on.
        not_applied: how many of the changes are not applied.
        undo: the line that asks for the SQL that takes the changes back; empty where the key cannot be entered.
    """

    table: str
    keys: tuple[str, ...]
    changes: int
    is_there: bool
    is_partial: bool = False
    is_filtered: bool = False
    not_applied: int = 0
    undo: str = ""
