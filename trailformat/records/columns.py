"""Columns: the value list of a compressed record, laid out by ``spec.column``.

Index and length are in the file's byte order; so is the length prefix of a VARCHAR. Binary numbers are big-endian
always (MySQL and PostgreSQL transcripts of 21c).
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from mmap import mmap

from trailformat.codec import layout
from trailformat.codec.byte_order import ByteOrder
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
        """True if the indicator is NULL."""
        return self.raw[:2] == NULL

    @property
    def value(self) -> bytes:
        """The bytes after the indicator."""
        return self.raw[2:]


Columns = tuple[Column, ...]


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
    # the layout reports the offset and the contents of the error
    from trailformat import spec

    rest = layout.parse_all(spec.column(order.value), data, BadData, "column", start, len(columns))
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
    from trailformat import spec

    one = spec.column(order.value)
    return b"".join(
        layout.build(one, {"index": column.index, "raw": column.raw}, f"column {column.index}") for column in columns
    )


def make_column(index: int, value: bytes | None) -> Column:
    """A column with its indicator; None is NULL."""
    from trailformat import spec

    stored = {"indicator": NULL, "value": b""} if value is None else {"indicator": PRESENT, "value": value}
    return Column(index, layout.build(spec.STORED_VALUE, stored, f"column {index}"))
