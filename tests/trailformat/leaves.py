"""Rows of a table of two columns, TEA.LEAVES, and what is told of their changes."""

from __future__ import annotations

from collections.abc import Callable

from tests.trailformat.samples import header
from tests.trailformat.values.kinds import of
from trailformat import (
    Change,
    Images,
    Record,
    TableDefinition,
    TrailFile,
    make_column,
    make_record,
    make_token,
)
from trailformat.changes.row_changes import changes
from trailformat.records.columns import Columns
from trailformat.records.record_header import (
    FIELD_COMP,
    PK_UPDATE,
    UNIFIED_PK_UPDATE,
    UNIFIED_UPDATE,
)

Opened = Callable[..., TrailFile]
FIRST, MIDDLE, LAST, ONLY = range(4)
TABLE = TableDefinition(1, 1, (of(64)._replace(name="CODE", flags=0x23), of(132)._replace(name="GRAMS")))


def image(code: str | None = None, grams: int | None = None) -> Columns:
    """Columns of TABLE; grams below zero are NULL, what is None is absent."""
    found = []
    if code is not None:
        found.append(make_column(0, len(code).to_bytes(2, "big") + code.encode()))
    if grams is not None:
        found.append(make_column(1, grams.to_bytes(4, "big") if grams >= 0 else None))
    return tuple(found)


def record(
    io_type: int,
    before: Columns | None = None,
    after: Columns | None = None,
    trans_ind: int = ONLY,
    name: int | str = 1,
) -> Record:
    prefix = {PK_UPDATE: 2, UNIFIED_UPDATE: 4, UNIFIED_PK_UPDATE: 4}.get(io_type, 0)
    which = ord("B" if before is not None and after is None else "A")
    head = header(name, io_type=io_type, before_after=which, trans_ind=trans_ind)
    return make_record(head, Images(before, after, prefix), [make_token("L", b"4711"), make_token("6", b"1.2.3")])


def told(change: Change) -> list[tuple[str, str | None, str | None, bool]]:
    return [
        (each.name, each.before and each.before.text, each.after and each.after.text, each.is_changed)
        for each in change.columns
    ]


def only(trail: TrailFile) -> Change:
    (found,) = changes(trail, trail.records())
    return found


PAIR = (
    record(FIELD_COMP, before=image("SEN01", 890), trans_ind=FIRST),
    record(FIELD_COMP, after=image("SEN01", 880), trans_ind=LAST),
)
"""The halves of one update."""
