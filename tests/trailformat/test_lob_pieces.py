from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH, header
from trailformat import ByteOrder, CannotWrite, RecordHeader
from trailformat.records.columns import HEADER_BYTES, PIECE_BYTES, PieceHeader, build_piece, parse_piece
from trailformat.records.record_header import LARGE_OBJECT

MIDDLE = PieceHeader(3, 3, 4, 4000, 7000)


def _header(*, continued: int = 1, rec_count: int = 4) -> RecordHeader:
    return header(io_type=LARGE_OBJECT, continued=continued, rec_count=rec_count)


def test_a_piece_that_is_not_the_last_is_as_long_as_in_the_sessions() -> None:
    assert len(build_piece(MIDDLE, bytes(PIECE_BYTES), ByteOrder.BIG)) == 2020


@pytest.mark.parametrize("order", BOTH)
def test_a_piece_says_its_place(order: ByteOrder) -> None:
    data = build_piece(MIDDLE, bytes(2000), order)
    assert parse_piece(_header(), data, order) == MIDDLE
    assert data[HEADER_BYTES:] == bytes(2000)


@pytest.mark.parametrize(
    "numbers",
    [
        MIDDLE._replace(number=0),
        MIDDLE._replace(number=5),
        MIDDLE._replace(number=1),
        MIDDLE._replace(offset=0),
        MIDDLE._replace(total=5999),
        MIDDLE._replace(total=6000),
        MIDDLE._replace(column=70_000),
        MIDDLE._replace(pieces=5),
    ],
)
def test_numbers_that_do_not_agree_are_no_numbers(numbers: PieceHeader) -> None:
    assert parse_piece(_header(), build_piece(numbers, bytes(2000), ByteOrder.BIG), ByteOrder.BIG) is None


def test_continued_and_rec_count_have_to_agree_too() -> None:
    data = build_piece(MIDDLE, bytes(2000), ByteOrder.BIG)
    assert parse_piece(_header(continued=0), data, ByteOrder.BIG) is None
    assert parse_piece(_header(rec_count=3), data, ByteOrder.BIG) is None


def test_the_other_byte_order_does_not_fit() -> None:
    assert parse_piece(_header(), build_piece(MIDDLE, bytes(2000), ByteOrder.BIG), ByteOrder.LITTLE) is None


AGREE: dict[str, tuple[PieceHeader, int, int, int]] = {
    "the only one": (PieceHeader(0, 1, 1, 0, 1), 1, 0, 1),
    "the first": (PieceHeader(0xFFFF, 1, 2, 0, 5), 4, 1, 2),
    "the last": (PieceHeader(1, 2, 2, 4, 5), 1, 0, 2),
    "the last of 255": (PieceHeader(1, 255, 255, 4, 5), 1, 0, 255),
    "one of 300": (PieceHeader(1, 256, 300, 4, 50), 1, 1, 255),
}
"""Numbers of a piece, the size of its value, Continued and RecCount that agree."""


@pytest.mark.parametrize(("numbers", "size", "continued", "rec_count"), AGREE.values(), ids=AGREE)
def test_numbers_that_agree_are_taken(numbers: PieceHeader, size: int, continued: int, rec_count: int) -> None:
    data = build_piece(numbers, bytes(size), ByteOrder.BIG)
    assert data[:HEADER_BYTES] == b"".join(number.to_bytes(4, "big") for number in numbers)
    assert parse_piece(_header(continued=continued, rec_count=rec_count), data, ByteOrder.BIG) == numbers
    for other in (numbers._replace(column=0x10000), numbers._replace(total=numbers.offset + size - 1)):
        data = build_piece(other, bytes(size), ByteOrder.BIG)
        assert parse_piece(_header(continued=continued, rec_count=rec_count), data, ByteOrder.BIG) is None


def test_a_number_that_does_not_fit_is_named() -> None:
    with pytest.raises(CannotWrite) as caught:
        build_piece(MIDDLE._replace(total=1 << 32), b"", ByteOrder.BIG)
    assert caught.value.problem == "LOB piece cannot be written"


@pytest.mark.parametrize("data", [b"", bytes(HEADER_BYTES), b"The first cup moistens my lips and throat"])
def test_other_data_says_nothing(data: bytes) -> None:
    assert parse_piece(_header(), data, ByteOrder.BIG) is None


def test_a_piece_without_a_byte_says_nothing() -> None:
    data = build_piece(PieceHeader(3, 1, 1, 0, 0), b"", ByteOrder.BIG)
    assert parse_piece(_header(continued=0, rec_count=1), data, ByteOrder.BIG) is None


@given(st.binary(max_size=60), st.integers(0, 255), st.integers(0, 1))
def test_garbage_is_no_error(data: bytes, rec_count: int, continued: int) -> None:
    parse_piece(_header(continued=continued, rec_count=rec_count), data, ByteOrder.BIG)


def test_a_number_over_32_bits_cannot_be_written() -> None:
    with pytest.raises(CannotWrite):
        build_piece(MIDDLE._replace(total=1 << 32), b"", ByteOrder.BIG)
