"""LIST as JSON."""

from __future__ import annotations

from logdump.display.json_shape import Shape, member, row_members
from logdump.features.list.model import RecordListed

RECORD_LISTED = Shape(
    "listed_record",
    "LIST: a record as one line has it.",
    (member("file", "string", "Path of the file", "path"), *row_members("row")),
    RecordListed,
)
