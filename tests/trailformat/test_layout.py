from __future__ import annotations

import construct as c
import pytest

from trailformat.codec import layout
from trailformat.errors import BadData, CannotWrite


def fail_with(error: Exception) -> None:
    with layout.construct_errors(BadData, "it cannot be decoded"):
        raise error


@pytest.mark.parametrize(
    "error", [c.StreamError("short"), ValueError("short"), KeyError("short"), OverflowError("short")], ids=repr
)
def test_what_construct_raises_becomes_the_error_asked_for(error: Exception) -> None:
    with pytest.raises(BadData, match=r"it cannot be decoded; found .*short"):
        fail_with(error)


def test_a_trail_error_passes_unchanged() -> None:
    error = CannotWrite("disk full")
    with pytest.raises(CannotWrite) as caught:
        fail_with(error)
    assert caught.value is error


def test_parse_whole_takes_exactly_the_bytes_of_the_layout() -> None:
    assert layout.parse_whole(c.Int16ub, b"\1\2", BadData, "number") == 0x0102


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"\1", "number cannot be decoded; found .*"),
        (b"\1\2\3", "number is longer than it should be; expected 2 bytes; found 3 bytes"),
    ],
)
def test_parse_whole_refuses_too_few_and_too_many_bytes(data: bytes, text: str) -> None:
    with pytest.raises(BadData, match=text):
        layout.parse_whole(c.Int16ub, data, BadData, "number")


def test_parse_all_repeats_the_layout_to_the_end() -> None:
    assert list(layout.parse_all(c.Int16ub, b"\0\1\0\2", BadData, "number", most=2)) == [1, 2]


def test_parse_all_says_where_a_repetition_is_cut() -> None:
    with pytest.raises(BadData, match="number at byte 2 does not fit into the 3 bytes around it"):
        list(layout.parse_all(c.Int16ub, b"\0\1\0", BadData, "number", most=2))


def test_parse_all_stops_at_more_repetitions_than_there_can_be() -> None:
    assert len(list(layout.parse_all(c.Int8ub, bytes(50), BadData, "number", most=50))) == 50
    with pytest.raises(BadData, match="too many items: number; expected at most 50"):
        list(layout.parse_all(c.Int8ub, bytes(51), BadData, "number", most=50))


def test_build_refuses_a_value_that_does_not_fit() -> None:
    with pytest.raises(CannotWrite, match="number cannot be written"):
        layout.build(c.Int16ub, 0x10000, "number")


@pytest.mark.parametrize(
    ("text", "data"), [("tea", b"tea"), ("玉露", b"\xe7\x8e\x89\xe9\x9c\xb2"), ("caf\udce9", b"caf\xe9")], ids=ascii
)
def test_text_is_utf_8_and_surrogates_of_file_names_are_their_bytes(text: str, data: bytes) -> None:
    assert layout.encode_text(text, "name") == data


def test_text_that_is_no_text_cannot_be_written() -> None:
    with pytest.raises(CannotWrite, match="name cannot be written"):
        layout.encode_text("\ud800", "name")
