"""The differences of two trails as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from logdump.display.json_shape import PARTIAL, SPOT, TRAIL_GAP, Shape, member, verdict
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffShown

_KINDS = ", ".join(f"`{kind.value}`" for kind in DifferenceKind)

DIFFERENT_PART = Shape(
    "different_part",
    "A part of a record, or a column of an image, that differs.",
    (
        member("part", "string", "`before`, `after` for a column, else the part of the record"),
        member("column", "string or null", "The name of the column, or `column 3` without a definition"),
        member("a", "string or null", "In the first trail; null where it lacks the part"),
        member("b", "string or null", "The same in the second trail"),
    ),
)

DIFFERENCE = Shape(
    "difference",
    "DIFF: one difference of two trails.",
    (
        member("kind", "string", f"One of {_KINDS}", "kind.value"),
        member("a", "place or null", "The place in the first trail; of `twice`, the first place", SPOT.one("a")),
        member("b", "place or null", "The place in the second trail; of `twice`, that of the copy", SPOT.one("b")),
        member("csn", "string or null", "LOGCSN of the transaction"),
        member("xid", "string or null", "TRANID of the transaction"),
        member("table", "string or null", "The table of a record; null for a whole transaction"),
        member("op", "string or null", "The operation of the record; null for a whole transaction"),
        member("records", "number", "How many records it is about; of `damage`, bytes"),
        member(
            "parts", "list of different_part", "The parts that differ in a changed record", DIFFERENT_PART.each("parts")
        ),
        member("later", "number or null", "Of `moved`: after how many others it comes in the second; negative: before"),
        member("side", "string or null", "Of `twice` and `damage`: `a` or `b`"),
    ),
    DifferenceShown,
)

DIFF_SIDE = Shape(
    "diff_side",
    "One of the two trails of DIFF.",
    (
        member("title", "string", "Its name, as it was entered"),
        member("files", "number", "Its files"),
        member("versions", "list of number", "Compatibility of the files, each once"),
        member("transactions", "number", "Its transactions that were compared"),
        member("restarts", "number", "Its restart records, which are not compared"),
        member("gaps", "list of trail_gap", "Files of it that are missing", TRAIL_GAP.each("gaps")),
    ),
)


def _by_kind(name: str) -> Callable[[DiffShown], dict[str, int]]:
    def numbers(shown: DiffShown) -> dict[str, int]:
        counted: Mapping[DifferenceKind, Any] = attrgetter(name)(shown)
        return {kind.value: counted[kind] for kind in DifferenceKind if counted.get(kind)}

    return numbers


_OF_TRANSACTIONS = "Differences of whole transactions, by kind"
_OF_RECORDS = "Differences of records in other transactions, by kind"
DIFF = Shape(
    "diff",
    "DIFF: the two trails in numbers, after all differences.",
    (
        member("level", "string", "`bytes`, `records` or `values`", "level.value"),
        member("a", "diff_side", "The first trail", DIFF_SIDE.one("a")),
        member("b", "diff_side", "The second trail", DIFF_SIDE.one("b")),
        member("equal", "number", "Transactions that are equal and in their places"),
        verdict("changed", "number", "Transactions with a record that differs", tells_findings=True),
        verdict("transactions", "object", _OF_TRANSACTIONS, _by_kind("transactions"), tells_findings=True),
        verdict("records", "object", _OF_RECORDS, _by_kind("records"), tells_findings=True),
        member("by_records", "number", "Under `values`: rows compared by their records for want of a definition"),
        member("unaligned", "boolean", "Whether the two were too different in places to be aligned", "is_unaligned"),
        member("unsure", "boolean", "Whether some duplicates may be listed as `missing` or `extra`", "is_unsure"),
        member("listed", "number", "How many differences were listed"),
        PARTIAL,
    ),
    DiffShown,
)
