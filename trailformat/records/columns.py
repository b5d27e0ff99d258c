"""Columns: the value list of a compressed record, laid out by ``spec.column``.

Index and length are in the file's byte order; so is the length prefix of a VARCHAR. Binary numbers are always
big-endian (MySQL and PostgreSQL transcripts of 21c).
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from trailformat.codec.byte_order import ByteOrder
from trailformat.codec.on_demand import on_demand
from trailformat.codec.tokens import MOST_PARTS
from trailformat.errors import BadData, CannotWrite
from trailformat.records.record_header import PREFIX_SIZES, ROW_TYPES, RecordHeader

with on_demand:
    from trailformat import spec
    from trailformat.codec import layout

HEADER_BYTES = 20
PIECE_BYTES = 2000
"""Number of bytes of the LOB in each piece but the last."""
MOST_COUNTED = 0xFF
"""Maximum of RecCount, which has one byte; its value for more pieces is unknown."""


class PieceHeader(NamedTuple):
    """The numbers before a piece: ``number`` counts from 1, ``offset`` and ``total`` are in bytes of the LOB."""

    column: int
    number: int
    pieces: int
    offset: int
    total: int


_NUMBERS = {order: struct.Struct(order.value + "5I") for order in ByteOrder}


def parse_piece(header: RecordHeader, data: bytes, order: ByteOrder, size: int | None = None) -> PieceHeader | None:
    """Return the numbers of a piece; None if its data is not in the assumed layout.

    ``size`` is that of all the data, if ``data`` is only its beginning.
    """
    size = len(data) if size is None else size
    if size <= HEADER_BYTES:
        return None
    numbers = PieceHeader._make(_NUMBERS[order].unpack_from(data))
    return numbers if _agree(numbers, size - HEADER_BYTES, header) else None


def _agree(numbers: PieceHeader, size: int, header: RecordHeader) -> bool:
    is_last = numbers.number == numbers.pieces
    return (
        1 <= numbers.number <= numbers.pieces
        and numbers.column <= 0xFFFF
        and (numbers.number == 1) == (numbers.offset == 0)
        and numbers.offset + size <= numbers.total
        and is_last == (numbers.offset + size == numbers.total)
        and is_last == (not header.continued)
        and header.rec_count == min(numbers.pieces, MOST_COUNTED)
    )


def build_piece(numbers: PieceHeader, value: bytes, order: ByteOrder) -> bytes:
    """Return the data of a piece in the assumed layout.

    Raises:
        CannotWrite: a number exceeds 32 bits.
    """
    return layout.build(spec.lob_piece(order.value), {**numbers._asdict(), "value": value}, "LOB piece")


COLUMN_HEAD = 4
"""Size in bytes of index and length, which precede the payload of a column."""
NULL = b"\xff\xff"
PRESENT = b"\0\0"
HEADS = {order: struct.Struct(order.value + "HH") for order in ByteOrder}
"""Readers of index and length of a column."""


class Column:
    """A column of an image: its index in the table and its bytes, indicator included."""

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
    """Return the columns that fill ``data`` exactly.

    Raises:
        BadData: a column runs past the end.
    """
    head, start, stop = HEADS[order].unpack_from, 0, len(data)
    columns: list[Column] = []
    while start + COLUMN_HEAD <= stop and len(columns) < MOST_PARTS:
        index, size = head(data, start)
        end = start + COLUMN_HEAD + size
        if end > stop:
            break
        columns.append(Column(index, data[start + COLUMN_HEAD : end]))
        start = end
    if start == stop:
        return tuple(columns)
    # the layout reports the offset and the contents of the error
    rest = layout.parse_all(
        spec.column(order.value), data, BadData, "column", most=MOST_PARTS, start=start, number=len(columns)
    )
    return (*columns, *(Column(column.index, column.raw) for column in rest))


def build_columns(columns: Columns | list[Column], order: ByteOrder) -> bytes:
    """Return the bytes of a column list.

    Raises:
        CannotWrite: an index or a length exceeds 65535.
    """
    column_layout = spec.column(order.value)
    return b"".join(
        layout.build(column_layout, {"index": column.index, "raw": column.raw}, f"column {column.index}")
        for column in columns
    )


def make_column(index: int, value: bytes | None) -> Column:
    """Return a column with its indicator; None is NULL."""
    stored = {"indicator": NULL, "value": b""} if value is None else {"indicator": PRESENT, "value": value}
    return Column(index, layout.build(spec.STORED_VALUE, stored, f"column {index}"))


class Images(NamedTuple):
    """The columns before and after, each None if the record has no such image.

    ``prefix_size`` is the size of the length before a paired before image: 0 (single image), 2 or 4 bytes.
    """

    before: Columns | None
    after: Columns | None
    prefix_size: int = 0


def parse_images(header: RecordHeader, data: bytes, order: ByteOrder) -> Images | None:
    """Return the images in ``data``, or None if a record of this type has no columns.

    Raises:
        BadData: the data does not match its type.
    """
    if prefix_size := PREFIX_SIZES.get(header.io_type):
        end = prefix_size + order.decode(data[:prefix_size])
        if not prefix_size <= end <= len(data):
            # the layout reports the contents of the error
            layout.parse_whole(spec.paired_images(order.value, prefix_size), data, BadData, "before image")
        before, after = data[prefix_size:end], data[end:]
        return Images(parse_columns(before, order), parse_columns(after, order), prefix_size)
    if header.io_type not in ROW_TYPES or not header.is_compressed:
        return None
    columns = parse_columns(data, order)
    return Images(columns, None) if header.is_before else Images(None, columns)


def build_images(images: Images, order: ByteOrder) -> bytes:
    """Return the data of a record with these images.

    Raises:
        CannotWrite: there are two images without a length between them, or a part does not fit.
    """
    if not images.prefix_size:
        if images.before and images.after:
            raise CannotWrite("a record with two images needs a length before the first", expected="2 or 4 bytes")
        return build_columns(images.before or images.after or (), order)
    both = {"before": build_columns(images.before or (), order), "after": build_columns(images.after or (), order)}
    return layout.build(spec.paired_images(order.value, images.prefix_size), both, "before image")
