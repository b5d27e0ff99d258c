"""ASCII and EBCDIC: which text each switch governs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.line import Line
from trailformat import Images, RecordHeader, TrailWriter, make_column, make_token

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
