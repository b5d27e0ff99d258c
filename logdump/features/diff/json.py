"""The differences of two trails as JSON."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from operator import attrgetter
from typing import Any

from logdump.display.json_fields import fields
from logdump.display.json_shape import PARTIAL, Shape, member, verdict
from logdump.features.diff.model import DifferenceKind, DifferenceShown, DiffShown, PartDifference, SideShown

_KINDS = ", ".join(f"`{kind.value}`" for kind in DifferenceKind)

DIFFERENT_PART = Shape(
    "different_part", "A part of a record, or a column of an image, that differs.", fields(PartDifference)
)

DIFFERENCE = Shape(
    "difference",
    "DIFF: one difference of two trails.",
    (
        member("kind", "string", f"One of {_KINDS}", "kind.value"),
        *fields(DifferenceShown, "a b csn xid table op records parts later side", PartDifference=DIFFERENT_PART),
    ),
    DifferenceShown,
)

DIFF_SIDE = Shape("diff_side", "One of the two trails of DIFF.", fields(SideShown))


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
        *fields(DiffShown, "level a b equal", SideShown=DIFF_SIDE),
        *verdict(
            *fields(DiffShown, "changed"),
            member("transactions", "object", _OF_TRANSACTIONS, _by_kind("transactions")),
            member("records", "object", _OF_RECORDS, _by_kind("records")),
            tells_findings=True,
        ),
        *fields(DiffShown, "by_records is_unaligned is_unsure listed"),
        PARTIAL,
    ),
    DiffShown,
)
