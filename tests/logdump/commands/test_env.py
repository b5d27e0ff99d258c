"""ENV: every setting as the transcripts print it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.logdump.line import Line


def rows(lines: list[str]) -> dict[str, str]:
    return {line[:20].rstrip(): line[22:] for line in lines}


def test_env_as_in_the_transcript_of_12_1(line: Line, evidence: Path) -> None:
    transcript = (evidence / "env.txt").read_text().split("Logdump 49 >ENV\n")[1].splitlines()
    line("timeoffset local")
    machine = ("Version", "Current Directory", "Local System", "Metadata Byte Order")
    assert [one for one in line("env") if not one.startswith(machine)] == [
        one for one in transcript if not one.startswith(machine)
    ]
    assert [one[:22] for one in line("env")] == [one[:22] for one in transcript]


def test_release_11_1_knows_no_metadata(line: Line) -> None:
    assert "Metadata Byte Order" in rows(line("env"))
    line("release 11.1")
    assert "Metadata Byte Order" not in rows(line("env"))


@pytest.mark.parametrize(
    ("command", "label", "shown"),
    [
        ("reclen 200", "Display RecLen", "200"),
        ("filter off", "Logtrail Filter", "Off"),
        ("filter rectype 5", "Logtrail Filter", "On"),
        ("ghdr on", "Show Ghdr", "On"),
        ("detail data", "Detail", "Data"),
        ("transhist 20", "Trans History", "20 Transactions, Records 100, Bytes 100000"),
        ("transreclimit 7; transbytelimit 8", "Trans History", "0 Transactions, Records 7, Bytes 8"),
        ("bio off", "LargeBlock I/O", "Off, Blocksize 57344"),
        ("bio block 4096", "LargeBlock I/O", "On, Blocksize 4096"),
        ("ebcdicdata on", "Logtrail Data", "BigEndian/EBCDIC"),
        ("asciiheader off", "Logtrail Headers", "EBCDIC"),
        ("ebcdicdump on", "Dump", "EBCDIC"),
        ("savefilecomment on", "Savefile comments", "On"),
        ("timeoffset gmt -01", "Timeoffset", "GMT -01:00"),
        ("notify 500; scanscrolling off", "Scan Notify Interval", "500 records, Scrolling Off"),
    ],
)
def test_a_setting_shows(line: Line, command: str, label: str, shown: str) -> None:
    line(command)
    assert rows(line("env"))[label] == shown


def test_an_open_trail_has_its_lines(shop: Line, trails: Path) -> None:
    shown = rows(shop("pos 0; n; env")[-19:])
    assert shown["LogTrail"] == str(trails / "et000000000")
    assert shown["Trail Format"] == "New"
    assert shown["End of File"] == str((trails / "et000000000").stat().st_size)
    assert shown["Current Position"] == "0 Forward"


def test_a_trail_whose_file_is_gone_is_shown_all_the_same(line: Line, trails: Path, tmp_path: Path) -> None:
    trail = tmp_path / "et000000000"
    trail.write_bytes((trails / "et000000000").read_bytes())
    line(f"open {trail}")
    trail.unlink()
    assert rows(line("env"))["Last Modtime"] == "*No such file or directory*"
