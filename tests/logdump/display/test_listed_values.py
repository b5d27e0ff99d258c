"""Values in few cells: kernels write of many what is written of each by itself."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from logdump.display.listing.values import (
    ASCII_MARKS,
    LONGEST_VALUE,
    UNICODE_MARKS,
    Marks,
    key_value,
    short_value,
    spelling_of,
)
from tests.oracles.listed_line import value_text
from tests.searching import Random, examples
from tests.trailformat.values.kinds import KINDS, of
from trailformat import ByteOrder, Column, ColumnDefinition, Value, decode_value, encode_value
from trailformat.arrays import Image, Spans, Strings, text_column
from trailformat.codec.charsets import UTF_8
from trailformat.native.scan.arguments import GOOD, NULL
from trailformat.values import Plain


def plain(value: Plain) -> Value:
    return Value(b"", value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (plain(260), "260"),
        (plain("Assam"), "'Assam'"),
        (plain("Pu'er"), "'Pu''er'"),
        (plain(""), "''"),
        (plain("NULL"), "'NULL'"),
        (plain("a\x1b[2J"), r"'a\x1b[2J'"),
        (plain("Darjeeling First Flush of 2014"), "'Darjeeling …sh of 2014'"),
        (plain(bytes(3)), "X'000000'"),
        (plain(bytes(3000)), "X'00000000…' 3,000 bytes"),
        (plain(datetime(2024, 3, 14, 10, 2, 11)), "2024-03-14 10:02:11"),  # noqa: DTZ001 - a column has no zone
        (Value(b"", is_null=True), "NULL"),
        (Value(b"\x01\x02", problem="no such type"), "?'0102'"),
        (None, ""),
    ],
)
def test_each_kind_of_value_has_a_form_of_its_own(value: Value | None, text: str) -> None:
    assert short_value(value) == text


def test_a_value_that_is_cut_keeps_both_ends_and_counts_cells() -> None:
    shown = short_value(plain("玉露" * 20))
    assert shown == "'玉露玉露玉…露玉露玉露'"
    assert len(short_value(plain("x" * 999))) == LONGEST_VALUE


@pytest.mark.parametrize(
    ("value", "text"), [("ASS02", "ASS02"), ("310", "'310'"), ("NULL", "'NULL'"), ("two words", "'two words'")]
)
def test_a_key_is_bare_where_nothing_else_can_be_meant(value: str, text: str) -> None:
    assert key_value(plain(value)) == text


def texts_of(
    values: list[bytes | None], definition: ColumnDefinition, codec: str, marks: Marks, *, is_key: bool, are_many: bool
) -> list[str | None]:
    """What kernels, and the decoder of what they leave, write of values as stored, None for NULL."""
    data = np.frombuffer(b"".join(value or b"" for value in values) + b"?", np.uint8)
    sizes = np.array([NULL if value is None else len(value) for value in values], np.int64)
    ends = np.cumsum(np.maximum(sizes, 0))
    image = Image((ends - np.maximum(sizes, 0))[np.newaxis], sizes[np.newaxis], np.ones(1, np.uint8))
    spans = Spans(data, np.zeros(len(values), bool), image, image, np.full(len(values), GOOD, np.uint8), len(data))
    strings: Strings = text_column(
        spans, image, 0, definition, codec, spelling_of(marks, is_key=is_key, are_many=are_many)
    ).array
    places, stored = strings.offsets.tolist(), bytes(strings.data)
    return [
        stored[begin:end].decode() if is_there else None
        for begin, end, is_there in zip(places[:-1], places[1:], strings.present.tolist(), strict=True)
    ]


WIDE = st.text("茶玉é\u0301\u200b\U0001f375\x1b'ab -_", max_size=40)
TEXTS = st.one_of(
    WIDE,
    st.text(max_size=30),
    st.text("abcXYZ019_-' ", max_size=30),
    st.sampled_from(["NULL", "null", "Null", "nul", "_x", "-x", "x_-9", "9x", "x" * 22, "x" * 23, "é" * 22, "é" * 23]),
)
STORED = st.none() | TEXTS.map(str.encode) | st.binary(max_size=40)
DEFINITIONS = [of(64, 400), of(64, 400, sub=4), of(0, 30), of(64, 400, sub=2), of(64, 10)]


@settings(max_examples=examples(400), deadline=None)
@given(
    values=st.lists(STORED, min_size=1, max_size=9),
    definition=st.sampled_from(DEFINITIONS),
    codec=st.sampled_from([UTF_8, UTF_8, "cp1252", "utf-16-be"]),
    marks=st.sampled_from([UNICODE_MARKS, ASCII_MARKS]),
    is_key=st.booleans(),
    are_many=st.booleans(),
)
@example(
    values=[b"x" * 2345, b"x" * 12, b"x" * 13, b""],
    definition=DEFINITIONS[1],
    codec=UTF_8,
    marks=UNICODE_MARKS,
    is_key=False,
    are_many=False,
)
@example(
    values=["é".encode() * 2000 + b"\n" + b"e" * 30],
    definition=DEFINITIONS[0]._replace(internal_length=9000),
    codec=UTF_8,
    marks=UNICODE_MARKS,
    is_key=False,
    are_many=True,
)
def test_kernels_write_what_is_written_of_each_value(
    values: list[bytes | None], definition: ColumnDefinition, codec: str, marks: Marks, *, is_key: bool, are_many: bool
) -> None:
    texts = texts_of(values, definition, codec, marks, is_key=is_key, are_many=are_many)
    for stored, text in zip(values, texts, strict=True):
        if stored is None:
            assert text is None
            continue
        value = decode_value(Column(0, b"\0\0" + stored), definition, ByteOrder.BIG, codec)
        assert text == (key_value if is_key else short_value)(value, marks)
        assert is_key or text == value_text(value, marks)


LETTERS = {"A": ("ab XYZ 019_-'", 1), "é": ("éñßabc '", 1), "茶": ("茶玉露", 2)}
"""Letters of texts, and the cells of each: ASCII, others, wide ones."""


def _in_cells(text: str, cells: int, marks: Marks) -> str:
    """A text of characters of so many cells, as it is listed: of 22 cells at most, else 11, the mark and 10."""
    if len(text) * cells > 22:
        text = text[: 11 // cells] + marks.cut + text[len(text) - 10 // cells :]
    return "'" + text.replace("'", "''") + "'"


@pytest.mark.parametrize("marks", [UNICODE_MARKS, ASCII_MARKS])
@pytest.mark.parametrize("are_many", [True, False])
@pytest.mark.parametrize("letters", LETTERS)
def test_texts_of_each_length_are_cut_by_kernels_as_by_hand(letters: str, marks: Marks, *, are_many: bool) -> None:
    """With a length before them, and without one."""
    random, (characters, cells) = Random(f"{letters} {marks} {are_many}"), LETTERS[letters]
    texts = ["".join(random.choices(characters, k=size)) for size in range(1, 50)]
    plainly = [text.encode() for text in texts]
    for kind, values in ((of(64, 400), [len(text).to_bytes(2) + text for text in plainly]), (of(0, 400), plainly)):
        stored: list[bytes | None] = [*values]
        listed = texts_of(stored, kind, UTF_8, marks, is_key=False, are_many=are_many)
        expected = [_in_cells(text, cells, marks) for text in texts]
        assert listed == expected
        for text, shortened in zip(texts, expected, strict=True):
            assert short_value(plain(text), marks) == shortened
        keys = texts_of(stored, kind, UTF_8, marks, is_key=True, are_many=are_many)
        assert keys == [key_value(plain(text), marks) for text in texts]


@pytest.mark.parametrize("marks", [UNICODE_MARKS, ASCII_MARKS])
def test_bytes_of_each_length_are_cut_by_kernels_as_by_hand(marks: Marks) -> None:
    random, kind = Random(f"bytes {marks}"), of(64, 4000, sub=4)
    values = [random.randbytes(size) for size in (*range(30), 999, 1000, 1001)]
    listed = texts_of(
        [encode_value(value, kind, ByteOrder.BIG, UTF_8) for value in values],
        *(kind, UTF_8, marks),
        is_key=False,
        are_many=True,
    )
    assert listed == [
        f"X'{value.hex()}'" if len(value) <= 12 else f"X'{value[:4].hex()}{marks.cut}' {len(value):,} bytes"
        for value in values
    ]


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=examples(20, short=3), deadline=None)
@given(data=st.data())
def test_values_of_every_type_are_written_alike(kind: str, data: st.DataObject) -> None:
    definition = KINDS[kind].definition
    values = data.draw(st.lists(KINDS[kind].values, min_size=1, max_size=5))
    stored = [encode_value(value, definition, ByteOrder.BIG, UTF_8) for value in values]
    texts = texts_of([*stored], definition, UTF_8, UNICODE_MARKS, is_key=False, are_many=True)
    decoded = [decode_value(Column(0, b"\0\0" + content), definition, ByteOrder.BIG, UTF_8) for content in stored]
    assert texts == [value_text(value, UNICODE_MARKS) for value in decoded]
