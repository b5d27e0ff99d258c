"""ASCII and EBCDIC in displays."""

from __future__ import annotations

import string

import pytest

from logdump.notation.hexdump import ASCII, decode_ebcdic, gutter_table

EBCDIC = gutter_table(ebcdic=True)
LETTERS_AND_DIGITS = {
    "abcdefghi": 0x81,
    "jklmnopqr": 0x91,
    "stuvwxyz": 0xA2,
    "ABCDEFGHI": 0xC1,
    "JKLMNOPQR": 0xD1,
    "STUVWXYZ": 0xE2,
    "0123456789": 0xF0,
}
PUNCTUATION = {
    "blank": (0x40, " "),
    "first row": (0x4B, ".<(+|"),
    "and": (0x50, "&"),
    "second row": (0x5A, "!$*);^"),
    "minus": (0x60, "-/"),
    "third row": (0x6B, ",%_>?"),
    "fourth row": (0x79, "`:#@'=\""),
    "tilde": (0xA1, "~"),
    "brackets": (0xAD, "["),
    "closing": (0xBD, "]"),
    "braces": (0xC0, "{"),
    "brace closing": (0xD0, "}"),
    "backslash": (0xE0, "\\"),
}
PRINTABLE = set(string.ascii_letters + string.digits + string.punctuation + " ")


@pytest.mark.parametrize("table", [ASCII, EBCDIC], ids=["ASCII", "EBCDIC"])
def test_a_table_has_a_printable_ascii_character_for_each_byte(table: str) -> None:
    assert len(table) == 256
    assert set(table) == PRINTABLE


def test_ascii_is_itself_from_20_to_7e_and_a_dot_elsewhere() -> None:
    assert ASCII[0x20:0x7F] == bytes(range(0x20, 0x7F)).decode()
    assert set(ASCII[:0x20] + ASCII[0x7F:]) == {"."}


@pytest.mark.parametrize(("text", "first"), LETTERS_AND_DIGITS.items())
def test_letters_and_digits_of_ebcdic(text: str, first: int) -> None:
    assert EBCDIC[first : first + len(text)] == text


@pytest.mark.parametrize(("first", "text"), PUNCTUATION.values(), ids=list(PUNCTUATION))
def test_punctuation_of_code_page_1047(first: int, text: str) -> None:
    assert EBCDIC[first : first + len(text)] == text


def test_each_printable_character_has_one_byte_in_ebcdic() -> None:
    assert all(EBCDIC.count(character) == 1 for character in PRINTABLE - {"."})


@pytest.mark.parametrize("byte", [0x00, 0x0D, 0x15, 0x25, 0x41, 0x4A, 0x6A, 0x9F, 0xB0, 0xBA, 0xBB, 0xFF])
def test_what_is_not_printable_ascii_is_a_dot(byte: int) -> None:
    assert EBCDIC[byte] == "."


def test_the_table_of_a_setting() -> None:
    assert gutter_table(ebcdic=False) is ASCII
    assert gutter_table(ebcdic=True) is EBCDIC


def test_decode_ebcdic() -> None:
    assert decode_ebcdic(bytes.fromhex("c885939396")) == "Hello"
    assert decode_ebcdic(bytes.fromhex("ad5fbdb0babb4a")) == "[^]¬Ý¨¢"
    assert decode_ebcdic(b"") == ""


def test_every_byte_decodes_to_a_latin_1_character_of_its_own() -> None:
    assert {ord(character) for character in decode_ebcdic(bytes(range(256)))} == set(range(256))
