"""The results of CHECK as JSON."""

from __future__ import annotations

from logdump.display.json_fields import fields
from logdump.display.json_shape import PARTIAL, Shape, member, verdict
from logdump.features.check.model import BadRowShown, CheckShown, GapShown
from logdump.features.recovery.model import TrailState
from trailformat import PartialRecord

_WHERE_PARTIAL = "Whether it is a last record that is not complete (yet)"

GAP = Shape(
    "gap",
    "CHECK: bytes of a file that hold no sound record.",
    (
        *fields(GapShown, "path rba length next_good"),
        member("partial", "boolean", _WHERE_PARTIAL, lambda shown: isinstance(shown.error, PartialRecord)),
        member("error", "string", "The error", "error.problem"),
        member("expected", "string or null", "The bytes that were expected", "error.expected"),
        member("found", "string or null", "The bytes that were found", "error.found"),
    ),
    GapShown,
)

BAD_ROW = Shape(
    "bad_row",
    "CHECK: a record with a sound frame whose columns, values (with VALUES), definition or file header do not decode.",
    (
        *fields(BadRowShown, "path rba table column noun"),
        member("error", "string", "The error", "error.problem"),
        member("expected", "string or null", "What was expected", "error.expected"),
        member("found", "string or null", "What was found", "error.found"),
    ),
    BadRowShown,
)

TRAIL_STATE = Shape("trail_state", "What is wrong in a trail, as `recovery` and `doctor` find it.", fields(TrailState))

CHECK = Shape(
    "check",
    "CHECK: the result.",
    (
        *fields(CheckShown, "title size records transactions"),
        *verdict(
            *fields(CheckShown, "gaps gap_bytes bad_rows bad_definitions undefined"),
            member("restarts", "number", "Restarts of Extract, as `recovery` counts them"),
            tells_findings=True,
        ),
        *fields(CheckShown, "states", TrailState=TRAIL_STATE),
        *verdict(*fields(CheckShown, "encrypted"), tells_findings=True),
        PARTIAL,
    ),
    CheckShown,
)
