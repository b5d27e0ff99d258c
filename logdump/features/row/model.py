"""The events of ROW."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NamedTuple

if TYPE_CHECKING:
    from logdump.display.record_row import RecordRow
    from trailformat.records.record import UserTokens


class RowChangeShown(NamedTuple):
    """One change of the row, as a line.

    Attributes:
        row: the change.
        user_tokens: the user tokens of its records; None if they do not decode.
    """

    path: Annotated[Path, "Path of the file", "file"]
    row: RecordRow
    is_applied: Annotated[bool | None, "Whether a Replicat applies it; null where that is not known"] = None
    user_tokens: UserTokens | None = ()


class RowStoryShown(NamedTuple):
    """ROW: the summary.

    Attributes:
        is_partial: True if changes may be missing, because of data not read or a filter: there is no verdict.
        is_filtered: True if a filter is active.
        undo: the command for the SQL that reverts the changes; empty if the key cannot be entered.
    """

    table: Annotated[str, "Its table"]
    keys: Annotated[tuple[str, ...], "The keys that it had, in order of time, each as it may be entered"]
    changes: Annotated[int, "Changes before this object"]
    is_there: Annotated[bool | None, "Whether the row exists after the last applied change; null if none is applied"]
    is_partial: bool = False
    is_filtered: bool = False
    not_applied: Annotated[int, "Those of them that a Replicat does not apply"] = 0
    undo: str = ""
    later_files: Annotated[int, "Files of the trail after the last one that was read: later changes may be in them"] = 0
