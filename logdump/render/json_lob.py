"""LOB pieces and whole LOBs as JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from logdump.render.json_shape import Field, Shape
from logdump.session.known_record import KnownRecord
from trailformat.changes.segments import Segment
from trailformat.records.lob_pieces import PieceHeader

SEGMENT = Shape(
    "segment",
    "The place of a LOB piece or a record fragment in what it is a part of.",
    (
        Field("kind", "string", "`lob_piece` or `fragment`", lambda one: one.kind.value),
        Field(
            "base_file",
            "string or null",
            "File of the record it belongs to; null when that is not found",
            lambda one: str(one.base.path) if one.base else None,
        ),
        Field("base_rba", "number or null", "RBA of that record", lambda one: one.base.rba if one.base else None),
        Field("number", "number or null", "Which of the parts it is, from 1", lambda one: one.number),
        Field("pieces", "number or null", "How many there are; of fragments at the last one", lambda one: one.pieces),
        Field(
            "column",
            "number or null",
            "Column index of a LOB piece; this and what follows null where its layout is not the assumed one",
            lambda one: _number(one, lambda numbers: numbers.column),
        ),
        Field(
            "offset",
            "number or null",
            "First byte in the LOB",
            lambda one: _number(one, lambda numbers: numbers.offset),
        ),
        Field("total", "number or null", "Bytes of the LOB", lambda one: _number(one, lambda numbers: numbers.total)),
    ),
)


def _number(segment: Segment, get: Callable[[PieceHeader], int]) -> int | None:
    return get(segment.numbers) if segment.numbers is not None else None


def segment_of(known: KnownRecord) -> Any:
    """The place of a record's part, or None."""
    return SEGMENT.build(known.segment) if known.segment is not None else None


MISSING = Shape(
    "missing",
    "Bytes of a LOB that are not there.",
    (
        Field("offset", "number", "The first of them in the LOB", lambda gap: gap.offset),
        Field("length", "number", "How many", lambda gap: gap.length),
    ),
)

LOB = Shape(
    "lob",
    "One LOB of a row, as far as its pieces are there.",
    (
        Field("ordinal", "number", "Which LOB of the row, by its first piece, from 1", lambda pair: pair[0].ordinal),
        Field("column", "number or null", "Column index; null: layout not known", lambda pair: pair[0].column),
        Field("name", "string or null", "Column name", lambda pair: pair[1]),
        Field("before", "boolean", "Whether it is a before image", lambda pair: pair[0].is_before),
        Field("file", "string", "File of its first piece", lambda pair: str(pair[0].first.path)),
        Field("rba", "number", "RBA of its first piece", lambda pair: pair[0].first.rba),
        Field("pieces", "number", "Pieces found", lambda pair: pair[0].pieces),
        Field("bytes", "number", "Bytes found", lambda pair: pair[0].size),
        Field("total", "number or null", "Bytes there should be", lambda pair: pair[0].total),
        Field("whole", "boolean", "Whether all of it is there, as far as it tells", lambda pair: pair[0].is_whole),
        Field("missing", "list of missing", "The gaps", lambda pair: [MISSING.build(gap) for gap in pair[0].missing]),
        Field("problems", "list of string", "What else is wrong", lambda pair: list(pair[0].problems)),
    ),
)

LOBS = Shape(
    "lobs",
    "LOB: the LOBs of a row.",
    (
        Field("file", "string", "Path of the file", lambda shown: str(shown.path)),
        Field("rba", "number", "RBA that was asked about", lambda shown: shown.rba),
        Field("lobs", "list of lob", "The LOBs", lambda shown: [LOB.build(pair) for pair in shown.lobs]),
    ),
)
