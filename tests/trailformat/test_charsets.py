from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trailformat import BadData, CannotWrite
from trailformat.codec.charsets import CHARSETS, charset_name, codec_named, codec_of, decode, encode

READABLE = sorted({charset.codec for charset in CHARSETS.values() if charset.codec})


@pytest.mark.parametrize("codec", READABLE)
def test_every_codec_reads_what_it_writes(codec: str) -> None:
    assert decode(encode("Tea 123", codec), codec) == "Tea 123"


@given(st.text(st.characters(codec="utf-8")))
def test_cesu_8_writes_characters_beyond_as_two_surrogates(text: str) -> None:
    data = encode(text, "cesu-8")
    assert decode(data, "cesu-8") == text
    assert max(data, default=0) < 0xF0


@pytest.mark.parametrize(
    ("number", "name", "codec"),
    [
        (0, "UTF-8", "utf-8"),
        (1, "UTF-16", "utf-16-be"),
        (1000, "US-ASCII", "ascii"),
        (1003, "windows-1252", "cp1252"),
        (1032, "ISO-8859-1", "iso8859-1"),
        (1047, "IBM037", "cp037"),
        (1072, "IBM1047", "cp1047"),
        (5000, "windows-932", "cp932"),
        (5024, "Shift_JIS", "shift_jis"),
        (10000, "ar8ados710t", "character set ar8ados710t"),
        (0x20000000, str(0x20000000), f"character set {0x20000000}"),
        (-1, "-1", "utf-8"),
    ],
)
def test_a_number_has_a_name_and_a_codec(number: int, name: str, codec: str) -> None:
    assert (charset_name(number), codec_of(number)) == (name, codec)


@pytest.mark.parametrize(
    ("name", "codec"),
    [
        ("we8mswin1252", "cp1252"),
        ("WE8ISO8859P1", "iso8859-1"),
        ("Windows-1251", "cp1251"),
        ("latin-1", "iso8859-1"),
        *((name, None) for name in ("al32utf8", "we8dec", "rot13", "zip", "", "../x", "a\0b")),
    ],
)
def test_a_name_has_a_codec_when_it_is_one_of_text(name: str, codec: str | None) -> None:
    assert codec_named(name) == codec


@pytest.mark.parametrize(
    ("codec", "data"),
    [("ascii", b"\xe9"), ("cesu-8", b"\xed\xa0\x80"), ("utf-7", b"+2AA-"), ("character set 7", b"x")],
)
def test_bytes_that_it_does_not_have_are_bad_data(codec: str, data: bytes) -> None:
    with pytest.raises(BadData):
        decode(data, codec)


@pytest.mark.parametrize(
    ("codec", "text"), [("ascii", "é"), ("cp1047", "€"), ("cesu-8", "\ud800"), ("character set 7", "")]
)
def test_characters_that_it_does_not_have_are_not_written(codec: str, text: str) -> None:
    with pytest.raises(CannotWrite):
        encode(text, codec)


@given(st.binary(max_size=30), st.sampled_from(READABLE))
def test_any_bytes_are_text_or_bad_data(data: bytes, codec: str) -> None:
    with contextlib.suppress(BadData):
        assert isinstance(decode(data, codec), str)


@pytest.mark.parametrize(
    ("name", "data", "character", "other"),
    [
        ("ja16sjis", b"\x81\x60", "\u301c", "\uff5e"),
        ("ja16sjistilde", b"\x81\x60", "\uff5e", None),
        ("ja16euc", b"\xa1\xc1", "\u301c", None),
        ("ja16euctilde", b"\xa1\xc1", "\uff5e", "\u301c"),
    ],
)
def test_oracles_japanese_sets_differ_in_the_wave_dash(
    name: str, data: bytes, character: str, other: str | None
) -> None:
    codec = codec_named(name)
    assert codec is not None
    assert decode(b"3" + data + b"5", codec) == f"3{character}5"
    for text in filter(None, (character, other)):
        assert encode(text, codec) == data
    assert decode(encode("\u6771\u4eac", codec), codec) == "\u6771\u4eac"


@pytest.mark.parametrize("before", ["", "abcdefgh", "\u00e9\u20ac", "\U0001f375"])
@pytest.mark.parametrize(
    "bad", [b"\xed\xa0\x80", b"\xed\xb0\x80", b"\xed\xb0\x80\xed\xa0\x80", b"\xed\xa0\x80\xed\xa0\x80"]
)
def test_an_unpaired_surrogate_of_cesu_8_has_its_place(before: str, bad: bytes) -> None:
    prefix = encode(before, "cesu-8")
    with pytest.raises(BadData) as raised:
        decode(prefix + bad + b"xyz", "cesu-8")
    assert raised.value.problem == f"not cesu-8 from byte {len(prefix)} on"
    assert raised.value.found == (bad + b"x")[:4].hex()


@pytest.mark.parametrize(
    ("number", "default", "codec"),
    [
        (-1, "cp1252", "cp1252"),
        (-1, "utf-8", "utf-8"),
        ((1 << 32) - 1, "cp037", "cp037"),
        (0, "cp1252", "utf-8"),
        (1003, "cp037", "cp1252"),
        (-2, "cp1252", "character set -2"),
    ],
)
def test_the_set_of_the_database_is_that_of_columns_without_one_of_their_own(
    number: int, default: str, codec: str
) -> None:
    """Stored with and without a sign."""
    assert codec_of(number, default) == codec
