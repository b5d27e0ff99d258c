"""Trails whose definitions come again, move to other indexes, and are referred to, between rows and damage."""

from __future__ import annotations

from tests.searching import Random
from tests.trailformat.samples import metadata_record, row, table_record
from trailformat import ByteOrder, Record

_NAMES = "ABCD"
_GARBAGE = (b"\xee" * 9, b"G\x01", b"")


def drawn_trail(
    chance: Random, order: ByteOrder, records: int = 120, *, is_damaged: bool = True
) -> list[Record | bytes]:
    """Records of every such kind, and bytes that are none; transactions of 1 to 100 rows."""
    ends, defines = chance.choice([1, 3, 100]), chance.choice([2, 10, 60])
    drawn: list[Record | bytes] = [row(order=order)]
    for _ in range(records):
        name, index = chance.choice(_NAMES), chance.randrange(1, 8)
        if chance.randrange(defines):
            trans_ind = 2 if not chance.randrange(ends) else 1
            of = index if chance.randrange(4) else name
            drawn.append(row(b"leaf", of, order, trans_ind=trans_ind))
        else:
            kind = chance.choice([1, 2, 2, 3])
            again = table_record(index, name, order) if kind == 2 else metadata_record(kind, index, name, order=order)
            drawn += [chance.choice(_GARBAGE) if is_damaged else b"", again]
    return drawn
