"""The results of CHECK as JSON."""

from __future__ import annotations

from logdump.render.json_shape import Field, Shape
from trailformat import PartialRecord

GAP = Shape(
    "gap",
    "CHECK: bytes of a file that hold no sound record.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.path)),
        Field("rba", "number", "Byte offset in it", lambda shown: shown.rba),
        Field("length", "number", "Bytes up to the next good record, or the end", lambda shown: shown.length),
        Field("next_good", "number or null", "RBA of the next good record", lambda shown: shown.next_good),
        Field(
            "partial",
            "boolean",
            "Whether it is a last record that is not complete (yet)",
            lambda shown: isinstance(shown.error, PartialRecord),
        ),
        Field("error", "string", "What is wrong", lambda shown: shown.error.problem),
        Field("expected", "string or null", "What should stand there", lambda shown: shown.error.expected),
        Field("found", "string or null", "What stands there", lambda shown: shown.error.found),
    ),
)

CHECK = Shape(
    "check",
    "CHECK: what it found.",
    (
        Field("title", "string", "What was checked, as in the text: `LogTrail <path>`", lambda shown: shown.title),
        Field("bytes", "number", "Bytes checked", lambda shown: shown.size),
        Field("records", "number", "Good records", lambda shown: shown.records),
        Field("transactions", "number", "Transactions that ended", lambda shown: shown.transactions),
        Field("gaps", "number", "Gaps", lambda shown: shown.gaps),
        Field("gap_bytes", "number", "Bytes in them", lambda shown: shown.gap_bytes),
        Field("undefined", "number", "Records whose table definition is not there", lambda shown: shown.undefined),
        Field("partial", "boolean", "Whether it was stopped before the end", lambda shown: shown.is_partial),
    ),
)
