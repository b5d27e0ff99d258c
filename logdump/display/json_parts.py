"""Parts of JSON objects that several features share."""

from __future__ import annotations

from logdump.display.json_shape import Shape, member
from logdump.display.trail_text import restart_text
from trailformat import TrailName, io_type_name
from trailformat.totals.counting import OTHERS
from trailformat.trail.sequence import Spot


def _seqno(spot: Spot) -> int | None:
    name = TrailName.parse(spot.path)
    return name.seqno if name else None


SPOT = Shape(
    "spot",
    "A place in a trail.",
    (
        member("file", "string", "Path of the file", "path"),
        member("seqno", "number or null", "Its sequence number, null where its name has none", _seqno),
        member("rba", "number", "Byte offset in it"),
        member("alter", "string", "The command that sets a Replicat there, to be pasted into GGSCI", restart_text),
    ),
)


TRAIL_GAP = Shape(
    "trail_gap",
    "Files that are missing.",
    (member("first", "string", "Path of the first"), member("last", "string", "Path of the last")),
)


RULE = Shape(
    "rule",
    "A statement at one place of a parameter file.",
    (
        member("file", "string", "Path of the parameter file", "path"),
        member("line", "number", "Line in it; for the text of a macro, the line of its call"),
        member("text", "string", "Its text, on one line"),
    ),
)


def _io_type(pair: tuple[int, int]) -> int | None:
    return None if pair[0] == OTHERS else pair[0]


def _io_type_name(pair: tuple[int, int]) -> str:
    return "FileHeader" if pair[0] == OTHERS else io_type_name(pair[0])


TYPE_COUNT = Shape(
    "type_count",
    "The records of one type.",
    (
        member("io_type", "number or null", "IOType; null for the file header", _io_type),
        member("io_type_name", "string", "Its name", _io_type_name),
        member("records", "number", "How many", "1"),
    ),
)
