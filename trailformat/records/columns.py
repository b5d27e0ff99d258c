"""Columns: the value list of a compressed record.

    offset  size    field
    0       2       column index, from 0
    2       2       length of what follows
    4       length  2-byte indicator (0000 present, ffff NULL), then the value

    0001 0013 0000 000f 4247 2053 4f46 5457 4152 4520 434f 2e     column 1: VARCHAR "BG SOFTWARE CO."

Index and length are in the file's byte order; so is the length prefix of a VARCHAR. Binary numbers are big-endian
always (MySQL and PostgreSQL transcripts of 21c).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from functools import cache
from mmap import mmap
from typing import Any

from trailformat.codec import layout
from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.constructs import c
from trailformat.errors import BadData

COLUMN_HEAD = 4
"""Bytes of a column in front of its payload: index and length."""
NULL = b"\xff\xff"
PRESENT = b"\0\0"
HEADS = {order: struct.Struct(order.value + "HH") for order in ByteOrder}
"""Index and length of a column."""


class Column:
    """One column of an image: its index in the table and its bytes, indicator included."""

    __slots__ = ("index", "raw")

    def __init__(self, index: int, raw: bytes) -> None:
        self.index = index
        self.raw = raw

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Column) and (self.index, self.raw) == (other.index, other.raw)

    def __hash__(self) -> int:
        return hash((self.index, self.raw))

    def __repr__(self) -> str:
        return f"Column({self.index}, {self.raw!r})"

    @property
    def is_null(self) -> bool:
        """Whether the indicator says NULL."""
        return self.raw[:2] == NULL

    @property
    def value(self) -> bytes:
        """The bytes after the indicator."""
        return self.raw[2:]


Columns = tuple[Column, ...]


@cache
def column_layout(order: ByteOrder) -> Any:
    """The construct of one column in ``order``."""
    return c.Struct(
        "index" / order.uint(2),
        "length" / c.Rebuild(order.uint(2), c.len_(c.this.raw)),
        "raw" / c.Bytes(c.this.length),
    )


def parse_columns(data: bytes, order: ByteOrder) -> Columns:
    """The columns that fill ``data`` exactly.

    Raises:
        BadData: a column runs past the end.
    """
    head, start, stop = HEADS[order].unpack_from, 0, len(data)
    columns: list[Column] = []
    while start + COLUMN_HEAD <= stop and len(columns) < layout.MOST:
        index, size = head(data, start)
        end = start + COLUMN_HEAD + size
        if end > stop:
            break
        columns.append(Column(index, data[start + COLUMN_HEAD : end]))
        start = end
    if start == stop:
        return tuple(columns)
    # the layout says at which byte it goes wrong, and what stands there
    rest = layout.parse_all(column_layout(order), data, BadData, "column", start, len(columns))
    return (*columns, *(Column(column.index, column.raw) for column in rest))


def column_places(
    buffer: bytes | memoryview | mmap, start: int, stop: int, order: ByteOrder
) -> Iterator[tuple[int, int, int]]:
    """Index, place and size of the payload of each column from ``start`` to ``stop``: the fast twin of the layout.

    Raises:
        BadData: as parse_columns.
    """
    head = HEADS[order].unpack_from
    for _ in range(layout.MOST):
        if start + 4 > stop:
            break
        index, size = head(buffer, start)
        if start + 4 + size > stop:
            break
        yield index, start + 4, size
        start += 4 + size
    if start != stop:
        raise BadData("column does not fit into the bytes around it", expected=f"at most {stop - start} bytes")


def build_columns(columns: Columns | list[Column], order: ByteOrder) -> bytes:
    """The bytes of a column list.

    Raises:
        CannotWrite: an index or a length over 65535.
    """
    return b"".join(
        layout.build(column_layout(order), {"index": column.index, "raw": column.raw}, f"column {column.index}")
        for column in columns
    )


def make_column(index: int, value: bytes | None) -> Column:
    """A column with its indicator; None is NULL."""
    return Column(index, NULL if value is None else PRESENT + value)
