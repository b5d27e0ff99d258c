"""Looking for records in bytes: forwards and backwards, behind garbage and damage."""

from __future__ import annotations

import mmap
import struct
import sys
import tempfile
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.searching import examples
from tests.trailformat.samples import BOTH, header, row
from tests.trailformat.test_framing import BEHIND, SOUND
from trailformat import ByteOrder, make_record, make_token
from trailformat.codec.mapped_file import FileBytes, MappedFile
from trailformat.codec.tokens import WIDE, build_tokens
from trailformat.records.framing import start_before
from trailformat.records.record import build_record
from trailformat.records.record_header import build_header
from trailformat.trail import command_files
from trailformat.trail.resync import candidates, next_sound, previous_sound

ONE = row().raw
H = make_token("H", build_header(header(), ByteOrder.BIG))
LOOKS_LIKE = [b"G...H...E", b"G.....H...E", b"G...H.....E", b"G.....H.....E", b"F...0"]


@pytest.mark.parametrize("look", LOOKS_LIKE)
def test_every_place_that_looks_like_a_record_is_found_once(look: bytes) -> None:
    data = look * (20_000 // len(look))
    places = list(range(0, len(data), len(look)))
    assert list(candidates(data, 0, len(data))) == places
    assert list(candidates(data, 1, len(data) - 1)) == places[1:-1]
    assert list(candidates(b"x" + data, 0, 5_000)) == [at + 1 for at in places if at + 1 + len(look) <= 5_000]


@pytest.mark.parametrize("shift", range(-14, 15))
def test_a_record_is_found_over_the_edge_of_what_is_read_at_once(shift: int) -> None:
    before = 4_096 + shift
    data = bytes(before) + ONE + bytes(1 << 20)
    assert next_sound(data, 0, len(data)) == before
    back = bytes(100) + ONE + bytes((1 << 20) + shift - len(ONE))
    assert previous_sound(back, len(back), len(back)) == 100


_PIECES = [ONE, ONE[:-1], bytes(70), b"G", b"F...0" * 9, row(order=ByteOrder.LITTLE).raw]
_LOOKS = st.tuples(st.booleans(), st.integers(0, 1200), st.one_of(st.none(), st.integers(0, 900)))


@settings(max_examples=examples(20))
@given(st.lists(st.sampled_from(_PIECES), min_size=1, max_size=14), st.lists(_LOOKS, max_size=8))
def test_what_one_search_has_found_makes_no_difference_to_the_next(
    pieces: list[bytes], looks: list[tuple[bool, int, int | None]]
) -> None:
    data = b"".join(pieces)
    with tempfile.TemporaryFile() as file:
        file.write(data)
        file.flush()
        with MappedFile(file.fileno(), len(data), access=mmap.ACCESS_READ) as mapped:
            mapped.file = file.fileno()
            remembering = FileBytes(mapped, len(data))
            for is_back, rba, most in looks:
                search = previous_sound if is_back else next_sound
                wanted = min(rba, len(data)), len(data), most
                assert search(remembering, *wanted) == search(data, *wanted)


@pytest.mark.parametrize(("search", "start"), [(next_sound, 7), (previous_sound, 5 << 20)])
def test_a_long_search_says_how_far_it_is(search: Callable[..., int | None], start: int) -> None:
    seen: list[int] = []
    zeros = bytes(5 << 20)
    with command_files.search_observed(seen.append):
        search(zeros, start, len(zeros))
    told = len(seen)
    assert told >= 4
    assert seen == sorted(seen, reverse=start > 7)
    search(zeros, start, len(zeros))
    assert len(seen) == told


def test_the_previous_sound_record_begins_before_the_place() -> None:
    data = ONE + ONE
    places = {rba: previous_sound(data, rba, len(data)) for rba in (1, len(ONE), len(ONE) + 1)}
    assert places == {1: 0, len(ONE): 0, len(ONE) + 1: len(ONE)}


@pytest.mark.parametrize("name", SOUND)
def test_the_shortest_records_are_found_backwards(name: str) -> None:
    raw = SOUND[name]
    assert start_before(raw, len(raw), ByteOrder.BIG) == 0
    assert start_before(ONE + raw + BEHIND, len(ONE + raw), ByteOrder.BIG) == len(ONE)


def test_the_record_before_ends_where_this_one_begins() -> None:
    two = ONE + row(b"longer leaf").raw
    assert start_before(two, len(two), ByteOrder.BIG) == len(ONE)
    assert start_before(two, len(ONE), ByteOrder.BIG) == 0


def test_a_wide_record_is_found_backwards_too() -> None:
    raw = ONE + build_record(WIDE, build_tokens([H], ByteOrder.BIG), ByteOrder.BIG)
    assert start_before(raw, len(raw), ByteOrder.BIG) == len(ONE)


def test_a_record_of_more_than_64_kilobytes_is_found_backwards() -> None:
    large = make_record(header(), bytes(70_000)).raw
    assert start_before(ONE + large, len(ONE + large), ByteOrder.BIG) == len(ONE)


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
    assert next_sound(data, 0, len(data)) == len(garbage)
    assert next_sound(data, len(garbage) + 1, len(data)) is None


@pytest.mark.parametrize("order", BOTH)
def test_the_previous_sound_record_is_found_in_front_of_garbage(order: ByteOrder) -> None:
    raw = row(order=order).raw
    data = raw + raw + b"G\1\0\x40H\0\0\x24E" * 5
    assert previous_sound(data, len(data), len(data)) == len(raw)
    assert previous_sound(data, len(raw), len(data)) == 0
    assert previous_sound(data, 0, len(data)) is None


def test_the_previous_sound_record_is_found_a_megabyte_back() -> None:
    data = ONE + bytes(3_000_000)
    assert previous_sound(data, len(data), len(data)) == 0


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
    records, calls = 30, 0
    data = hostile(records)

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event == "c_call"

    sys.setprofile(count)
    try:
        next_sound(data, 0, len(data))
    finally:
        sys.setprofile(None)
    assert calls < 400 * records


def test_a_record_is_found_right_behind_a_byte_that_looks_like_a_file_header() -> None:
    raw = build_record(0, b"H\0\0\x24E" + bytes(35), ByteOrder.BIG)
    data = b"F" + raw
    assert list(candidates(data, 0, len(data))) == [0, 1]
    assert next_sound(data, 0, len(data)) == 1


@pytest.mark.parametrize(("most", "found"), [(50, None), (70, 100), (10_000, 100), (None, 100)])
def test_no_more_bytes_are_searched_than_allowed(most: int | None, found: int | None) -> None:
    data = bytes(100) + ONE + bytes(200)
    assert next_sound(data, 50, len(data), most) == found


@pytest.mark.parametrize(("most", "found"), [(60, None), (61, 0), (10_000, 0), (None, 0)])
def test_no_more_bytes_are_searched_backwards_than_allowed(most: int | None, found: int | None) -> None:
    data = ONE + bytes(500)
    assert previous_sound(data, 61, len(data), most) == found
