"""Fields of the headers of many records, in the kernels."""

from __future__ import annotations

from trailformat.native.constants import (
    CONTINUED_AT,
    HEADER_SIZE,
    INDEX_SIZE,
    NAME_IS_INDEX,
    NO_INDEX,
    PARTITION_AT,
)
from trailformat.native.loads import AHEAD, fetch, i64, store8, store64, u8, u16
from trailformat.native.scan.tokens import length_at


def read_headers(data: int, starts: int, little: int, rows: int, indexes: int, continued: int) -> int:
    """Fill ``indexes``, int64[rows], and ``continued``, uint8[rows], of the ``G`` records that start at places."""
    for row in range(rows):
        fetch(data, i64(starts, 8 * min(row + AHEAD, rows - 1)))
        at, size, order = i64(starts, 8 * row), 0, u8(little, row)
        for _ in range(2):
            size, head = length_at(data, at, order)
            at += head
        has_index = u8(data, at + PARTITION_AT) & NAME_IS_INDEX and size >= HEADER_SIZE + INDEX_SIZE
        store64(indexes, 8 * row, u16(data, at + HEADER_SIZE, order) if has_index else NO_INDEX)
        store8(continued, row, 1 if u8(data, at + CONTINUED_AT) else 0)
    return rows
