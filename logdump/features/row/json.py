"""ROW as JSON."""

from __future__ import annotations

from logdump.display.json_record import USER_TOKEN
from logdump.display.json_shape import PARTIAL, Shape, member, row_members, verdict
from logdump.features.row.model import RowChangeShown, RowStoryShown

ROW_CHANGE = Shape(
    "row_change",
    "ROW: one change of the row.",
    (
        member("file", "string", "Path of the file", "path"),
        *row_members("row"),
        member(
            "applied", "boolean or null", "Whether a Replicat applies it; null where that is not known", "is_applied"
        ),
        member(
            "user_tokens",
            "list of user_token, or null",
            "User tokens of the change; null where they do not decode",
            USER_TOKEN.each("user_tokens"),
        ),
    ),
    RowChangeShown,
)
ROW_STORY = Shape(
    "row_story",
    "ROW: the end of the story.",
    (
        member("table", "string", "Its table"),
        member("keys", "list of string", "The keys that it had, in order of time, each as it may be entered"),
        member("changes", "number", "Changes before this object"),
        member("not_applied", "number", "Those of them that a Replicat does not apply"),
        verdict(
            "there",
            "boolean",
            "Whether the row exists after the last applied change; null if none is applied",
            "is_there",
        ),
        PARTIAL,
    ),
    RowStoryShown,
)
