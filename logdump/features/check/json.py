"""The results of CHECK as JSON."""

from __future__ import annotations

from logdump.display.json_shape import HEADER_MISMATCH, PARTIAL, TRAIL_GAP, Shape, member, verdict
from logdump.features.check.model import BadRowShown, CheckShown, GapShown
from trailformat import PartialRecord

_MISMATCHES = "What headers of closed files say about their end, and the files contradict"
_LEFT_OPEN = "Files that their writer has not closed, although a later file exists"
_WHERE_PARTIAL = "Whether it is a last record that is not complete (yet)"

GAP = Shape(
    "gap",
    "CHECK: bytes of a file that hold no sound record.",
    (
        member("file", "string", "Path of the file", "path"),
        member("rba", "number", "Byte offset in it"),
        member("length", "number", "Bytes up to the next good record, or the end"),
        member("next_good", "number or null", "RBA of the next good record"),
        member("partial", "boolean", _WHERE_PARTIAL, lambda shown: isinstance(shown.error, PartialRecord)),
        member("error", "string", "The error", "error.problem"),
        member("expected", "string or null", "The bytes that were expected", "error.expected"),
        member("found", "string or null", "The bytes that were found", "error.found"),
    ),
    GapShown,
)

BAD_ROW = Shape(
    "bad_row",
    "CHECK: a record with a sound frame whose columns, or with VALUES its values, do not decode.",
    (
        member("file", "string", "Path of the file", "path"),
        member("rba", "number", "Byte offset in it"),
        member("table", "string", "Name of its table"),
        member("column", "string or null", "Name of the first such column; `#` and an index if it is not defined"),
        member("error", "string", "The error", "error.problem"),
        member("expected", "string or null", "What was expected", "error.expected"),
        member("found", "string or null", "What was found", "error.found"),
    ),
    BadRowShown,
)

TRAIL_STATE = Shape(
    "trail_state",
    "What is wrong in a trail, as `recovery` and `doctor` find it.",
    (
        member("trail", "string", "Path of the trail without a number, or of the file"),
        member("damaged", "number", "Places of damage"),
        member("gaps", "list of trail_gap", "Files that are missing", TRAIL_GAP.each("gaps")),
        member("unreadable", "list of string", "Files that are not trail files"),
        member("mismatches", "list of header_mismatch", _MISMATCHES, HEADER_MISMATCH.each("mismatches")),
        member("begins_missing", "number", "Transactions whose beginning is missing in the middle of the trail"),
        member("lost", "number", "Cut transactions without a whole copy"),
        member("twice", "number", "Whole copies of whole transactions"),
        member("order_breaks", "number", "Places where CSNs go back"),
        member("restarts", "number", "Restarts of Extract"),
        member("left_open", "list of string", _LEFT_OPEN),
    ),
)

CHECK = Shape(
    "check",
    "CHECK: the result.",
    (
        member("title", "string", "The trail, as in the text: `LogTrail <path>`"),
        member("bytes", "number", "Bytes checked", "size"),
        member("records", "number", "Good records"),
        member("transactions", "number", "Transactions that ended"),
        verdict("gaps", "number", "Gaps", tells_findings=True),
        verdict("gap_bytes", "number", "Bytes in them", tells_findings=True),
        verdict("bad_rows", "number", "Bad rows", tells_findings=True),
        verdict("undefined", "number", "Records whose table definition is not there", tells_findings=True),
        verdict("restarts", "number", "Restarts of Extract, as `recovery` counts them", tells_findings=True),
        member("trails", "list of trail_state", "What is wrong in the trails", TRAIL_STATE.each("states")),
        verdict("encrypted", "list of string", "Files whose record data looks encrypted", tells_findings=True),
        PARTIAL,
    ),
    CheckShown,
)
