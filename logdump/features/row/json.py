"""ROW as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_record import USER_TOKEN
from logdump.display.json_shape import PARTIAL, Shape, member, row_members, verdict
from logdump.features.row.model import RowChangeShown, RowStoryShown

ROW_CHANGE = Shape(
    "row_change",
    "ROW: one change of the row.",
    (
        *fields(RowChangeShown, "path"),
        *row_members("row"),
        *fields(RowChangeShown, "is_applied"),
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
        *fields(RowStoryShown, "table keys changes not_applied later_files"),
        *verdict(*fields(RowStoryShown, "is_there")),
        PARTIAL,
    ),
    RowStoryShown,
)
