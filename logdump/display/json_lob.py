"""LOB pieces and whole LOBs as JSON."""

from __future__ import annotations

from logdump.display.json_shape import Shape, member
from logdump.session.events import LobsShown

_COLUMN = "Column index of a LOB piece; this and the following members are null if its layout is not the assumed one"

SEGMENT = Shape(
    "segment",
    "The place of a LOB piece or record fragment in its whole.",
    (
        member("kind", "string", "`lob_piece` or `fragment`", "kind.value"),
        member(
            "base_file", "string or null", "File of the record it belongs to; null when that is not found", "base?.path"
        ),
        member("base_rba", "number or null", "RBA of that record", "base?.rba"),
        member("number", "number or null", "Which of the parts it is, from 1"),
        member("pieces", "number or null", "How many there are; of fragments at the last one"),
        member("column", "number or null", _COLUMN, "numbers?.column"),
        member("offset", "number or null", "First byte in the LOB", "numbers?.offset"),
        member("total", "number or null", "Bytes of the LOB", "numbers?.total"),
    ),
)

MISSING = Shape(
    "missing",
    "Bytes of a LOB that are not there.",
    (
        member("offset", "number", "The first of them in the LOB"),
        member("length", "number", "How many"),
    ),
)

LOB = Shape(
    "lob",
    "One LOB of a row, with the pieces that were found.",
    (
        member("ordinal", "number", "Which LOB of the row, by its first piece, from 1", "0.ordinal"),
        member("column", "number or null", "Column index; null: layout not known", "0.column"),
        member("name", "string or null", "Column name", "1"),
        member("before", "boolean", "Whether it is a before image", "0.is_before"),
        member("file", "string", "File of its first piece", "0.first.path"),
        member("rba", "number", "RBA of its first piece", "0.first.rba"),
        member("pieces", "number", "Pieces found", "0.pieces"),
        member("bytes", "number", "Bytes found", "0.size"),
        member("total", "number or null", "Bytes there should be", "0.total"),
        member("whole", "boolean", "Whether all pieces were found, as far as they show", "0.is_whole"),
        member("missing", "list of missing", "The gaps", MISSING.each("0.missing")),
        member("problems", "list of string", "Other errors", "0.problems"),
    ),
)

LOBS = Shape(
    "lobs",
    "LOB: the LOBs of a row.",
    (
        member("file", "string", "Path of the file", "path"),
        member("rba", "number", "RBA that was asked about"),
        member("lobs", "list of lob", "The LOBs", LOB.each("lobs")),
    ),
    LobsShown,
)
