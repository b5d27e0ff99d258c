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
        path: its file.
        row: the change.
        is_applied: True if a Replicat applies it; None if unknown.
        user_tokens: the user tokens of its records; None if they do not decode.
    """

    path: Path
    row: RecordRow
    is_applied: bool | None = None
    user_tokens: UserTokens | None = ()


class RowStoryShown(NamedTuple):
    """ROW: the summary.

    Attributes:
        table: the table of the row.
        keys: the keys that the row had, in order of time, each as it may be entered.
        changes: number of changes shown.
        is_there: True if the row exists after the last applied change; None if no change is applied.
        is_partial: True if changes may be missing, because of data not read or a filter: there is no verdict.
        is_filtered: True if a filter is active.
        not_applied: number of changes that are not applied.
        undo: the command for the SQL that reverts the changes; empty if the key cannot be entered.
    """

    table: str
    keys: tuple[str, ...]
    changes: int
    is_there: bool | None
    is_partial: bool = False
    is_filtered: bool = False
    not_applied: int = 0
    undo: str = ""
