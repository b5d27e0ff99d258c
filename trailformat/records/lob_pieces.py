"""The data of a LargeObject record: one piece of a LOB, laid out by ``spec.lob_piece``.

What is known: Logdump prints ``Column 3, LOB fragment 3 of 4`` under such a record, and pieces that are not the last
are 2020 bytes long in two sessions, of 2005 and 2015, so 20 bytes accompany 2000 of the LOB; RecCount is the number
of pieces, Continued is set where another follows. Where column and number are in the 20 bytes is **not** known: the
order is assumed. A piece is read by it only if its numbers agree with each other, with the length of the data,
with Continued and with RecCount; the bytes of any other piece are left undecoded.
"""

from __future__ import annotations

import struct
from typing import NamedTuple

from trailformat.codec import layout
from trailformat.codec.byte_order import ByteOrder
from trailformat.records.record_header import RecordHeader

HEADER_BYTES = 20
PIECE_BYTES = 2000
"""Bytes of the LOB in each piece but the last."""
MOST_COUNTED = 0xFF
"""RecCount has one byte; what it holds for more pieces is not known."""


class PieceHeader(NamedTuple):
    """The numbers in front of a piece: ``number`` counts from 1, ``offset`` and ``total`` in bytes of the LOB."""

    column: int
    number: int
    pieces: int
    offset: int
    total: int


_NUMBERS = {order: struct.Struct(order.value + "5I") for order in ByteOrder}


def parse_piece(header: RecordHeader, data: bytes, order: ByteOrder, size: int | None = None) -> PieceHeader | None:
    """The numbers of a piece; None when its data is not laid out as assumed.

    ``size`` is that of all the data, where ``data`` is only the beginning.
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
    """The data of a piece in the assumed layout.

    Raises:
        CannotWrite: a number over 32 bits.
    """
    from trailformat import spec

    return layout.build(spec.lob_piece(order.value), {**numbers._asdict(), "value": value}, "LOB piece")
