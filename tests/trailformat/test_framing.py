from __future__ import annotations

import struct
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH, header, row
from tests.trailformat.strategies import ORDERS
from trailformat import BadRecord, ByteOrder, PartialRecord, make_token
from trailformat.framing import (
    detect_order,
    frame_length,
    header_at,
    header_payload,
    is_sound,
    next_sound,
    previous_sound,
    start_before,
)
from trailformat.record import build_record
from trailformat.record_header import build_header
from trailformat.tokens import WIDE, build_tokens

ONE = row().raw
H = make_token("H", build_header(header(), ByteOrder.BIG))
FILE_HEADER = build_record(0, b"\x30\0\0\2ok", ByteOrder.BIG, kind="F")


def length_of(data: bytes, order: ByteOrder = ByteOrder.BIG) -> int:
    return frame_length(data, 0, len(data), order)


def test_a_record_reaches_from_its_first_token_to_the_end_of_its_trailer() -> None:
    assert length_of(ONE + b"more") == len(ONE)


def test_a_file_header_is_framed_like_a_record() -> None:
    assert length_of(FILE_HEADER + ONE) == len(FILE_HEADER)


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("info", [0x00, 0x01, WIDE, WIDE | 1, 0xFF])
def test_lengths_have_two_bytes_or_four_in_file_order(order: ByteOrder, info: int) -> None:
    h = make_token("H", build_header(header(order=order), order))
    raw = build_record(info, build_tokens([h], order), order)
    assert length_of(raw, order) == len(raw)


@pytest.mark.parametrize("order", BOTH)
def test_the_token_of_the_header_may_be_wide_too(order: ByteOrder) -> None:
    h = make_token("H", build_header(header(order=order), order), WIDE)
    raw = build_record(0, build_tokens([h], order), order)
    assert length_of(raw, order) == len(raw)
    assert header_at(raw, 0) == 10
    assert header_payload(raw, 0, order) == h.payload


def test_the_header_begins_behind_two_tokens() -> None:
    assert header_at(b"..." + ONE, 3) == 3 + 8
    assert header_payload(b"..." + ONE, 3, ByteOrder.BIG) == H.payload[:4] + b"\0\x0a" + H.payload[6:]


@pytest.mark.parametrize("size", range(1, len(ONE)))
def test_a_record_that_the_file_cuts_is_partial(size: int) -> None:
    with pytest.raises(PartialRecord, match="the file ends inside the record"):
        length_of(ONE[:size])


@pytest.mark.parametrize("size", range(1, len(FILE_HEADER)))
def test_a_file_header_that_the_file_cuts_is_partial(size: int) -> None:
    with pytest.raises(PartialRecord):
        length_of(FILE_HEADER[:size])


def damaged(at: int, byte: int, data: bytes = ONE) -> bytes:
    changed = bytearray(data)
    changed[at] = byte
    return bytes(changed)


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (damaged(0, ord("X")), "no record starts here; expected header token x47 'G'; found x58"),
        (damaged(3, 20), "record length too small; expected at least 46; found 20"),
        (damaged(4, ord("D")), "record has no header; expected token x48 'H'; found x44"),
        (damaged(7, 33), "record header too short; expected at least 34 bytes; found 33 bytes"),
        (damaged(8, ord("e")), "record header is not sound; expected Hdr-Ind x45 'E'; found x65"),
        (damaged(len(ONE) - 4, ord("z")), f"record has no trailer; expected x5a 'Z' at RBA {len(ONE) - 4}; found x7a"),
        (damaged(len(ONE) - 1, 9), f"trailer does not repeat the length; expected {len(ONE)}; found 9"),
        (damaged(7, 46), f"tokens do not fill the record; expected end at RBA {len(ONE) - 4}; found RBA"),
        (damaged(4, ord("1"), FILE_HEADER), "file header has no TrailInfo; expected token x30 '0'; found x31"),
    ],
    ids=["kind", "length", "no H", "short H", "Hdr-Ind", "no Z", "Z length", "tokens", "F"],
)
def test_what_is_wrong_with_a_record_is_said(data: bytes, problem: str) -> None:
    with pytest.raises(BadRecord) as caught:
        length_of(data)
    assert str(caught.value).startswith(problem)


def test_a_record_without_any_token_is_bad_even_at_the_end_of_the_file() -> None:
    with pytest.raises(BadRecord, match="record length too small"):
        length_of(b"G\1\0\x08Z\1\0\x08")


def test_a_record_of_thousands_of_tokens_is_bad() -> None:
    with pytest.raises(BadRecord, match="tokens do not fill the record"):
        length_of(build_record(0, build_tokens([H], ByteOrder.BIG) + bytes(4 * 2000), ByteOrder.BIG))


@given(st.binary(max_size=60), ORDERS)
def test_any_bytes_are_sound_or_a_trail_error(data: bytes, order: ByteOrder) -> None:
    assert is_sound(b"G" + data, 0, 1 + len(data), order) in (True, False)


@pytest.mark.parametrize("order", BOTH)
def test_the_order_is_the_one_in_which_the_record_is_sound(order: ByteOrder) -> None:
    raw = row(order=order).raw
    assert detect_order(raw, 0, len(raw)) is order
    assert detect_order(raw, 0, len(raw), order.other) is order


def test_bytes_that_are_no_record_have_no_order() -> None:
    assert detect_order(b"nothing", 0, 7) is None


def test_the_record_before_ends_where_this_one_begins() -> None:
    two = ONE + row(b"longer leaf").raw
    assert start_before(two, len(two), ByteOrder.BIG) == len(ONE)
    assert start_before(two, len(ONE), ByteOrder.BIG) == 0


def test_a_wide_record_is_found_backwards_too() -> None:
    raw = ONE + build_record(WIDE, build_tokens([H], ByteOrder.BIG), ByteOrder.BIG)
    assert start_before(raw, len(raw), ByteOrder.BIG) == len(ONE)


@pytest.mark.parametrize("end", [0, 1, 3, 4, 10, len(ONE) - 1])
def test_nothing_ends_inside_a_record(end: int) -> None:
    assert start_before(ONE, end, ByteOrder.BIG) is None


def test_a_trailer_that_a_shorter_record_starts_for_is_no_end() -> None:
    other = b"junk" + b"Z\1" + struct.pack(">H", len(ONE) + 8)
    assert start_before(ONE + other, len(ONE + other), ByteOrder.BIG) is None


@pytest.mark.parametrize("length", [0, 1, 3])
def test_a_trailer_with_a_length_of_nothing_is_no_end(length: int) -> None:
    data = bytes(20) + b"Z\1" + struct.pack(">H", length)
    assert start_before(data, len(data), ByteOrder.BIG) is None


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize("garbage", [b"", b"x", b"GGGG", b"G\1\0\x40H\0\0\x24E", b"F..0" * 5])
def test_the_next_sound_record_is_found_behind_garbage(garbage: bytes, order: ByteOrder) -> None:
    raw = row(order=order).raw
    data = garbage + raw + garbage
    assert next_sound(data, 0, len(data), order) == len(garbage)
    assert next_sound(data, len(garbage) + 1, len(data), order) is None


@pytest.mark.parametrize("order", BOTH)
def test_the_previous_sound_record_is_found_in_front_of_garbage(order: ByteOrder) -> None:
    raw = row(order=order).raw
    data = raw + raw + b"G\1\0\x40H\0\0\x24E" * 5
    assert previous_sound(data, len(data), len(data), order) == len(raw)
    assert previous_sound(data, len(raw), len(data), order) == 0
    assert previous_sound(data, 0, len(data), order) is None


def test_the_previous_sound_record_is_found_a_megabyte_back() -> None:
    data = ONE + bytes(3_000_000)
    assert previous_sound(data, len(data), len(data), ByteOrder.BIG) == 0


def hostile(records: int) -> bytes:
    """Nested records that all lead into one long run of empty tokens."""
    starts = bytearray()
    filler = bytes(400_001)
    for number in range(records):
        length = (records - number) * 17 + len(filler) + (number + 1) * 6
        skip = (records - number) * 17 - 12
        starts += b"G\x40" + struct.pack(">I", length) + b"H\x40" + struct.pack(">I", skip) + b"E...."
    ends = b"".join(
        b"Z\x40" + struct.pack(">I", (records - number) * 17 + len(filler) + (number + 1) * 6)
        for number in range(records)
    )
    return bytes(starts) + filler + ends


def test_nested_records_over_empty_tokens_do_not_take_quadratic_time() -> None:
    data = hostile(3000)
    begin = time.perf_counter()
    next_sound(data, 0, len(data), ByteOrder.BIG)
    assert time.perf_counter() - begin < 5
