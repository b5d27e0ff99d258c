from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.trailformat.samples import BOTH, header, row, trail_of
from tests.trailformat.strategies import ORDERS
from trailformat import BadRecord, ByteOrder, PartialRecord, Record, Token, TrailFile, make_token
from trailformat.codec.tokens import WIDE, build_tokens, length_at, token_places
from trailformat.records.framing import detect_order, frame_at, header_at, is_sound
from trailformat.records.record import build_record
from trailformat.records.record_header import build_header
from trailformat.trail.resync import sound_frame

ONE = row().raw
H = make_token("H", build_header(header(), ByteOrder.BIG))
FILE_HEADER = build_record(0, b"\x30\0\0\2ok", ByteOrder.BIG, kind="F")


def length_of(data: bytes, order: ByteOrder = ByteOrder.BIG) -> int:
    return frame_at(data, 0, len(data), order)[0]


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
    assert Record(raw, order=order).payload("H") == h.payload


def test_the_header_begins_behind_two_tokens() -> None:
    assert header_at(b"..." + ONE, 3) == 3 + 8


HEADER = b"H\0\0\x22E" + bytes(33)
WIDE_HEADER = b"H\x40\0\0\0\x22E" + bytes(33)

SOUND = {
    "the least": b"G\1\0\x2e" + HEADER + b"Z\1\0\x2e",
    "the least wide one": b"G\x40\0\0\0\x32" + HEADER + b"Z\x40\0\0\0\x32",
    "of a wide header": b"G\1\0\x30" + WIDE_HEADER + b"Z\1\0\x30",
    "with an empty token": b"G\1\0\x32" + HEADER + b"U\0\0\0" + b"Z\1\0\x32",
    "with an empty wide token": b"G\1\0\x34" + HEADER + b"U\x40\0\0\0\0" + b"Z\1\0\x34",
    "with a token whose value is not set": b"G\1\0\x33" + HEADER + b"U\xff\0\1x" + b"Z\1\0\x33",
    "with an info of all bits": b"G\xff\0\x2e" + HEADER + b"Z\1\0\x2e",
    "the least file header": b"F\0\0\x0c" + b"0\0\0\0" + b"Z\0\0\x0c",
    "the least wide file header": b"F\x40\0\0\0\x10" + b"0\0\0\0" + b"Z\x40\0\0\0\x10",
}
"""Records that are sound, and as short as they can be."""

END = "the file ends inside the record; "
BAD = {
    "the least, without a header": (b"G\1\0\x08Z\1\0\x08", "record length too small; expected at least 46; found 8"),
    "one byte too short": (b"G\1\0\x2d" + HEADER, "record length too small; expected at least 46; found 45"),
    "one byte too short for a wide one": (
        b"G\x40\0\0\0\x31" + HEADER,
        "record length too small; expected at least 50; found 49",
    ),
    "a file header one byte too short": (
        b"F\0\0\x0b0\0\0\0",
        "record length too small; expected at least 12; found 11",
    ),
    "a wide one too": (b"F\x40\0\0\0\x0f0\0", "record length too small; expected at least 16; found 15"),
    "another token first": (b"G\1\0\x2eD\0\0\x22", "record has no header; expected token x48 'H'; found x44"),
    "another group first": (b"F\0\0\x401\0\0\0", "file header has no TrailInfo; expected token x30 '0'; found x31"),
    "33 bytes of header": (
        b"G\1\0\x2eH\0\0\x21E\0",
        "record header too short; expected at least 34 bytes; found 33 bytes",
    ),
    "33 bytes of wide header": (
        b"G\1\0\x40H\x40\0\0\0\x21",
        "record header too short; expected at least 34 bytes; found 33 bytes",
    ),
    "another first byte": (b"G\1\0\x2eH\0\0\x22e\0", "record header is not sound; expected Hdr-Ind x45 'E'; found x65"),
    "another first byte of a wide header": (
        b"G\1\0\x40H\x40\0\0\0\x22e",
        "record header is not sound; expected Hdr-Ind x45 'E'; found x65",
    ),
    "no trailer": (
        b"G\1\0\x2e" + HEADER + b"z\1\0\x2e",
        "record has no trailer; expected x5a 'Z' at RBA 45; found x7a",
    ),
    "no wide trailer": (
        b"G\x40\0\0\0\x32" + HEADER + b"z\x40\0\0\0\x32",
        "record has no trailer; expected x5a 'Z' at RBA 47; found x7a",
    ),
    "a trailer of another length": (
        b"G\1\0\x2e" + HEADER + b"Z\1\0\x2f",
        "trailer does not repeat the length; expected 46; found 47",
    ),
    "a wide trailer of a short record": (
        b"G\1\0\x2e" + HEADER + b"Z\x40\0\x2e",
        "trailer does not repeat the length; expected 46; found 46",
    ),
    "three bytes too many": (
        b"G\1\0\x31" + HEADER + b"U\0\0" + b"Z\1\0\x31",
        "tokens do not fill the record; expected end at RBA 48; found RBA 45",
    ),
    "a wide token cut": (
        b"G\1\0\x33" + HEADER + b"U\x40\0\0\0" + b"Z\1\0\x33",
        "tokens do not fill the record; expected end at RBA 50; found RBA 45",
    ),
    "a token that is too long": (
        b"G\1\0\x32" + HEADER + b"U\0\0\1" + b"Z\1\0\x32",
        "tokens do not fill the record; expected end at RBA 49; found RBA 50",
    ),
}
"""Bytes, and what is wrong with them; of some no more than the first that tell."""

PARTIAL = {
    "seven bytes": (b"G\1\0\x2eH\0\0", END + "found 7 bytes"),
    "one byte": (b"F", END + "found 1 bytes"),
    "all but the last byte": (SOUND["the least"][:-1], END + "expected 46 bytes; found 45 bytes"),
    "all but the trailer": (SOUND["the least wide one"][:-6], END + "expected 50 bytes; found 44 bytes"),
    "half of a file header": (SOUND["the least file header"][:8], END + "expected 12 bytes; found 8 bytes"),
    "a wide header without its first byte": (
        SOUND["of a wide header"][:10],
        END + "expected 48 bytes; found 10 bytes",
    ),
    "half of the length of a header": (b"G\1\0\x40H\x40\0\0\0", END + "expected 64 bytes; found 9 bytes"),
}
"""The beginning of a record that the file ends in, and what is said of it."""

BEFORE, BEHIND = b"...", b"ZZZZ\0\0\0\0" * 9
"""Bytes in front of what is looked at, and bytes behind the end, which must not be looked at."""


def framed(data: bytes) -> int:
    return frame_at(BEFORE + data + BEHIND, len(BEFORE), len(BEFORE) + len(data), ByteOrder.BIG)[0]


@pytest.mark.parametrize("data", SOUND.values(), ids=SOUND)
def test_the_shortest_sound_records(data: bytes) -> None:
    assert framed(data) == len(data)
    assert length_at(BEFORE + data, len(BEFORE), ByteOrder.BIG) == (len(data), 6 if data[1] == WIDE else 4)


@pytest.mark.parametrize(("data", "problem"), BAD.values(), ids=BAD)
def test_what_is_wrong_with_a_record_is_said_with_its_place(data: bytes, problem: str) -> None:
    with pytest.raises(BadRecord) as caught:
        framed(data)
    assert str(caught.value) == problem
    with pytest.raises(BadRecord):
        length_of(data)  # with nothing behind it


@given(st.data(), st.sampled_from(BOTH))
def test_any_bytes_have_the_places_of_tokens_that_fill_them_or_no_frame(data: st.DataObject, order: ByteOrder) -> None:
    raw = bytearray(row(order=order).raw)
    raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with suppress(BadRecord, PartialRecord):
        length, places = frame_at(BEFORE + bytes(raw) + BEHIND, len(BEFORE), len(BEFORE) + len(raw), order)
        size = length_at(bytes(raw), 0, order)[1]
        assert places == token_places(bytes(raw), size, length - size, order)


@pytest.mark.parametrize(("data", "problem"), PARTIAL.values(), ids=PARTIAL)
def test_what_is_there_of_a_half_written_record_is_said(data: bytes, problem: str) -> None:
    with pytest.raises(PartialRecord) as caught:
        framed(data)
    assert str(caught.value) == problem


def test_bytes_of_another_kind_are_no_record() -> None:
    with pytest.raises(BadRecord) as caught:
        length_of(b"X\1\0\x2e" + HEADER)
    assert str(caught.value) == "no record starts here; expected header token x47 'G'; found x58"


@pytest.mark.parametrize("data", SOUND.values(), ids=SOUND)
def test_a_sound_record_that_the_file_cuts_is_partial_whatever_stands_behind_the_file(data: bytes) -> None:
    for size in range(1, len(data)):
        for framing in (framed, length_of):
            with pytest.raises(PartialRecord, match="the file ends inside the record"):
                framing(data[:size])


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


@pytest.mark.parametrize("order", BOTH)
def test_bytes_that_only_the_other_order_would_go_on_from_are_no_half_written_record(
    order: ByteOrder, tmp_path: Path
) -> None:
    """Who follows a file waits for the rest of a half-written record, and would wait for ever."""
    good, other = row(order=order), row(bytes(256 - row(b"").length), order=order.other)
    path = trail_of(tmp_path, good, other.raw[:-7])
    with TrailFile(path) as trail:
        assert trail.record_at(0) is not None
        with pytest.raises(BadRecord):
            trail.record_at(good.length)


LITTLE_ONE = row(bytes(300), order=ByteOrder.LITTLE).raw
BIG_ONE = row(bytes(300)).raw

FRAMES: dict[str, tuple[bytes, ByteOrder, bool, object]] = {
    "of the order tried first": (BIG_ONE, ByteOrder.BIG, True, (len(BIG_ONE), ByteOrder.BIG)),
    "of the other order": (LITTLE_ONE, ByteOrder.BIG, True, (len(LITTLE_ONE), ByteOrder.LITTLE)),
    "half of one": (BIG_ONE[:-1], ByteOrder.BIG, True, PartialRecord),
    "half of one of the other order": (LITTLE_ONE[:-1], ByteOrder.BIG, False, PartialRecord),
    "half of one, in front of a whole one": (BIG_ONE[:40] + ONE, ByteOrder.BIG, True, BadRecord),
    "garbage": (b"GARBAGE " * 9, ByteOrder.BIG, False, BadRecord),
}


@pytest.mark.parametrize(("data", "order", "is_known", "meaning"), FRAMES.values(), ids=FRAMES)
def test_a_record_is_looked_for_in_both_orders(data: bytes, order: ByteOrder, is_known: bool, meaning: object) -> None:
    end = len(BEFORE + data)

    def found() -> tuple[int, ByteOrder]:
        (length, _), found = sound_frame(BEFORE + data + BEHIND, len(BEFORE), end, order, order_known=is_known)
        return length, found

    if isinstance(meaning, tuple):
        assert found() == meaning
        return
    with pytest.raises((BadRecord, PartialRecord)) as caught:
        found()
    assert type(caught.value) is meaning


def test_a_length_past_the_end_in_front_of_sound_records_is_said_to_be_wrong() -> None:
    data = BEFORE + BIG_ONE[:40] + ONE
    with pytest.raises(BadRecord) as caught:
        sound_frame(data, len(BEFORE), len(data), ByteOrder.BIG, order_known=True)
    problem = "the record extends past the end of the file"
    assert str(caught.value) == f"{problem}; expected {40 + len(ONE)} bytes; found {len(BIG_ONE)} bytes"


PLACES = {
    "data and tokens": (b"D\0\0\2ab" + b"T\0\0\3cde", (46, 2, 52, 3)),
    "tokens alone": (b"T\0\0\3cde", (0, 0, 46, 3)),
    "data alone, empty": (b"D\0\0\0", (46, 0, 0, 0)),
    "the first of two": (b"D\0\0\1a" + b"D\0\0\2bc" + b"T\0\0\1d" + b"T\0\0\2ef", (46, 1, 57, 1)),
    "the first of two, though it is empty": (b"D\0\0\0" + b"T\0\0\0" + b"D\0\0\2bc" + b"T\0\0\1d", (46, 0, 50, 0)),
    "behind a token nobody knows": (b"?\0\0\1a" + b"D\0\0\2bc", (51, 2, 0, 0)),
    "wide ones": (b"D\x40\0\0\0\2ab" + b"T\x41\0\0\0\1c", (48, 2, 56, 1)),
    "ones whose value is not set": (b"D\xff\0\2ab" + b"T\xff\0\1c", (46, 2, 52, 1)),
}
"""Tokens behind the 38 bytes of H, and where from the record the payloads of D and T begin, with their sizes."""


def payload_places(raw: bytes, order: ByteOrder) -> tuple[int, int, int, int]:
    """Offset and size of the first ``D`` and of the first ``T``."""
    _, places = frame_at(BEFORE + raw + BEHIND, len(BEFORE), len(BEFORE) + len(raw), order)
    data, tokens = (next(((at, size) for token, _, at, size in places if token == letter), (0, 0)) for letter in b"DT")
    return (*data, *tokens)


@pytest.mark.parametrize(("tokens", "places"), PLACES.values(), ids=PLACES)
def test_data_and_tokens_stand_here(tokens: bytes, places: tuple[int, int, int, int]) -> None:
    raw = build_record(0, HEADER + tokens, ByteOrder.BIG)
    assert payload_places(raw, ByteOrder.BIG) == places


@pytest.mark.parametrize("order", BOTH)
@pytest.mark.parametrize(("info", "size"), [(0, 4), (WIDE, 6)])
@pytest.mark.parametrize("more", [0, 0x40, 0x4000])
def test_parts_stand_behind_lengths_of_two_bytes_or_four(order: ByteOrder, info: int, size: int, more: int) -> None:
    tokens = [
        Token(ord("H"), info, b"E" + bytes(33)),
        Token(ord("T"), info, b"cde"),
        Token(ord("D"), info, bytes(more)),
    ]
    raw = build_record(info, build_tokens(tokens, order), order)
    assert header_at(BEFORE + raw, len(BEFORE)) == len(BEFORE) + 2 * size
    assert Record(raw, order=order).payload("H") == b"E" + bytes(33)
    places = (4 * size + 34 + 3, more, 3 * size + 34, 3)
    assert payload_places(raw, order) == places


@pytest.mark.parametrize("length", range(12))
@pytest.mark.parametrize("before", [0, 50])
def test_a_length_that_no_record_has_is_damage(length: int, before: int) -> None:
    raw = bytearray(row().raw)
    raw[2:4] = length.to_bytes(2, "big")
    with pytest.raises(BadRecord):
        frame_at(bytes(before) + bytes(raw), before, before + len(raw), ByteOrder.BIG)
