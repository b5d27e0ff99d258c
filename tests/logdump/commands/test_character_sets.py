"""ASCII and EBCDIC: which text each switch governs.

ASCII and EBCDIC in displays.
"""

from __future__ import annotations

import string
from pathlib import Path

import pytest

from logdump.notation.hexdump import ASCII, decode_ebcdic, gutter_table
from tests.logdump.line import Line
from trailformat import Images, RecordHeader, TrailWriter, make_column, make_token

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


HELLO = bytes.fromhex("c885939396")
"""``Hello`` in EBCDIC."""


@pytest.fixture
def mainframe(line: Line, tmp_path: Path) -> Line:
    """A trail from before 10 whose name and data are EBCDIC, with a token and a file name in ASCII; all is shown."""
    header = RecordHeader(
        hdr_ind=ord("E"),
        partition=4,
        undo_flag=0,
        before_after=0xC1,
        record_length=0,
        io_type=5,
        orig_node=255,
        io_time=211976584185800569,
        audit_pos=0,
        audit_rba=0,
        trans_ind=3,
        format_type=0xD9,
        syskey_len=0,
        incomplete=0,
        continued=0,
        rec_count=1,
        name_field=bytes.fromhex("c8d94bd1d6c2e200"),
    )
    with TrailWriter(tmp_path / "mf000000") as writer:
        writer.write_values(header, Images(None, (make_column(0, HELLO),)), (make_token("L", b"12345"),))
    line(f"open {tmp_path / 'mf000000'}; ghdr on; detail data; headertoken detail; ggstoken on")
    return line


def gutters(shown: list[str]) -> list[str]:
    return [line.split(" | ")[1] for line in shown if " | " in line]


def test_at_the_start_everything_is_ascii(mainframe: Line) -> None:
    shown = mainframe("n")
    assert not any("Hello" in line for line in shown)
    assert "12345" in gutters(shown)[-1]
    assert "Hdr-Ind    :     E  (x45)     Partition  :     .  (x04)" in shown


def test_ebcdicdata_governs_the_dumps_of_record_data(mainframe: Line) -> None:
    mainframe("ebcdicdata on")
    _, data, column, token = gutters(mainframe("n"))[-4:]
    assert data.endswith("Hello")
    assert column.endswith("Hello")
    assert "12345" in token


def test_ebcdicheader_governs_names_letters_and_the_dump_of_the_header(mainframe: Line) -> None:
    mainframe("ebcdicheader on")
    shown = mainframe("n")
    assert "Name: HR.JOBS" in shown
    assert "UndoFlag   :     .  (x00)     BeforeAfter:     A  (xc1)" in shown
    assert "TransInd   :     .  (x03)     FormatType :     R  (xd9)" in shown
    assert "HR.JOBS" in "".join(gutters(shown)[:3])
    assert not any("Hello" in line for line in shown)


def test_ebcdicdump_governs_every_hex_dump(mainframe: Line) -> None:
    mainframe("ebcdicdump on")
    shown = mainframe("n")
    assert [gutter for gutter in gutters(shown) if "12345" in gutter] == []
    assert len([gutter for gutter in gutters(shown) if "Hello" in gutter]) == 2
    assert "Name: HR.JOBS" not in shown
    assert "Hello" in "".join(gutters(mainframe("pos 0; dump")))


def test_dump_of_a_bad_record_follows_ebcdicdump(mainframe: Line) -> None:
    mainframe("ebcdicdump on; pos 40")
    assert any("HR.JOBS" in gutter for gutter in gutters(mainframe("n")))


@pytest.mark.parametrize("subject", ["header", "data", "dump"])
def test_ascii_off_is_ebcdic_on(line: Line, subject: str) -> None:
    assert line(f"ascii{subject}; ebcdic{subject}") == [
        f"ASCII{subject.upper()} is ON",
        f"EBCDIC{subject.upper()} is OFF",
    ]
    line(f"ascii{subject} off")
    assert line(f"ascii{subject}; ebcdic{subject}") == [
        f"ASCII{subject.upper()} is OFF",
        f"EBCDIC{subject.upper()} is ON",
    ]
    line(f"ebcdic{subject} off")
    assert line(f"ascii{subject}") == [f"ASCII{subject.upper()} is ON"]
